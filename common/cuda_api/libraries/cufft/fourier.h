#pragma once
// Discrete Fourier transforms of one dimension, of any length: sums of x[j] exp(sign 2 pi i j k / n), not divided by n.

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace gpulab::cufft {

/// R: double, or long double for transforms of doubles.
template <typename R>
class Fourier {
 public:
  using Complex = std::complex<R>;

  explicit Fourier(std::int64_t n);
  Fourier(Fourier&&) noexcept;
  ~Fourier();
  /// `sign` is -1 (forward) or 1. In place.
  void transform(Complex* line, int sign);

 private:
  void recurse(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n, std::size_t factor, int sign);
  void combine(Complex* out, std::int64_t n, std::int64_t p, int sign);
  void bluestein(Complex* line, int sign);
  [[nodiscard]] Complex root(std::int64_t j, int sign) const {
    const Complex w = roots_[static_cast<std::size_t>(j)];
    return sign < 0 ? w : std::conj(w);
  }
  std::int64_t n_;
  std::vector<std::int64_t> factors_;
  std::vector<Complex> roots_;  ///< exp(-2 pi i j / n)
  std::vector<Complex> copy_, parts_;
  std::unique_ptr<Fourier> longer_;  ///< of a power of two, for lengths with large primes
  std::vector<Complex> chirp_, kernel_;
};

extern template class Fourier<double>;
extern template class Fourier<long double>;

}  // namespace gpulab::cufft
