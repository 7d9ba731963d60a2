#include "runner/compare/kernels/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "common/short_float.h"
#include "common/text.h"

namespace gpulab {
namespace {

template <typename T>
T element(std::span<const std::byte> bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// Reads a floating-point element; nothing for integers.
using ReadReal = double (*)(std::span<const std::byte> bytes, std::size_t index);

struct RealType {
  ReadReal read = nullptr;
  double tolerance = 0;
};

std::optional<RealType> real_type(Scalar type) {
  switch (type) {
    case Scalar::f16:
      return RealType{[](auto bytes, auto i) { return half_value(element<std::uint16_t>(bytes, i)); }, 1e-2};
    case Scalar::bf16:
      return RealType{[](auto bytes, auto i) { return bfloat16_value(element<std::uint16_t>(bytes, i)); }, 1e-2};
    case Scalar::f32:
      return RealType{[](auto bytes, auto i) { return double(element<float>(bytes, i)); }, 1e-4};
    case Scalar::f64:
      return RealType{[](auto bytes, auto i) { return element<double>(bytes, i); }, 1e-9};
    default:
      return std::nullopt;
  }
}

std::string integer_text(Scalar type, std::span<const std::byte> bytes, std::size_t i) {
  const auto size = size_of(type);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + i * size, size);
  const bool is_signed = name_of(type).starts_with('i');
  if (!is_signed) return fmt::format("{}", value);
  const auto shift = 64 - 8 * size;
  return fmt::format("{}", static_cast<std::int64_t>(value << shift) >> shift);
}

/// The root of the mean square of what is finite: what the buffer's numbers are like.
double magnitude(const RealType& type, std::span<const std::byte> bytes, std::size_t count) {
  double sum = 0;
  std::size_t finite = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = type.read(bytes, i);
    if (!std::isfinite(x) || std::abs(x) > 1e150) continue;
    sum += x * x;
    ++finite;
  }
  return finite > 0 ? std::sqrt(sum / double(finite)) : 0;
}

}  // namespace

AnswerDifference answer_difference(const std::string& buffer, Scalar type, std::span<const std::byte> a,
                                   std::span<const std::byte> b) {
  AnswerDifference found;
  const auto size = size_of(type);
  if (a.size() != b.size()) {
    found.apart = fmt::format("{} has {} elements for A and {} for B", buffer, a.size() / size, b.size() / size);
    return found;
  }
  if (std::ranges::equal(a, b)) return found;
  const auto real = real_type(type);
  const auto count = a.size() / size;
  const double like = real ? magnitude(*real, a, count) : 0;
  std::size_t differing = 0;
  std::string first;
  for (std::size_t i = 0; i < count; ++i) {
    if (std::memcmp(a.data() + i * size, b.data() + i * size, size) == 0) continue;
    if (real) {
      const double x = real->read(a, i), y = real->read(b, i);
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double beside = std::max({std::abs(x), std::abs(y), like});
      const double error = std::abs(x - y) / beside;
      if (error <= real->tolerance) {
        found.rounding = std::max(found.rounding, error);
        continue;
      }
    }
    if (differing++ > 0) continue;
    first = fmt::format("{}[{}] is {} for A and {} for B", buffer, i,
                        real ? fmt::format("{}", real->read(a, i)) : integer_text(type, a, i),
                        real ? fmt::format("{}", real->read(b, i)) : integer_text(type, b, i));
  }
  if (differing > 0)
    found.apart = fmt::format("{} ({} of {} elements differ)", first, grouped(differing), grouped(count));
  return found;
}

}  // namespace gpulab
