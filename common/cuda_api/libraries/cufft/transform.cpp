#include "common/cuda_api/libraries/cufft/transform.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "common/cuda_api/libraries/cufft/fourier.h"

namespace gpulab::cufft {

Placed placed(const Plan& plan, const Side& side, bool real, bool half, bool in_place, const void* pointer) {
  Placed made;
  made.address = address_of(pointer);
  made.type = plan.of(real);
  made.n = plan.n;
  made.line = half ? plan.n.back() / 2 + 1 : plan.n.back();
  made.n.back() = made.line;
  made.pitch = plan.n;
  const i64 padded = real && in_place ? 2 * (plan.n.back() / 2 + 1) : made.line;
  made.pitch.back() = side.embed.empty() ? padded : side.embed.back();
  if (!side.embed.empty())
    for (std::size_t d = 1; d < made.pitch.size(); ++d) made.pitch[d] = side.embed[d];
  made.stride = side.embed.empty() ? 1 : side.stride;
  made.batch = plan.batch;
  made.distance = side.distance;
  if (side.embed.empty()) made.distance = made.lines() * padded;
  return made;
}

namespace {

template <typename R>
void read_line(LibraryAccess& memory, const Placed& p, i64 start, std::complex<R>* to) {
  const i64 size = bytes_of(p.type), span = (p.line - 1) * p.stride + 1;
  std::vector<char> bytes(static_cast<std::size_t>(span * size));
  memory.read(bytes.data(), p.address + static_cast<std::uint64_t>(start * size), bytes.size());
  for (i64 i = 0; i < p.line; ++i) {
    const char* from = bytes.data() + i * p.stride * size;
    if (is_complex(p.type)) {
      decode(p.type, from, to + i, 1);
    } else {
      R value = 0;
      decode(p.type, from, &value, 1);
      to[i] = value;
    }
  }
}

template <typename R>
void write_line(LibraryAccess& memory, const Placed& p, i64 start, const std::complex<R>* from) {
  const i64 size = bytes_of(p.type);
  std::vector<char> bytes(static_cast<std::size_t>(p.line * size));
  for (i64 i = 0; i < p.line; ++i) {
    const R real = from[i].real();
    is_complex(p.type) ? encode(p.type, from + i, bytes.data() + i * size, 1)
                       : encode(p.type, &real, bytes.data() + i * size, 1);
  }
  const auto at = [&](i64 i) { return p.address + static_cast<std::uint64_t>((start + i * p.stride) * size); };
  if (p.stride == 1) return memory.write(at(0), bytes.data(), bytes.size());
  for (i64 i = 0; i < p.line; ++i) memory.write(at(i), bytes.data() + i * size, static_cast<std::uint64_t>(size));
}

/// What the upper half of each line is, by symmetry: X[-k] is the conjugate of X[k].
template <typename R>
void complete(const Plan& plan, std::vector<std::complex<R>>& all) {
  const i64 last = plan.n.back(), lines = plan.points() / last;
  for (i64 line = 0; line < lines; ++line) {
    i64 mirrored = 0, rest = line, weight = 1;
    for (std::size_t d = plan.n.size() - 1; d-- > 0;) {
      const i64 x = rest % plan.n[d];
      rest /= plan.n[d];
      mirrored += (plan.n[d] - x) % plan.n[d] * weight;
      weight *= plan.n[d];
    }
    for (i64 k = last / 2 + 1; k < last; ++k)
      all[static_cast<std::size_t>(line * last + k)] =
          std::conj(all[static_cast<std::size_t>(mirrored * last + last - k)]);
  }
}

template <typename R>
void transform(const Plan& plan, std::vector<std::complex<R>>& all, int sign, std::vector<Fourier<R>>& lines) {
  i64 apart = 1;
  for (std::size_t d = plan.n.size(); d-- > 0;) {
    const i64 n = plan.n[d], points = static_cast<i64>(all.size());
    std::vector<std::complex<R>> line(static_cast<std::size_t>(n));
    for (i64 block = 0; block < points; block += n * apart)
      for (i64 offset = 0; offset < apart; ++offset) {
        std::complex<R>* const first = all.data() + block + offset;
        for (i64 i = 0; i < n; ++i) line[static_cast<std::size_t>(i)] = first[i * apart];
        lines[d].transform(line.data(), sign);
        for (i64 i = 0; i < n; ++i) first[i * apart] = line[static_cast<std::size_t>(i)];
      }
    apart *= n;
  }
}

template <typename R>
void run_in(LibraryAccess& memory, const Plan& plan, const Placed& in, const Placed& out, int sign) {
  std::vector<Fourier<R>> lines;
  for (const i64 n : plan.n) lines.emplace_back(n);
  const i64 last = plan.n.back();
  std::vector<std::vector<std::complex<R>>> spectra;  // of all, for the output may lie over the input
  for (i64 item = 0; item < plan.batch; ++item) {
    auto& all = spectra.emplace_back(static_cast<std::size_t>(plan.points()));
    for (i64 line = 0; line < in.lines(); ++line) read_line(memory, in, in.start(item, line), all.data() + line * last);
    if (plan.real_out()) complete(plan, all);
    transform(plan, all, sign, lines);
  }
  for (i64 item = 0; item < plan.batch; ++item)
    for (i64 line = 0; line < out.lines(); ++line)
      write_line(memory, out, out.start(item, line), spectra[static_cast<std::size_t>(item)].data() + line * last);
}

}  // namespace

/// Doubles by long double (numbers.h), while that takes a moment.
void run(LibraryAccess& memory, const Plan& plan, const Placed& in, const Placed& out, int sign) {
  memory.use({in.buffer("idata", false), out.buffer("odata", true)});
  constexpr double moment = 3e8;
  plan.wide() && memory.operations() < moment ? run_in<Precise>(memory, plan, in, out, sign)
                                              : run_in<double>(memory, plan, in, out, sign);
}

LibraryOperation operation_of(const char* function, const Plan& plan, cudaStream_t stream, void* caller) {
  LibraryOperation operation;
  operation.function = function;
  std::string shape = fmt::format("{}", plan.n[0]);
  for (std::size_t d = 1; d < plan.n.size(); ++d) shape += fmt::format(" x {}", plan.n[d]);
  operation.shape = plan.batch == 1 ? shape : fmt::format("{}, {} times", shape, plan.batch);
  const auto points = static_cast<double>(plan.points());
  const double halved = plan.real_in() || plan.real_out() ? 2.5 : 5;
  operation.operations = halved * points * std::log2(std::max(points, 2.0)) * static_cast<double>(plan.batch);
  operation.unit = plan.wide() ? LibraryUnit::fp64 : LibraryUnit::fp32;  // halves, too: they are bound by memory
  operation.kernels = static_cast<double>(plan.n.size());
  operation.stream = stream;
  operation.caller = caller;
  return operation;
}

std::mutex plans_mutex;
namespace {
std::map<cufftHandle, Plan>& plans() {
  static auto* const all = new std::map<cufftHandle, Plan>;
  return *all;
}
}  // namespace
Plan* plan_of(cufftHandle handle) {
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : &found->second;
}
void add_plan(cufftHandle handle) { plans()[handle] = {}; }
bool remove_plan(cufftHandle handle) { return plans().erase(handle) != 0; }

}  // namespace gpulab::cufft
