// cuFFT against sums in double: one to three dimensions, odd and prime sizes, batches, strides, in place, all six types.
// build: -lcufft
// case: --sanitize memcheck,initcheck :: 0
// out: (?m)^0 wrong of \d\d
// out: (?m)^in place 0 strided 0
// out: (?m)^errors 8 1 3
// out: (?m)^an empty dimension 0 0, nothing written 1
// out: (?m)^halves: half a unit at most, 3 of 3; a length of 12: 16; floats in a plan of halves: 3; types that differ: 3
// err: cufftExecC2C 5 x 7
// case: -- small :: 4
// err: out-of-bounds read of 512 bytes at 0x[0-9a-f]+ by cufftExecC2C \(64\): its 'idata' goes 256 bytes beyond the end of 'cudaMalloc #1', which has 256
#include <cuda_fp16.h>
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Z = std::complex<double>;
static const double kPi = std::acos(-1.0);

template <typename T> T* room(size_t count) { T* p; cudaMalloc(&p, count * sizeof(T)); return p; }
template <typename T> T* on_device(const std::vector<T>& host) {
  T* p = room<T>(host.size());
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <typename T> std::vector<T> from_device(const T* p, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

/// The sums themselves.
static std::vector<Z> slow(const std::vector<Z>& x, int a, int b, int c, int sign) {
  std::vector<Z> now = x;
  const int n[3] = {a, b, c}, apart[3] = {b * c, c, 1};
  for (int d = 0; d < 3; ++d) {
    std::vector<Z> next(now.size());
    for (size_t i = 0; i < now.size(); ++i) {
      const int k = int(i) / apart[d] % n[d];
      const size_t base = i - size_t(k) * apart[d];
      for (int j = 0; j < n[d]; ++j) next[i] += now[base + size_t(j) * apart[d]] * std::polar(1.0, sign * 2 * kPi * (long(j) * k % n[d]) / n[d]);
    }
    now = next;
  }
  return now;
}

static int wrong, checked;
template <typename A>
void expect(const std::vector<std::complex<A>>& got, const std::vector<Z>& expected, double tolerance) {
  ++checked;
  for (size_t i = 0; i < got.size(); ++i)
    if (std::abs(Z(got[i].real(), got[i].imag()) - expected[i]) > tolerance * std::sqrt(double(expected.size()))) { ++wrong; return; }
}

template <typename A>
void all(cufftType complex_type, cufftType forward_type, cufftType back_type) {
  constexpr bool wide = sizeof(A) == 8;
  const double tolerance = wide ? 1e-13 : 1e-6;
  for (auto& n : std::vector<std::vector<int>>{{1}, {2}, {16}, {15}, {61}, {67}, {211}, {360}, {1009}, {4, 6}, {5, 7}, {3, 4, 5}, {2, 67, 3}}) {
    const int a = n.size() == 3 ? n[0] : 1, b = n.size() == 3 ? n[1] : n.size() == 2 ? n[0] : 1, c = n.back();
    const size_t points = size_t(a) * b * c, half = size_t(a) * b * (c / 2 + 1);
    std::vector<std::complex<A>> x(points);
    for (size_t i = 0; i < points; ++i) x[i] = {A(std::sin(1.7 * i + 1)), A(std::cos(2.3 * i))};
    std::vector<Z> wide_x(x.begin(), x.end());
    cufftHandle plan;
    if (n.size() == 1) cufftPlan1d(&plan, c, complex_type, 1);
    if (n.size() == 2) cufftPlan2d(&plan, b, c, complex_type);
    if (n.size() == 3) cufftPlan3d(&plan, a, b, c, complex_type);
    auto* dx = on_device(x);
    auto* dy = room<std::complex<A>>(points);
    for (const int sign : {-1, 1}) {
      if constexpr (wide) cufftExecZ2Z(plan, (cufftDoubleComplex*)dx, (cufftDoubleComplex*)dy, sign);
      else cufftExecC2C(plan, (cufftComplex*)dx, (cufftComplex*)dy, sign);
      expect(from_device(dy, points), slow(wide_x, a, b, c, sign), tolerance);
    }
    cufftDestroy(plan);
    // Real numbers there and back.
    std::vector<A> r(points);
    std::vector<Z> wide_r(points);
    for (size_t i = 0; i < points; ++i) wide_r[i] = r[i] = A(std::sin(0.9 * i + 2));
    auto* dr = on_device(r);
    auto* ds = room<std::complex<A>>(half);
    cufftHandle there, back;
    int sizes[3] = {n[0], n.size() > 1 ? n[1] : 1, n.size() > 2 ? n[2] : 1};
    cufftPlanMany(&there, int(n.size()), sizes, nullptr, 1, 0, nullptr, 1, 0, forward_type, 1);
    cufftPlanMany(&back, int(n.size()), sizes, nullptr, 1, 0, nullptr, 1, 0, back_type, 1);
    if constexpr (wide) cufftExecD2Z(there, dr, (cufftDoubleComplex*)ds);
    else cufftExecR2C(there, dr, (cufftComplex*)ds);
    const auto full = slow(wide_r, a, b, c, -1);
    std::vector<Z> upper;
    for (int line = 0; line < a * b; ++line) for (int k = 0; k <= c / 2; ++k) upper.push_back(full[size_t(line) * c + k]);
    expect(from_device(ds, half), upper, tolerance);
    if constexpr (wide) cufftExecZ2D(back, (cufftDoubleComplex*)ds, dr);
    else cufftExecC2R(back, (cufftComplex*)ds, dr);
    const auto again = from_device(dr, points);
    ++checked;
    for (size_t i = 0; i < points; ++i) if (std::fabs(again[i] / points - r[i]) > 100 * tolerance) { ++wrong; break; }
    cufftDestroy(there), cufftDestroy(back);
    cudaFree(dx), cudaFree(dy), cudaFree(dr), cudaFree(ds);
  }
}

static void layouts() {
  const int n = 10, batch = 3;
  // In place: rows of reals have room for their spectrum.
  std::vector<float> rows(batch * 12, 0.0f);
  for (int b = 0; b < batch; ++b) for (int i = 0; i < n; ++i) rows[b * 12 + i] = float(i * (b + 1) % 7);
  float* device = on_device(rows);
  cufftHandle plan;
  cufftPlan1d(&plan, n, CUFFT_R2C, batch);
  cufftExecR2C(plan, device, (cufftComplex*)device);
  const auto spectra = from_device((std::complex<float>*)device, batch * 6);
  int of_place = 0, of_stride = 0;
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < 6; ++k) {
      Z sum = 0;
      for (int i = 0; i < n; ++i) sum += double(rows[b * 12 + i]) * std::polar(1.0, -2 * kPi * i * k / n);
      of_place += std::abs(sum - Z(spectra[b * 6 + k])) > 1e-4;
    }
  // Columns of a matrix: element i of column b at i * batch + b.
  std::vector<std::complex<float>> matrix(n * batch);
  for (int i = 0; i < n * batch; ++i) matrix[i] = {float(i % 5), float(i % 3)};
  auto* columns = on_device(matrix);
  int sizes[] = {n}, embed[] = {n};
  cufftPlanMany(&plan, 1, sizes, embed, batch, 1, embed, batch, 1, CUFFT_C2C, batch);
  cufftExecC2C(plan, (cufftComplex*)columns, (cufftComplex*)columns, CUFFT_FORWARD);
  const auto got = from_device(columns, n * batch);
  for (int b = 0; b < batch; ++b)
    for (int k = 0; k < n; ++k) {
      Z sum = 0;
      for (int i = 0; i < n; ++i) sum += Z(matrix[i * batch + b]) * std::polar(1.0, -2 * kPi * i * k / n);
      of_stride += std::abs(sum - Z(got[k * batch + b])) > 1e-4;
    }
  std::printf("in place %d strided %d\n", of_place, of_stride);
}

/// Half precision: C2C, R2C and C2R of 64 numbers, exact but for the rounding of the result; and what is refused.
static void halves() {
  const int n = 64;
  std::vector<Z> x(n);
  std::vector<__half2> complex(n), spectrum(n / 2 + 1);
  std::vector<__half> real(n);
  for (int i = 0; i < n; ++i) {
    real[i] = __float2half(std::sin(0.7f * i)), complex[i] = __halves2half2(real[i], __float2half(std::cos(1.3f * i)));
    x[i] = {__half2float(real[i]), __high2float(complex[i])};
  }
  const auto near = [](float got, double expected) { return std::fabs(got - expected) <= 0.5 * std::ldexp(1, std::ilogb(expected) - 10) * 1.001; };
  const auto made = [n](cudaDataType in, cudaDataType out, long long size, cufftHandle& plan) {
    size_t work = 0;
    cufftCreate(&plan);
    return cufftXtMakePlanMany(plan, 1, &size, nullptr, 1, n, in, nullptr, 1, n, out, 1, &work, CUDA_C_16F);
  };
  cufftHandle plan;
  int right = 0;
  made(CUDA_C_16F, CUDA_C_16F, n, plan);
  auto* device = on_device(complex);
  cufftXtExec(plan, device, device, CUFFT_FORWARD);
  auto expected = slow(x, 1, 1, n, -1);
  const auto got = from_device(device, n);
  int good = 0;
  for (int i = 0; i < n; ++i) good += near(__low2float(got[i]), expected[i].real()) && near(__high2float(got[i]), expected[i].imag());
  right += good == n;
  const int narrow = cufftExecC2C(plan, (cufftComplex*)device, (cufftComplex*)device, CUFFT_FORWARD);
  made(CUDA_R_16F, CUDA_C_16F, n, plan);
  auto* reals = on_device(real);
  auto* half = room<__half2>(n / 2 + 1);
  cufftXtExec(plan, reals, half, CUFFT_FORWARD);
  for (Z& one : x) one = one.real();
  expected = slow(x, 1, 1, n, -1);
  spectrum = from_device(half, n / 2 + 1);
  good = 0;
  for (int i = 1; i < n / 2; ++i) good += near(__low2float(spectrum[i]), expected[i].real()) && near(__high2float(spectrum[i]), expected[i].imag());
  right += good == n / 2 - 1;
  made(CUDA_C_16F, CUDA_R_16F, n, plan);
  cufftXtExec(plan, half, reals, CUFFT_INVERSE);
  const auto back = from_device(reals, n);
  good = 0;
  for (int i = 0; i < n; ++i) good += std::fabs(__half2float(back[i]) / n - __half2float(real[i])) < 0.002;
  right += good == n;
  const int odd = made(CUDA_C_16F, CUDA_C_16F, 12, plan), mixed = made(CUDA_C_32F, CUDA_C_16F, n, plan);
  std::printf("halves: half a unit at most, %d of 3; a length of 12: %d; floats in a plan of halves: %d; types that differ: %d\n", right, odd, narrow, mixed);
}

int main(int count, char**) {
  cufftHandle plan;
  if (count > 1) {
    cufftComplex* p = room<cufftComplex>(32);
    cufftPlan1d(&plan, 64, CUFFT_C2C, 1);
    cufftExecC2C(plan, p, p, CUFFT_FORWARD);
    return 0;
  }
  all<float>(CUFFT_C2C, CUFFT_R2C, CUFFT_C2R);
  all<double>(CUFFT_Z2Z, CUFFT_D2Z, CUFFT_Z2D);
  std::printf("%d wrong of %d\n", wrong, checked);
  layouts();
  halves();
  // 8 x 0: a plan that does nothing, as on an H100
  auto* untouched = on_device<cufftComplex>({{7, 7}});
  const auto empty = cufftPlan2d(&plan, 8, 0, CUFFT_C2C);
  const auto done = cufftExecC2C(plan, untouched, untouched, CUFFT_FORWARD);
  std::printf("an empty dimension %d %d, nothing written %d\n", empty, done, from_device(untouched, 1)[0].x == 7);
  const auto size = cufftPlan1d(&plan, -1, CUFFT_C2C, 1);
  const auto unknown = cufftExecC2C(99, nullptr, nullptr, CUFFT_FORWARD);
  cufftPlan1d(&plan, 8, CUFFT_R2C, 1);
  std::printf("errors %d %d %d\n", size, unknown, cufftExecC2C(plan, room<cufftComplex>(8), room<cufftComplex>(8), CUFFT_FORWARD));
}
