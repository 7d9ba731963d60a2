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
T element(const std::byte* bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes + index * sizeof(T), sizeof(T));
  return value;
}
/// As a Mismatch shows it.
template <typename T>
auto shown_as(T value) {
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

/// Calls `use` with an element of that type, whose value does not matter: loops over elements know their type.
template <typename Use>
decltype(auto) with_type(Scalar type, Use&& use) {
  switch (type) {
    case Scalar::u8:
      return use(std::uint8_t{});
    case Scalar::i8:
      return use(std::int8_t{});
    case Scalar::u16:
      return use(std::uint16_t{});
    case Scalar::i16:
      return use(std::int16_t{});
    case Scalar::u32:
      return use(std::uint32_t{});
    case Scalar::i32:
      return use(std::int32_t{});
    case Scalar::u64:
      return use(std::uint64_t{});
    case Scalar::i64:
      return use(std::int64_t{});
    case Scalar::f16:
      return use(Half{});
    case Scalar::bf16:
      return use(Bfloat16{});
    case Scalar::f32:
      return use(float{});
    case Scalar::f64:
      return use(double{});
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

/// Integers that agree byte by byte are right. Floating point is looked at all the same: a NaN on both sides agrees,
/// and is wrong.
template <typename T>
void compare_exact(const Expected& expected, const std::byte* got, Verification& verification) {
  const std::byte* const right = expected.exact.data();
  const std::size_t count = expected.exact.size() / sizeof(T);
  if (std::is_integral_v<T> && std::memcmp(got, right, count * sizeof(T)) == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = shown_as(element<T>(got, i)), wanted = shown_as(element<T>(right, i));
    const bool same = std::memcmp(got + i * sizeof(T), right + i * sizeof(T), sizeof(T)) == 0;
    if (same && !std::isnan(static_cast<double>(value))) continue;
    compare(Value(value), Value(wanted), false, absolute_error(Value(value), Value(wanted)), i, verification);
  }
}

template <typename T>
void compare_real(const Expected& expected, const std::byte* got, Verification& verification) {
  for (std::size_t i = 0; i < expected.real.size(); ++i) {
    const auto value = static_cast<double>(shown_as(element<T>(got, i)));
    const double right = expected.real[i];
    if (value == right) continue;
    const double error = std::abs(value - right);
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
  with_type(type, [&](auto of_type) {
    using T = decltype(of_type);
    if (exact)
      compare_exact<T>(expected, got.data(), verification);
    else
      compare_real<T>(expected, got.data(), verification);
  });
  verification.tolerance = std::max(verification.tolerance, expected.tolerance);
  if (verification.mismatch_count != 0) verification.status = VerificationStatus::failed;
}

decltype(Mismatch::got) element_value(Scalar type, std::span<const std::byte> bytes, std::size_t index) {
  return with_type(type,
                   [&](auto of_type) { return Value(shown_as(element<decltype(of_type)>(bytes.data(), index))); });
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
