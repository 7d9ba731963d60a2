// cuFFT: plans and their execution.

#include <cufft.h>
#include <cufftXt.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

#include "common/cuda_api/libraries/cufft/fourier.h"
#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/numbers.h"

namespace gpulab::cufft {
namespace {

using namespace gpulab::libraries;
using i64 = std::int64_t;

/// One side of a transform: where element (batch, x0, x1, x2) lies, in elements.
struct Side {
  std::vector<i64> embed;  ///< as the program gave it; empty: without gaps
  i64 stride = 1, distance = 0;
};

struct Plan {
  bool made = false;
  std::vector<i64> n;
  Side in, out;
  cufftType type = CUFFT_C2C;
  bool half = false, bfloat = false;  ///< C2C, R2C, C2R of numbers of 16 bits
  i64 batch = 1;
  cudaStream_t stream = nullptr;

  [[nodiscard]] i64 points() const {
    i64 all = 1;
    for (const i64 one : n) all *= one;
    return all;
  }
  [[nodiscard]] bool real_in() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
  [[nodiscard]] bool real_out() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
  [[nodiscard]] bool wide() const { return type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D; }
  [[nodiscard]] Type of(bool real) const {
    if (half) return real ? CUDA_R_16F : CUDA_C_16F;
    if (bfloat) return real ? CUDA_R_16BF : CUDA_C_16BF;
    if (wide()) return real ? CUDA_R_64F : CUDA_C_64F;
    return real ? CUDA_R_32F : CUDA_C_32F;
  }
};

/// A side as it is when it runs: lines of the last dimension, `line` elements each.
struct Placed {
  std::uint64_t address;
  Type type;
  std::vector<i64> n;  ///< elements of each dimension, of the last one `line`
  std::vector<i64> pitch;
  i64 line, stride, distance, batch;

  [[nodiscard]] i64 lines() const {
    i64 all = 1;
    for (std::size_t d = 0; d + 1 < n.size(); ++d) all *= n[d];
    return all;
  }
  /// First element of a line.
  [[nodiscard]] i64 start(i64 item, i64 index) const {
    i64 at = 0;
    std::vector<i64> place(n.size(), 0);
    for (std::size_t d = n.size() - 1; d-- > 0;) {
      place[d] = index % n[d];
      index /= n[d];
    }
    for (std::size_t d = 0; d < n.size(); ++d) at = at * (d == 0 ? 1 : pitch[d]) + place[d];
    return item * distance + at * stride;
  }
  [[nodiscard]] LibraryBuffer buffer(const char* name, bool writes) const {
    const i64 size = bytes_of(type);
    LibraryBuffer made;
    made.name = name;
    const __int128 last = static_cast<__int128>(batch - 1) * distance + start(0, lines() - 1) + (line - 1) * stride + 1;
    const __int128 end = __int128{address} + last * size;
    made.first = address;
    made.end = end > __int128{UINT64_MAX} ? UINT64_MAX : static_cast<std::uint64_t>(end);
    const i64 each = stride == 1 ? 1 : line, all = lines();
    made.rows = static_cast<std::uint64_t>(batch * all * each);
    made.row = [p = *this, each, all, size](std::uint64_t i) {
      const i64 index = static_cast<i64>(i) / each, element = static_cast<i64>(i) % each;
      const i64 at = p.start(index / all, index % all) + element * p.stride;
      return std::pair(p.address + static_cast<std::uint64_t>(at * size),
                       static_cast<std::uint64_t>((each == 1 ? p.line : 1) * size));
    };
    made.reads = !writes;
    made.writes = writes;
    return made;
  }
};

/// `in_place`: a side of real numbers without layout of its own has room for the complex ones then.
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

/// Doubles by long double (numbers.h), while that takes a moment.
void run(LibraryAccess& memory, const Plan& plan, const Placed& in, const Placed& out, int sign) {
  memory.use({in.buffer("idata", false), out.buffer("odata", true)});
  constexpr double moment = 3e8;
  plan.wide() && memory.operations() < moment ? run_in<Precise>(memory, plan, in, out, sign)
                                              : run_in<double>(memory, plan, in, out, sign);
}

std::mutex mutex;
std::map<cufftHandle, Plan>& plans() {
  static auto* const all = new std::map<cufftHandle, Plan>;
  return *all;
}
Plan* plan_of(cufftHandle handle) {
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : &found->second;
}

cufftResult execute(const char* function, cufftHandle handle, cufftType type, void* in, void* out, int sign,
                    void* caller) {
  Plan plan;
  {
    const std::lock_guard lock(mutex);
    const Plan* const known = plan_of(handle);
    if (known == nullptr || !known->made) return CUFFT_INVALID_PLAN;
    plan = *known;
  }
  const bool narrow = plan.half || plan.bfloat;
  if (plan.type != type || (narrow && function != std::string_view("cufftXtExec"))) return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (sign != CUFFT_FORWARD && sign != CUFFT_INVERSE)) return CUFFT_INVALID_VALUE;
  if (plan.points() == 0) return CUFFT_SUCCESS;
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
  operation.stream = plan.stream;
  operation.caller = caller;
  const bool in_place = in == out;
  const Placed from = placed(plan, plan.in, plan.real_in(), plan.real_out(), in_place, in);
  const Placed to = placed(plan, plan.out, plan.real_out(), plan.real_in(), in_place, out);
  const cudaError_t error =
      runtime().queue(operation, [=](LibraryAccess& memory) { run(memory, plan, from, to, sign); });
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

struct Layout {
  std::vector<i64> n;
  Side in, out;
  cufftType type;
  i64 batch;
  bool half = false, bfloat = false;
};
cufftResult check(const Layout& layout) {
  if (layout.n.empty() || layout.n.size() > 3) return CUFFT_INVALID_VALUE;  // of a rank that is none, or no sizes
  __int128 points = layout.batch;
  for (const i64 one : layout.n) {
    // As an H100 has it: of two and three dimensions one may be empty, and then nothing happens.
    if (one < 0 || (one == 0 && layout.n.size() == 1)) return CUFFT_INVALID_SIZE;
    points *= one;
    if (points > (__int128{1} << 40)) return CUFFT_INVALID_SIZE;
    if ((layout.half || layout.bfloat) && !std::has_single_bit(static_cast<std::uint64_t>(one)))
      return CUFFT_NOT_SUPPORTED;  // the manual: powers of two alone
  }
  if (layout.batch <= 0) return CUFFT_INVALID_SIZE;
  switch (layout.type) {
    case CUFFT_C2C:
    case CUFFT_R2C:
    case CUFFT_C2R:
    case CUFFT_Z2Z:
    case CUFFT_D2Z:
    case CUFFT_Z2D:
      break;
    default:
      return CUFFT_INVALID_TYPE;
  }
  for (const Side* side : {&layout.in, &layout.out})
    if (!side->embed.empty() &&
        (side->stride <= 0 || side->distance < 0 ||  // the first of `embed` has no use
         std::any_of(side->embed.begin() + 1, side->embed.end(), [](i64 one) { return one <= 0; })))
      return CUFFT_INVALID_VALUE;
  return CUFFT_SUCCESS;
}

cufftResult make(cufftHandle handle, const Layout& layout, std::size_t* work) {
  const std::lock_guard lock(mutex);
  Plan* const plan = plan_of(handle);
  if (plan == nullptr || plan->made) return CUFFT_INVALID_PLAN;
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  plan->n = layout.n;
  plan->in = layout.in;
  plan->out = layout.out;
  plan->type = layout.type;
  plan->half = layout.half;
  plan->bfloat = layout.bfloat;
  plan->batch = layout.batch;
  plan->made = true;
  if (work != nullptr) *work = 0;
  return CUFFT_SUCCESS;
}

cufftResult create(cufftHandle* handle) {
  if (handle == nullptr) return CUFFT_INVALID_VALUE;
  (void)runtime();
  static cufftHandle last = 0;
  const std::lock_guard lock(mutex);
  *handle = ++last;
  plans()[*handle] = {};
  return CUFFT_SUCCESS;
}

cufftResult create(cufftHandle* handle, const Layout& layout) {
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  if (const auto wrong = create(handle); wrong != CUFFT_SUCCESS) return wrong;
  return make(*handle, layout, nullptr);
}

template <typename Int>
Layout many(int rank, Int* n, Int* in_embed, Int in_stride, Int in_distance, Int* out_embed, Int out_stride,
            Int out_distance, cufftType type, Int batch) {
  Layout made{{}, {}, {}, type, batch};
  if (rank < 1 || rank > 3 || n == nullptr) return made;
  made.n.assign(n, n + rank);
  if (in_embed != nullptr && out_embed != nullptr) {
    made.in = {{in_embed, in_embed + rank}, in_stride, in_distance};
    made.out = {{out_embed, out_embed + rank}, out_stride, out_distance};
  }
  return made;
}
Layout plain(std::vector<i64> n, cufftType type, i64 batch = 1) { return {std::move(n), {}, {}, type, batch}; }

cufftResult size(const Layout& layout, std::size_t* work) {
  if (const auto wrong = check(layout); wrong != CUFFT_SUCCESS) return wrong;
  if (work != nullptr) *work = 0;
  return CUFFT_SUCCESS;
}

/// The type of a plan that is described by its data's types, as one of floats or doubles; -1: they do not go together.
int type_of(cudaDataType in, cudaDataType out, cudaDataType execution) {
  const bool wide = execution == CUDA_C_64F;
  if (!is_complex(execution) || (!is_complex(in) && !is_complex(out))) return -1;
  if (real_of(in) != real_of(execution) || real_of(out) != real_of(execution)) return -1;
  if (is_complex(in) && is_complex(out)) return wide ? CUFFT_Z2Z : CUFFT_C2C;
  if (is_complex(out)) return wide ? CUFFT_D2Z : CUFFT_R2C;
  return wide ? CUFFT_Z2D : CUFFT_C2R;
}

}  // namespace
}  // namespace gpulab::cufft

using namespace gpulab::cufft;

extern "C" {

cufftResult cufftCreate(cufftHandle* handle) { return create(handle); }
cufftResult cufftDestroy(cufftHandle handle) {
  const std::lock_guard lock(mutex);
  return plans().erase(handle) == 0 ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftPlan1d(cufftHandle* plan, int nx, cufftType type, int batch) {
  return create(plan, plain({nx}, type, batch));
}
cufftResult cufftPlan2d(cufftHandle* plan, int nx, int ny, cufftType type) {
  return create(plan, plain({nx, ny}, type));
}
cufftResult cufftPlan3d(cufftHandle* plan, int nx, int ny, int nz, cufftType type) {
  return create(plan, plain({nx, ny, nz}, type));
}
cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                          int ostride, int odist, cufftType type, int batch) {
  return create(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch));
}
cufftResult cufftMakePlan1d(cufftHandle plan, int nx, cufftType type, int batch, size_t* work) {
  return make(plan, plain({nx}, type, batch), work);
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, cufftType type, size_t* work) {
  return make(plan, plain({nx, ny}, type), work);
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* work) {
  return make(plan, plain({nx, ny, nz}, type), work);
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int* n, int* inembed, int istride, int idist, int* onembed,
                              int ostride, int odist, cufftType type, int batch, size_t* work) {
  return make(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), work);
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, long long* onembed, long long ostride, long long odist, cufftType type,
                                long long batch, size_t* work) {
  return make(plan, many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch), work);
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t* work) {
  return size(plain({nx}, type, batch), work);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t* work) { return size(plain({nx, ny}, type), work); }
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t* work) {
  return size(plain({nx, ny, nz}, type), work);
}
cufftResult cufftGetSize(cufftHandle plan, size_t* work) {
  const std::lock_guard lock(mutex);
  if (plan_of(plan) == nullptr || work == nullptr) return CUFFT_INVALID_PLAN;
  *work = 0;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetSize1d(cufftHandle, int nx, cufftType type, int batch, size_t* work) {
  return size(plain({nx}, type, batch), work);
}
cufftResult cufftGetSize2d(cufftHandle, int nx, int ny, cufftType type, size_t* work) {
  return size(plain({nx, ny}, type), work);
}
cufftResult cufftGetSize3d(cufftHandle, int nx, int ny, int nz, cufftType type, size_t* work) {
  return size(plain({nx, ny, nz}, type), work);
}
cufftResult cufftSetWorkArea(cufftHandle plan, void*) {
  const std::lock_guard lock(mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int) {
  const std::lock_guard lock(mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_SUCCESS;
}
cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  Plan* const plan = plan_of(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = CUFFT_VERSION;
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
  if (value == nullptr || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
  const int versions[] = {CUFFT_VER_MAJOR, CUFFT_VER_MINOR, CUFFT_VER_PATCH};
  *value = versions[type];
  return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
  return execute("cufftExecC2C", plan, CUFFT_C2C, in, out, direction, __builtin_return_address(0));
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
  return execute("cufftExecR2C", plan, CUFFT_R2C, in, out, CUFFT_FORWARD, __builtin_return_address(0));
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
  return execute("cufftExecC2R", plan, CUFFT_C2R, in, out, CUFFT_INVERSE, __builtin_return_address(0));
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
  return execute("cufftExecZ2Z", plan, CUFFT_Z2Z, in, out, direction, __builtin_return_address(0));
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
  return execute("cufftExecD2Z", plan, CUFFT_D2Z, in, out, CUFFT_FORWARD, __builtin_return_address(0));
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
  return execute("cufftExecZ2D", plan, CUFFT_Z2D, in, out, CUFFT_INVERSE, __builtin_return_address(0));
}

/// Callbacks of device code are of the static library: NVIDIA's shared one answers so, too (CUDA 13).
cufftResult cufftXtSetCallback(cufftHandle plan, void**, cufftXtCallbackType, void**) {
  const std::lock_guard lock(mutex);
  return plan_of(plan) == nullptr ? CUFFT_INVALID_PLAN : CUFFT_NOT_IMPLEMENTED;
}

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, cudaDataType in, long long* onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t* work,
                                cudaDataType execution) {
  if (execution != CUDA_C_16F && execution != CUDA_C_16BF && execution != CUDA_C_32F && execution != CUDA_C_64F)
    gpulab::libraries::refuse("cufftXtMakePlanMany of these types", __builtin_return_address(0));
  const int type = type_of(in, out, execution);
  if (type < 0) return CUFFT_INVALID_TYPE;
  auto layout = many(rank, n, inembed, istride, idist, onembed, ostride, odist, static_cast<cufftType>(type), batch);
  layout.half = execution == CUDA_C_16F;
  layout.bfloat = execution == CUDA_C_16BF;
  return make(plan, layout, work);
}
cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
  cufftType type = CUFFT_C2C;
  {
    const std::lock_guard lock(mutex);
    const Plan* const plan = plan_of(handle);
    if (plan == nullptr || !plan->made) return CUFFT_INVALID_PLAN;
    type = plan->type;
    if (plan->real_in()) direction = CUFFT_FORWARD;
    if (plan->real_out()) direction = CUFFT_INVERSE;
  }
  return execute("cufftXtExec", handle, type, in, out, direction, __builtin_return_address(0));
}

}  // extern "C"
