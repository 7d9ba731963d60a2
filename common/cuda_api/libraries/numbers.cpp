#include "common/cuda_api/libraries/numbers.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gpulab::libraries {
namespace {

template <typename T, typename W, typename Make>
void each_from(const void* from, W* to, i64 count, const Make& make) {
  for (i64 i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(from) + i * static_cast<i64>(sizeof(T)), sizeof(T));
    to[i] = make(value);
  }
}
template <typename T, typename W, typename Make>
void each_to(const W* from, void* to, i64 count, const Make& make) {
  for (i64 i = 0; i < count; ++i) {
    const T value = static_cast<T>(make(from[i]));
    std::memcpy(static_cast<char*>(to) + i * static_cast<i64>(sizeof(T)), &value, sizeof(T));
  }
}

/// All that 16 bits can be: decoded once.
const double* halves() {
  static const auto* const table = [] {
    auto* made = new double[65536];
    for (unsigned i = 0; i < 65536; ++i) made[i] = Half::decode(i);
    return made;
  }();
  return table;
}

double bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
/// To nearest, ties to even, of the double itself: by way of float it would be rounded twice.
std::uint16_t bfloat_bits(double value) { return static_cast<std::uint16_t>(SmallFloat<8, 7>::encode(value)); }

}  // namespace

void decode(Type type, const void* from, double* to, i64 count) {
  switch (type) {
    case CUDA_R_64F:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
      return;
    case CUDA_R_32F:
      return each_from<float>(from, to, count, [](float x) { return double{x}; });
    case CUDA_R_64I:  // rows of matrices: exact up to 2^53
      return each_from<std::int64_t>(from, to, count, [](std::int64_t x) { return static_cast<double>(x); });
    case CUDA_R_32I:
      return each_from<std::int32_t>(from, to, count, [](std::int32_t x) { return double(x); });
    case CUDA_R_8I:
      return each_from<std::int8_t>(from, to, count, [](std::int8_t x) { return double(x); });
    case CUDA_R_8U:
      return each_from<std::uint8_t>(from, to, count, [](std::uint8_t x) { return double(x); });
    case CUDA_R_16F:
      return each_from<std::uint16_t>(from, to, count, [table = halves()](unsigned x) { return table[x]; });
    case CUDA_R_16BF:
      return each_from<std::uint16_t>(from, to, count, bfloat);
    case CUDA_R_8F_E4M3:
      return each_from<std::uint8_t>(from, to, count, [](unsigned x) { return E4M3::decode(x); });
    case CUDA_R_8F_E5M2:
      return each_from<std::uint8_t>(from, to, count, [](unsigned x) { return E5M2::decode(x); });
    default:
      std::fill_n(to, count, std::numeric_limits<double>::quiet_NaN());
  }
}

void encode(Type type, const double* from, void* to, i64 count) {
  switch (type) {
    case CUDA_R_64F:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(double));
      return;
    case CUDA_R_32F:
      return each_to<float>(from, to, count, [](double x) { return static_cast<float>(x); });
    case CUDA_R_64I:
      return each_to<std::int64_t>(from, to, count, [](double x) { return std::clamp(x, -0x1p62, 0x1p62); });
    case CUDA_R_32I:
      return each_to<std::int32_t>(from, to, count, saturated<std::int32_t>);
    case CUDA_R_8I:
      return each_to<std::int8_t>(from, to, count, saturated<std::int8_t>);
    case CUDA_R_8U:
      return each_to<std::uint8_t>(from, to, count, saturated<std::uint8_t>);
    case CUDA_R_16F:
      return each_to<std::uint16_t>(from, to, count, Half::encode);
    case CUDA_R_16BF:
      return each_to<std::uint16_t>(from, to, count, bfloat_bits);
    case CUDA_R_8F_E4M3:
      return each_to<std::uint8_t>(from, to, count, E4M3::encode);
    case CUDA_R_8F_E5M2:
      return each_to<std::uint8_t>(from, to, count, E5M2::encode);
    default:
      return;
  }
}

void decode(Type type, const void* from, Precise* to, i64 count) {
  if (type == CUDA_R_64F) return each_from<double>(from, to, count, [](double x) { return Precise{x}; });
  std::vector<double> values(static_cast<std::size_t>(count));
  decode(type, from, values.data(), count);
  std::ranges::copy(values, to);
}
void encode(Type type, const Precise* from, void* to, i64 count) {
  if (type == CUDA_R_64F) return each_to<double>(from, to, count, [](Precise x) { return static_cast<double>(x); });
  const std::vector<double> values(from, from + count);
  encode(type, values.data(), to, count);
}

}  // namespace gpulab::libraries
