#pragma once
// From bits to numbers, as curand_uniform.h and curand_normal.h have it. Logarithms, sines and roots are in double here
// and rounded once.

#include <cmath>
#include <cstdint>
#include <numbers>

namespace gpulab::curand {

inline float uniform_float(std::uint32_t x) { return std::fma(static_cast<float>(x), 0x1p-32F, 0x1p-33F); }
/// Of 32 bits, and of 53.
inline double uniform_double(std::uint32_t x) { return x * 0x1p-32 + 0x1p-32; }
inline double uniform_double(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t z = std::uint64_t{x} ^ std::uint64_t{y} << 21;
  return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}

/// Two normal numbers of two uniform ones (Box and Muller).
struct Pair {
  double first, second;
};
inline Pair box_muller(double u, double angle) {
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::sin(angle), radius * std::cos(angle)};
}
/// The angle in half turns, as in sincospi: what is taken off is exact, so that numbers near 0 are right to the last
/// bits.
inline Pair box_muller_of_half_turns(double u, double half_turns) {
  const double quarters = std::nearbyint(2 * half_turns), rest = (half_turns - quarters / 2) * std::numbers::pi;
  const double radius = std::sqrt(-2 * std::log(u)), sine = std::sin(rest), cosine = std::cos(rest);
  switch (static_cast<long long>(quarters) & 3) {
    case 0:
      return {radius * sine, radius * cosine};
    case 1:
      return {radius * cosine, -radius * sine};
    case 2:
      return {-radius * sine, -radius * cosine};
    default:
      return {-radius * cosine, radius * sine};
  }
}
Pair normal_float(std::uint32_t x, std::uint32_t y);
Pair normal_double(std::uint32_t x0, std::uint32_t x1, std::uint32_t y0, std::uint32_t y1);

/// The normal distribution's quantile, to 16 digits (Wichura, AS 241).
double normal_quantile(double p);

/// Of 32 bits. For a float, the probability is rounded to one, in the lower half, where that loses least: half way it
/// is 0.
double normal_of(std::uint32_t bits, bool in_double);

/// A Poisson distribution's quantile: for a uniform number the one whose turn it is.
class PoissonTable {
 public:
  explicit PoissonTable(double lambda);
  [[nodiscard]] std::uint32_t at(double uniform, double normal) const;
  /// Beyond, it is a normal number that is rounded: cuRAND does so, too.
  [[nodiscard]] bool is_large() const { return lambda_ > kLarge; }

 private:
  static constexpr double kLarge = 4000;
  double lambda_;
};

}  // namespace gpulab::curand
