#pragma once
// Floating-point arithmetic in integers, for formats of any size: what the instructions must give, worked out without
// the host's floating point.

#include <cstdint>

namespace gpulab::simt {

enum class Round { nearest_even, nearest_away, zero, down, up };

struct FloatFormat {
  int bits;      ///< in all
  int mantissa;  ///< stored bits
  int exponent;  ///< bits
  [[nodiscard]] constexpr int bias() const { return (1 << (exponent - 1)) - 1; }
  [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  [[nodiscard]] constexpr std::uint64_t infinity() const { return ((std::uint64_t{1} << exponent) - 1) << mantissa; }
  [[nodiscard]] constexpr bool is_nan(std::uint64_t x) const { return (x & (sign() - 1)) > infinity(); }
  [[nodiscard]] constexpr bool is_subnormal(std::uint64_t x) const {
    return (x & infinity()) == 0 && (x & (sign() - 1)) != 0;
  }
};
inline constexpr FloatFormat binary16{16, 10, 5}, brain16{16, 7, 8}, binary32{32, 23, 8}, binary64{64, 52, 11};
inline constexpr FloatFormat tensor32{19, 10, 8}, eight_e4m3{8, 3, 4}, eight_e5m2{8, 2, 5};

/// ±m·2^e, and a bit more (less than 2^e) where `inexact`. Then m has at least 60 bits.
struct Exact {
  enum class Class { zero, finite, infinite, nan };
  Class what = Class::zero;
  bool negative = false;
  unsigned __int128 m = 0;
  int e = 0;
  bool inexact = false;
};

[[nodiscard]] Exact exact_of(std::uint64_t bits, FloatFormat format);
[[nodiscard]] Exact exact_of_integer(std::uint64_t magnitude, bool negative);
[[nodiscard]] Exact negative_of(Exact x);
/// The mode decides the sign of a sum that is zero. Operands: exact, of at most 106 bits.
[[nodiscard]] Exact sum(Exact a, Exact b, Round mode);
[[nodiscard]] Exact product(const Exact& a, const Exact& b);
[[nodiscard]] Exact quotient(const Exact& a, const Exact& b);
[[nodiscard]] Exact square_root(const Exact& a);
/// An integral value.
[[nodiscard]] Exact integral(const Exact& x, Round mode);

/// In the format. Overflow gives infinity, or the largest number where the mode leads there. NaN: all bits but the
/// sign.
[[nodiscard]] std::uint64_t rounded(const Exact& x, FloatFormat format, Round mode);
/// An integral value clamped to [lowest, highest].
[[nodiscard]] std::int64_t clamped(const Exact& x, std::int64_t lowest, std::int64_t highest);
[[nodiscard]] std::uint64_t clamped_unsigned(const Exact& x, std::uint64_t highest);

}  // namespace gpulab::simt
