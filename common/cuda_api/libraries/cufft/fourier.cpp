#include "common/cuda_api/libraries/cufft/fourier.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace gpulab::cufft {
namespace {

constexpr std::int64_t kLargestPrime = 61;  ///< whose sums are made one by one

/// exp(-2 pi i j / n), by an angle of an eighth of a turn at most.
template <typename R>
std::complex<R> root_of_unity(std::int64_t j, std::int64_t n) {
  const std::int64_t eighth = 8 * (j % n) / n;
  const auto turn = [&](std::int64_t numerator, std::int64_t denominator) {
    return 2 * std::numbers::pi_v<long double> * static_cast<long double>(numerator) /
           static_cast<long double>(denominator);
  };
  const std::int64_t k = j % n, quarter = (eighth + 1) / 2 % 4;  // nearest multiple of a quarter turn
  const long double rest = turn(4 * k - (eighth + 1) / 2 * n, 4 * n);
  const auto c = static_cast<R>(std::cos(rest)), s = static_cast<R>(std::sin(rest));
  switch (quarter) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

}  // namespace

template <typename R>
Fourier<R>::Fourier(std::int64_t n) : n_(n), roots_(static_cast<std::size_t>(n)), copy_(static_cast<std::size_t>(n)) {
  std::int64_t rest = n;
  for (; rest % 4 == 0; rest /= 4) factors_.push_back(4);
  for (std::int64_t p = 2; p <= kLargestPrime; ++p)
    for (; rest % p == 0; rest /= p) factors_.push_back(p);
  if (rest == 1) {
    for (std::int64_t j = 0; j < n; ++j) roots_[static_cast<std::size_t>(j)] = root_of_unity<R>(j, n);
    parts_.resize(static_cast<std::size_t>(kLargestPrime + 1));
    return;
  }
  // A product of chirps: j k = (j^2 + k^2 - (k - j)^2) / 2.
  const auto size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(2 * n - 1)));
  longer_ = std::make_unique<Fourier>(size);
  chirp_.resize(static_cast<std::size_t>(n));
  kernel_.assign(static_cast<std::size_t>(size), 0);
  for (std::int64_t j = 0; j < n; ++j) {
    const auto square = static_cast<std::int64_t>(static_cast<__int128>(j) * j % (2 * n));
    chirp_[static_cast<std::size_t>(j)] = root_of_unity<R>(square, 2 * n);
    kernel_[static_cast<std::size_t>(j)] = kernel_[static_cast<std::size_t>((size - j) % size)] =
        std::conj(chirp_[static_cast<std::size_t>(j)]);
  }
  longer_->transform(kernel_.data(), -1);
}

template <typename R>
Fourier<R>::Fourier(Fourier&&) noexcept = default;
template <typename R>
Fourier<R>::~Fourier() = default;

template <typename R>
void Fourier<R>::combine(Complex* out, std::int64_t n, std::int64_t p, int sign) {
  const std::int64_t m = n / p, step = n_ / n;
  const R turned = sign < 0 ? 1 : -1;
  for (std::int64_t k = 0; k < m; ++k) {
    Complex* const t = parts_.data();
    for (std::int64_t q = 0; q < p; ++q) t[q] = q == 0 ? out[k] : out[q * m + k] * root(q * k * step, sign);
    if (p == 2) {
      out[k] = t[0] + t[1];
      out[m + k] = t[0] - t[1];
    } else if (p == 4) {
      const Complex a = t[0] + t[2], b = t[0] - t[2], c = t[1] + t[3], d = t[1] - t[3];
      const Complex e(turned * d.imag(), -turned * d.real());
      out[k] = a + c;
      out[m + k] = b + e;
      out[2 * m + k] = a - c;
      out[3 * m + k] = b - e;
    } else {
      for (std::int64_t r = 0; r < p; ++r) {
        Complex sum = t[0];
        for (std::int64_t q = 1; q < p; ++q) sum += t[q] * root(q * r % p * (n_ / p), sign);
        out[r * m + k] = sum;
      }
    }
  }
}

template <typename R>
void Fourier<R>::recurse(const Complex* in, std::int64_t stride, Complex* out, std::int64_t n, std::size_t factor,
                         int sign) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const std::int64_t p = factors_[factor], m = n / p;
  for (std::int64_t q = 0; q < p; ++q) recurse(in + q * stride, stride * p, out + q * m, m, factor + 1, sign);
  combine(out, n, p, sign);
}

template <typename R>
void Fourier<R>::bluestein(Complex* line, int sign) {
  const auto size = static_cast<std::int64_t>(kernel_.size());
  std::vector<Complex> work(kernel_.size());
  // The inverse is the forward transform of the conjugate, conjugated.
  const auto flip = [&](Complex x) { return sign < 0 ? x : std::conj(x); };
  for (std::int64_t j = 0; j < n_; ++j)
    work[static_cast<std::size_t>(j)] = flip(line[j]) * chirp_[static_cast<std::size_t>(j)];
  longer_->transform(work.data(), -1);
  for (std::size_t i = 0; i < work.size(); ++i) work[i] *= kernel_[i];
  longer_->transform(work.data(), 1);
  for (std::int64_t k = 0; k < n_; ++k)
    line[k] = flip(work[static_cast<std::size_t>(k)] / static_cast<R>(size) * chirp_[static_cast<std::size_t>(k)]);
}

template <typename R>
void Fourier<R>::transform(Complex* line, int sign) {
  if (longer_) return bluestein(line, sign);
  copy_.assign(line, line + n_);
  recurse(copy_.data(), 1, line, n_, 0, sign);
}

template class Fourier<double>;
template class Fourier<long double>;

}  // namespace gpulab::cufft
