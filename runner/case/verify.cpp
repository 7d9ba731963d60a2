#include "runner/case/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "common/short_float.h"
#include "common/text.h"

namespace gpulab {
namespace {

using Value = decltype(Mismatch::got);
/// Mismatches that are shown: few enough to read, enough to see a pattern that repeats within a quarter of a warp.
constexpr std::size_t shown = 8;

struct Half {
  std::uint16_t bits;
};
struct Bfloat16 {
  std::uint16_t bits;
};
template <typename T>
Value value_at(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  if constexpr (std::is_same_v<T, Half>) {
    return half_value(value.bits);
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return bfloat16_value(value.bits);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<std::int64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

using ValueAt = Value (*)(const std::byte*, std::size_t);
ValueAt reader_of(Scalar type) {
  switch (type) {
    case Scalar::u8:
      return value_at<std::uint8_t>;
    case Scalar::i8:
      return value_at<std::int8_t>;
    case Scalar::u16:
      return value_at<std::uint16_t>;
    case Scalar::i16:
      return value_at<std::int16_t>;
    case Scalar::u32:
      return value_at<std::uint32_t>;
    case Scalar::i32:
      return value_at<std::int32_t>;
    case Scalar::u64:
      return value_at<std::uint64_t>;
    case Scalar::i64:
      return value_at<std::int64_t>;
    case Scalar::f16:
      return value_at<Half>;
    case Scalar::bf16:
      return value_at<Bfloat16>;
    case Scalar::f32:
      return value_at<float>;
    case Scalar::f64:
      return value_at<double>;
  }
  throw std::logic_error("unknown scalar type");
}

double number(const Value& value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

/// The larger, where NaN counts as larger than everything: it must not vanish in a maximum.
double worse(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }

/// |got - expected|; equal infinities are no error.
double absolute_error(const Value& got, const Value& expected) {
  if (got == expected) return 0;
  // 64-bit integers that differ may round to the same double: their difference is taken as integers.
  if (const auto* g = std::get_if<std::int64_t>(&got)) {
    const auto e = std::get<std::int64_t>(expected);
    return static_cast<double>(*g > e ? static_cast<std::uint64_t>(*g) - static_cast<std::uint64_t>(e)
                                      : static_cast<std::uint64_t>(e) - static_cast<std::uint64_t>(*g));
  }
  if (const auto* g = std::get_if<std::uint64_t>(&got)) {
    const auto e = std::get<std::uint64_t>(expected);
    return static_cast<double>(*g > e ? *g - e : e - *g);
  }
  return std::abs(std::get<double>(got) - std::get<double>(expected));
}

void compare(const Value& got, const Value& expected, bool equal, double error, std::size_t index,
             Verification& verification) {
  verification.max_abs_error = worse(verification.max_abs_error, error);
  if (error != 0) verification.max_rel_error = worse(verification.max_rel_error, error / std::abs(number(expected)));
  if (equal) return;
  ++verification.mismatch_count;
  if (verification.mismatches.size() < shown) verification.mismatches.push_back({index, got, expected});
}

void compare_exact(const Expected& expected, Scalar type, const std::byte* got, Verification& verification) {
  const auto read = reader_of(type);
  const std::size_t width = size_of(type), count = expected.exact.size() / width;
  const bool floating = is_floating(type);
  // Integers that agree byte by byte are right. Floating point is looked at all the same: a NaN on both sides agrees,
  // and is wrong.
  if (!floating && std::memcmp(got, expected.exact.data(), count * width) == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const bool same = std::memcmp(got + i * width, expected.exact.data() + i * width, width) == 0;
    if (same && !floating) continue;
    const auto value = read(got, i), right = read(expected.exact.data(), i);
    compare(value, right, same && !std::isnan(number(value)), absolute_error(value, right), i, verification);
  }
}

void compare_real(const Expected& expected, Scalar type, const std::byte* got, Verification& verification) {
  const auto read = reader_of(type);
  for (std::size_t i = 0; i < expected.real.size(); ++i) {
    const double value = number(read(got, i)), right = expected.real[i];
    const double error = value == right ? 0 : std::abs(value - right);
    compare(Value(value), Value(right), error <= expected.tolerance, error, i, verification);
  }
}

std::string value_text(const Value& value) {
  return std::visit(
      [](auto v) {
        if constexpr (std::is_floating_point_v<decltype(v)>)
          if (std::isnan(v)) return std::string("nan");
        return fmt::format("{}", v);
      },
      value);
}

}  // namespace

void verify(const Expected& expected, Scalar type, std::span<const std::byte> got, Verification& verification) {
  const bool exact = expected.real.empty();
  const auto compared = exact ? expected.exact.size() / size_of(type) : expected.real.size();
  if (!exact && !expected.exact.empty())
    throw std::logic_error(expected.buffer + ": an answer is exact or real, not both");
  if (compared * size_of(type) > got.size()) {
    throw std::logic_error(fmt::format("{}: the answer has {} elements, the buffer {}", expected.buffer, compared,
                                       got.size() / size_of(type)));
  }
  if (compared == 0) return;
  if (exact) {
    compare_exact(expected, type, got.data(), verification);
  } else {
    compare_real(expected, type, got.data(), verification);
  }
  verification.tolerance = std::max(verification.tolerance, expected.tolerance);
  if (verification.mismatch_count != 0) verification.status = VerificationStatus::failed;
}

decltype(Mismatch::got) element_value(Scalar type, std::span<const std::byte> bytes, std::size_t index) {
  return reader_of(type)(bytes.data(), index);
}

std::string mismatch_text(const std::string& buffer, const Verification& verification, std::size_t compared) {
  const auto& first = verification.mismatches.front();
  std::string text =
      fmt::format("{}[{}] is {}, not {}", buffer, first.index, value_text(first.got), value_text(first.expected));
  if (compared > 1) {
    text += fmt::format(" ({} of {} elements {})", grouped(verification.mismatch_count), grouped(compared),
                        verification.mismatch_count == 1 ? "differs" : "differ");
  }
  return text;
}

}  // namespace gpulab
