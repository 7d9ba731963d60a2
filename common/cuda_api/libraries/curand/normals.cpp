#include "common/cuda_api/libraries/curand/normals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>
#include <string_view>

#include "common/cuda_api/libraries/curand/quantiles.h"
#include "common/cuda_api/libraries/library.h"

// normals.cu as PTX, made by the build.
extern "C" const char _binary_curand_normals_ptx_start[], _binary_curand_normals_ptx_end[];

namespace gpulab::curand {
namespace {

/// A kernel of normals.cu: bytes that a thread takes and gives.
struct Kernel {
  std::string_view entry;
  std::size_t takes, gives;
};
constexpr Kernel kKernels[][2] = {
    {{"pairs", 8, 8}, {"pairs_double", 16, 16}},
    {{"pairs_of_fractions", 8, 8}, {"pairs_of_fractions_double", 16, 16}},
    {{"quantiles", 4, 4}, {"quantiles_double", 4, 8}},
    {{"", 8, 4}, {"quantiles_of_64_bits_double", 8, 8}},
};
constexpr std::size_t kMost = std::size_t{1} << 20;  ///< threads of a launch

// ---- on the host, as curand_normal.h has it there ----

template <typename R>
R shaped(R normal, const Shape& shape) {
  const R value = static_cast<R>(shape.mean) + static_cast<R>(shape.deviation) * normal;
  return shape.logarithm != 0 ? std::exp(value) : value;
}
/// Two of a uniform number and an angle.
template <typename R>
std::array<R, 2> box_muller(R uniform, R angle) {
  const R radius = std::sqrt(-2 * std::log(uniform));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
std::array<float, 2> pair_of(const std::array<std::uint32_t, 2>& x) {
  constexpr float turn = 0x1p-32F * 6.2831855F;
  return box_muller(static_cast<float>(x[0]) * 0x1p-32F + 0x1p-33F, static_cast<float>(x[1]) * turn + turn / 2);
}
std::array<double, 2> pair_of(const std::array<std::uint32_t, 4>& x) {
  const auto of_53 = [](std::uint32_t low, std::uint32_t high) {
    return static_cast<double>(std::uint64_t{low} ^ std::uint64_t{high} << 21);
  };
  return box_muller(of_53(x[0], x[1]) * 0x1p-53 + 0x1p-54, (of_53(x[2], x[3]) * 0x1p-52 + 0x1p-53) * std::numbers::pi);
}
std::array<float, 2> pair_of(const std::array<float, 2>& u) { return box_muller(u[0], u[1] * 6.2831855F); }
std::array<double, 2> pair_of(const std::array<double, 2>& u) { return box_muller(u[0], u[1] * 2 * std::numbers::pi); }
/// Of the lower half of the words, and the mirror for the upper one.
std::array<float, 1> quantile_of(std::uint32_t x) {
  const bool upper = x > 0x80000000U;
  const float p = static_cast<float>(upper ? ~x : x) * 0x1p-32F + 0x1p-33F;
  return {(upper ? 1 : -1) * std::numbers::sqrt2_v<float> * static_cast<float>(inverse_erfc(2 * p))};
}
std::array<double, 1> quantile_in_double(std::uint32_t x) {
  const bool upper = x > 0x80000000U;
  const double p = (upper ? ~x : x) * 0x1p-32 + 0x1p-33;
  return {(upper ? 1 : -1) * std::numbers::sqrt2 * inverse_erfc(2 * p)};
}
/// Of 53 of 64 bits.
std::array<double, 1> quantile_of_64_bits(std::uint64_t x) {
  x >>= 11;
  const bool upper = x > 0x10000000000000U;
  const double p = static_cast<double>(upper ? 0x1fffffffffffffU - x : x) * 0x1p-53 + 0x1p-54;
  return {(upper ? 1 : -1) * std::numbers::sqrt2 * inverse_erfc(2 * p)};
}
template <typename In, typename Make>
std::vector<char> each(const std::vector<std::byte>& parts, const Shape& shape, const Make& make) {
  std::vector<char> made;
  for (std::size_t at = 0; at + sizeof(In) <= parts.size(); at += sizeof(In)) {
    In in;
    std::memcpy(&in, parts.data() + at, sizeof in);
    for (const auto normal : make(in)) {
      const auto one = shaped(normal, shape);
      const auto* const bytes = reinterpret_cast<const char*>(&one);
      made.insert(made.end(), bytes, bytes + sizeof one);
    }
  }
  return made;
}

}  // namespace

std::vector<char> Normals::made_on_host(const Shape& shape) const {
  const auto pair = [](const auto& in) { return pair_of(in); };
  using std::array, std::uint32_t;
  switch (method_) {
    case NormalMethod::pairs:
      return in_double_ ? each<array<uint32_t, 4>>(parts_, shape, pair) : each<array<uint32_t, 2>>(parts_, shape, pair);
    case NormalMethod::pairs_of_fractions:
      return in_double_ ? each<array<double, 2>>(parts_, shape, pair) : each<array<float, 2>>(parts_, shape, pair);
    case NormalMethod::quantiles:
      return in_double_ ? each<uint32_t>(parts_, shape, quantile_in_double)
                        : each<uint32_t>(parts_, shape, quantile_of);
    default:
      return in_double_ ? each<std::uint64_t>(parts_, shape, quantile_of_64_bits) : made(shape);
  }
}

std::vector<char> Normals::made(const Shape& shape) const {
  const Kernel& kernel = kKernels[static_cast<std::size_t>(method_)][in_double_ ? 1 : 0];
  const std::size_t count = parts_.size() / kernel.takes;
  const std::string_view ptx(
      _binary_curand_normals_ptx_start,
      static_cast<std::size_t>(_binary_curand_normals_ptx_end - _binary_curand_normals_ptx_start));
  std::vector<char> made(count * kernel.gives);
  const std::span parts(parts_);
  for (std::size_t at = 0; at < count; at += kMost) {
    const std::size_t now = std::min(kMost, count - at);
    libraries::runtime().compute({"curand/normals.cu", ptx, kernel.entry}, static_cast<std::uint32_t>(now),
                                 parts.subspan(at * kernel.takes, now * kernel.takes),
                                 std::as_writable_bytes(std::span(made)).subspan(at * kernel.gives, now * kernel.gives),
                                 std::as_bytes(std::span(&shape, 1)));
  }
  return made;
}

}  // namespace gpulab::curand
