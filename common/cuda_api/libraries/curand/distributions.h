#pragma once
// From bits to uniform numbers, as curand_uniform.h has it, and to Poisson's. Normal ones: normals.h.

#include <cmath>
#include <cstdint>

namespace gpulab::curand {

inline float uniform_float(std::uint32_t x) { return std::fma(static_cast<float>(x), 0x1p-32F, 0x1p-33F); }
/// Of 32 bits, and of 53.
inline double uniform_double(std::uint32_t x) { return x * 0x1p-32 + 0x1p-32; }
inline double uniform_double(std::uint32_t x, std::uint32_t y) {
  const std::uint64_t z = std::uint64_t{x} ^ std::uint64_t{y} << 21;
  return static_cast<double>(z) * 0x1p-53 + 0x1p-54;
}

/// The normal distribution's quantile, to 16 digits (Wichura, AS 241).
double normal_quantile(double p);

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
