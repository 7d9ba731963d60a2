// cuSOLVER's dense factors and solves in S, D, C and Z: what they make is multiplied again, and solutions are put in.
// long
// build: -lcusolver -lcublas
// case: --sanitize memcheck,initcheck :: 0
// out: (?m)^0 wrong of \d\d
// out: not positive: info 3, singular: info 2, status 3, info -4
// err: cusolverDnSpotrf 60 x 60
#include <cusolverDn.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using C = std::complex<float>;
using Z = std::complex<double>;
static cusolverDnHandle_t handle;
static int wrong, checked;

template <typename T> struct Of { using Cuda = T; using Real = T; };
template <> struct Of<C> { using Cuda = cuComplex; using Real = float; };
template <> struct Of<Z> { using Cuda = cuDoubleComplex; using Real = double; };
static float conj_of(float x) { return x; }
static double conj_of(double x) { return x; }
static C conj_of(C x) { return std::conj(x); }
static Z conj_of(Z x) { return std::conj(x); }
template <typename T> T make(double a, double) { return T(a); }
template <> C make<C>(double a, double b) { return C(float(a), float(b)); }
template <> Z make<Z>(double a, double b) { return Z(a, b); }

template <typename T> T* on_device(const std::vector<T>& host) {
  T* p;
  cudaMalloc(&p, host.size() * sizeof(T));
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <typename T> std::vector<T> from_device(const T* p, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}
template <typename T> auto* cuda(T* p) { return reinterpret_cast<typename Of<T>::Cuda*>(p); }
static int* info;
static int info_now() { return from_device(info, 1)[0]; }

/// op(A) op(B), A m x k, B k x n.
template <typename T> std::vector<T> times(const std::vector<T>& a, bool ha, const std::vector<T>& b, bool hb, int m, int n, int k) {
  std::vector<T> c(size_t(m) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      T sum = 0;
      for (int l = 0; l < k; ++l) sum += (ha ? conj_of(a[size_t(i) * k + l]) : a[size_t(l) * m + i]) * (hb ? conj_of(b[size_t(l) * n + j]) : b[size_t(j) * k + l]);
      c[size_t(j) * m + i] = sum;
    }
  return c;
}
template <typename T> void expect(const char* what, const std::vector<T>& got, const std::vector<T>& expected) {
  const double tolerance = sizeof(typename Of<T>::Real) == 4 ? 2e-3 : 1e-10;
  ++checked;
  for (size_t i = 0; i < got.size(); ++i)
    if (!(std::abs(got[i] - expected[i]) < tolerance * (1 + std::abs(expected[i])))) {
      ++wrong;
      std::printf("%s<%zu> [%zu]: off by %g\n", what, sizeof(T), i, double(std::abs(got[i] - expected[i])));
      return;
    }
}

#define SOLVER(S, D, CC, ZZ, ...)                                                                                           \
  [&] {                                                                                                                     \
    if constexpr (std::is_same_v<T, float>) return cusolverDn##S(handle, __VA_ARGS__);                                      \
    else if constexpr (std::is_same_v<T, double>) return cusolverDn##D(handle, __VA_ARGS__);                                \
    else if constexpr (std::is_same_v<T, C>) return cusolverDn##CC(handle, __VA_ARGS__);                                    \
    else return cusolverDn##ZZ(handle, __VA_ARGS__);                                                                        \
  }()

template <typename T> void all(int n) {
  using R = typename Of<T>::Real;
  const int m = n + 7, wide = 3;
  std::vector<T> a(size_t(n) * n), tall(size_t(m) * n), b(size_t(n) * wide);
  for (size_t i = 0; i < a.size(); ++i) a[i] = make<T>(std::sin(1.3 * i * i + 1), std::cos(2.1 * i * i));  // of full rank
  for (size_t i = 0; i < tall.size(); ++i) tall[i] = make<T>(std::sin(0.7 * i + 2), std::cos(1.9 * i));
  for (size_t i = 0; i < b.size(); ++i) b[i] = make<T>(double(i % 7) - 3, double(i % 3));
  auto spd = times(a, true, a, false, n, n, n);  // Hermitian, positive
  for (int i = 0; i < n; ++i) spd[size_t(i) * n + i] += T(R(n));
  T* work = on_device(std::vector<T>(64));
  R* rwork = on_device(std::vector<R>(64));
  int* pivots = on_device(std::vector<int>(n));
  for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    T *da = on_device(spd), *db = on_device(b);
    SOLVER(Spotrf, Dpotrf, Cpotrf, Zpotrf, fill, n, cuda(da), n, cuda(work), 1, info);
    wrong += info_now() != 0;
    SOLVER(Spotrs, Dpotrs, Cpotrs, Zpotrs, fill, n, wide, cuda(da), n, cuda(db), n, info);
    expect("potrs", times(spd, false, from_device(db, b.size()), false, n, wide, n), b);
  }
  {
    T *da = on_device(a), *db = on_device(b);
    SOLVER(Sgetrf, Dgetrf, Cgetrf, Zgetrf, n, n, cuda(da), n, cuda(work), pivots, info);
    SOLVER(Sgetrs, Dgetrs, Cgetrs, Zgetrs, CUBLAS_OP_N, n, wide, cuda(da), n, pivots, cuda(db), n, info);
    expect("getrs", times(a, false, from_device(db, b.size()), false, n, wide, n), b);
    cudaMemcpy(db, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice);
    SOLVER(Sgetrs, Dgetrs, Cgetrs, Zgetrs, CUBLAS_OP_C, n, wide, cuda(da), n, pivots, cuda(db), n, info);
    expect("getrs C", times(a, true, from_device(db, b.size()), false, n, wide, n), b);
  }
  {
    T *da = on_device(tall), *tau = on_device(std::vector<T>(n));
    SOLVER(Sgeqrf, Dgeqrf, Cgeqrf, Zgeqrf, m, n, cuda(da), m, cuda(tau), cuda(work), 1, info);
    const auto factors = from_device(da, tall.size());
    std::vector<T> r(size_t(n) * n), unit(size_t(n) * n);
    for (int j = 0; j < n; ++j) {
      unit[size_t(j) * n + j] = T(1);
      for (int i = 0; i <= j; ++i) r[size_t(j) * n + i] = factors[size_t(j) * m + i];
    }
    SOLVER(Sorgqr, Dorgqr, Cungqr, Zungqr, m, n, n, cuda(da), m, cuda(tau), cuda(work), 1, info);
    const auto q = from_device(da, tall.size());
    expect("Q R", times(q, false, r, false, m, n, n), tall);
    expect("Q^H Q", times(q, true, q, false, n, n, m), unit);
    // Q^H A is R, with zeros below.
    T *df = on_device(factors), *dc = on_device(tall);
    SOLVER(Sormqr, Dormqr, Cunmqr, Zunmqr, CUBLAS_SIDE_LEFT, std::is_same_v<T, R> ? CUBLAS_OP_T : CUBLAS_OP_C, m, n, n, cuda(df), m, cuda(tau), cuda(dc), m, cuda(work), 1, info);
    std::vector<T> padded(tall.size());
    for (int j = 0; j < n; ++j) for (int i = 0; i <= j; ++i) padded[size_t(j) * m + i] = r[size_t(j) * n + i];
    expect("Q^H A", from_device(dc, tall.size()), padded);
  }
  {
    T* da = on_device(spd);
    R* w = on_device(std::vector<R>(n));
    SOLVER(Ssyevd, Dsyevd, Cheevd, Zheevd, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, n, cuda(da), n, w, cuda(work), 1, info);
    const auto v = from_device(da, spd.size());
    const auto values = from_device(w, n);
    auto scaled = v;
    for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) scaled[size_t(j) * n + i] *= values[j];
    expect("A V", times(spd, false, v, false, n, n, n), scaled);
    for (int i = 1; i < n; ++i) wrong += values[i - 1] > values[i];
  }
  {
    T *da = on_device(tall), *u = on_device(std::vector<T>(size_t(m) * m)), *vt = on_device(std::vector<T>(size_t(n) * n));
    R* s = on_device(std::vector<R>(n));
    SOLVER(Sgesvd, Dgesvd, Cgesvd, Zgesvd, 'A', 'A', m, n, cuda(da), m, s, cuda(u), m, cuda(vt), n, cuda(work), 1, rwork, info);
    const auto left = from_device(u, size_t(m) * m), right = from_device(vt, size_t(n) * n);
    const auto values = from_device(s, n);
    std::vector<T> scaled(left.begin(), left.begin() + size_t(m) * n), unit(size_t(m) * m);
    for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) scaled[size_t(j) * m + i] *= values[j];
    for (int i = 0; i < m; ++i) unit[size_t(i) * m + i] = T(1);
    expect("U S V^H", times(scaled, false, right, false, m, n, n), tall);
    expect("U^H U", times(left, true, left, false, m, m, m), unit);
    for (int i = 1; i < n; ++i) wrong += values[i - 1] < values[i];
    // The same with U, or V^H, over A.
    for (const bool over_u : {true, false}) {
      T* over = on_device(tall);
      SOLVER(Sgesvd, Dgesvd, Cgesvd, Zgesvd, over_u ? 'O' : 'N', over_u ? 'N' : 'O', m, n, cuda(over), m, s, cuda(u), m, cuda(vt), n, cuda(work), 1, rwork, info);
      const auto now = from_device(over, tall.size());
      std::vector<T> kept, expected;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < (over_u ? m : n); ++i) kept.push_back(now[size_t(j) * m + i]), expected.push_back(over_u ? left[size_t(j) * m + i] : right[size_t(j) * n + i]);
      expect(over_u ? "U over A" : "V over A", kept, expected);
    }
  }
}

int main() {
  cusolverDnCreate(&handle);
  info = on_device(std::vector<int>(1));
  for (const int n : {1, 5, 60}) {
    all<float>(n);
    all<double>(n);
    all<C>(n);
    all<Z>(n);
  }
  std::printf("%d wrong of %d\n", wrong, checked);
  double *a = on_device(std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, -1}), *work = on_device(std::vector<double>(8)), *b = on_device(std::vector<double>{1, 2, 2, 4});
  int* pivots = on_device(std::vector<int>(2));
  cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 3, a, 3, work, 8, info);
  std::printf("not positive: info %d, ", info_now());
  cusolverDnDgetrf(handle, 2, 2, b, 2, work, pivots, info);
  const int singular = info_now(), status = cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, 3, a, 2, work, 8, info);
  std::printf("singular: info %d, status %d, info %d\n", singular, status, info_now());
  cusolverDnDestroy(handle);
}
