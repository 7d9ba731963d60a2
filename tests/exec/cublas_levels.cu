// cuBLAS's levels 1 to 3 against loops in double, in S, D, C and Z, over odd, small and empty shapes, with leading dimensions and
// increments that are larger than they need be, and with NaN where nothing may be read.
// long
// build: -lcublas
// case: --sanitize memcheck,initcheck,streamcheck :: 0
// out: (?m)^0 wrong of [1-9][0-9]{3}$
#include <cublas_v2.h>

#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

using Z = std::complex<double>;
using C = std::complex<float>;
using std::vector;

static std::mt19937 numbers(7);
static cublasHandle_t handle;
static int checked, wrong;

template <typename T> struct Of;
template <> struct Of<float> { using Cuda = float; static constexpr double eps = 6e-8; static constexpr bool complex = false; };
template <> struct Of<double> { using Cuda = double; static constexpr double eps = 1.2e-16; static constexpr bool complex = false; };
template <> struct Of<C> { using Cuda = cuComplex; static constexpr double eps = 6e-8; static constexpr bool complex = true; };
template <> struct Of<Z> { using Cuda = cuDoubleComplex; static constexpr double eps = 1.2e-16; static constexpr bool complex = true; };

static float random_of(float) { return std::uniform_real_distribution<float>(-1, 1)(numbers); }
static double random_of(double) { return std::uniform_real_distribution<double>(-1, 1)(numbers); }
template <typename R> std::complex<R> random_of(std::complex<R>) { const R a = random_of(R()), b = random_of(R()); return {a, b}; }
static double wide(float x) { return x; }
static double wide(double x) { return x; }
static Z wide(C x) { return Z(x.real(), x.imag()); }
static Z wide(Z x) { return x; }
static double conj_of(double x) { return x; }
static Z conj_of(Z x) { return std::conj(x); }
template <typename T> using Wide = decltype(wide(T()));

/// Numbers of the device's and what they are on the host.
template <typename T>
struct Array {
  vector<T> host;
  T* device = nullptr;
  explicit Array(size_t count) : host(count) {
    for (T& one : host) one = random_of(T());
    cudaMalloc(&device, std::max<size_t>(count, 1) * sizeof(T));
    put();
  }
  ~Array() { cudaFree(device); }
  void put() { if (!host.empty()) cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
  vector<T> get() const {
    vector<T> now(host.size());
    if (!now.empty()) cudaMemcpy(now.data(), device, now.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return now;
  }
  auto* cuda() const { return reinterpret_cast<typename Of<T>::Cuda*>(device); }
};
template <typename T> auto* cuda(const T* p) { return reinterpret_cast<const typename Of<T>::Cuda*>(p); }

/// `got` lies within `terms` roundings of what was expected.
template <typename T>
void expect(const char* what, const vector<T>& got, const vector<Wide<T>>& expected, double terms) {
  ++checked;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::abs(Wide<T>(wide(got[i])) - expected[i]);
    if (error <= Of<T>::eps * terms * (1 + std::abs(expected[i]))) continue;
    if (wrong++ < 10) std::printf("%s<%zu>: [%zu] is off by %g\n", what, sizeof(T), i, error);
    return;
  }
}
static void ok(const char* what, cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS && wrong++ < 10) std::printf("%s: status %d\n", what, status);
}
template <typename T> vector<Wide<T>> widened(const vector<T>& from) {
  vector<Wide<T>> to;
  for (const T& one : from) to.push_back(wide(one));
  return to;
}

#define CALL(name) [](auto... a) { return cublasS##name(a...); }, [](auto... a) { return cublasD##name(a...); }, \
                   [](auto... a) { return cublasC##name(a...); }, [](auto... a) { return cublasZ##name(a...); }
template <typename T, typename S, typename D, typename CC, typename ZZ, typename... A>
cublasStatus_t pick(S s, D d, CC c, ZZ z, A... a) {
  if constexpr (std::is_same_v<T, float>) return s(a...);
  else if constexpr (std::is_same_v<T, double>) return d(a...);
  else if constexpr (std::is_same_v<T, C>) return c(a...);
  else return z(a...);
}
#define BLAS(name, ...) ok(#name, pick<T>(CALL(name), handle, __VA_ARGS__))

using Ops = cublasOperation_t;
static const Ops ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};

/// Element (i, j) of op of a matrix.
template <typename W> W element(const vector<W>& a, int ld, Ops op, int i, int j) {
  const W one = op == CUBLAS_OP_N ? a[size_t(j) * ld + i] : a[size_t(i) * ld + j];
  return op == CUBLAS_OP_C ? conj_of(one) : one;
}

template <typename T> void products() {
  using W = Wide<T>;
  const T alpha = random_of(T()), beta = random_of(T()), zero = 0;
  for (const auto& [m, n, k] : std::vector<std::array<int, 3>>{{1, 1, 1}, {5, 3, 7}, {0, 4, 2}, {4, 0, 3}, {3, 2, 0}, {33, 17, 65}, {8, 6, 1}, {1, 13, 300}})
    for (Ops a_op : ops)
      for (Ops b_op : ops)
        for (const bool fresh : {false, true}) {
          const int lda = (a_op == CUBLAS_OP_N ? m : k) + 2, ldb = (b_op == CUBLAS_OP_N ? k : n) + 1, ldc = m + 3;
          Array<T> a(size_t(lda) * (a_op == CUBLAS_OP_N ? k : m)), b(size_t(ldb) * (b_op == CUBLAS_OP_N ? n : k)), c(size_t(ldc) * n);
          if (fresh) for (T& one : c.host) one = T(NAN);
          c.put();
          BLAS(gemm, a_op, b_op, m, n, k, cuda(&alpha), a.cuda(), lda, b.cuda(), ldb, cuda(fresh ? &zero : &beta), c.cuda(), ldc);
          const auto x = widened(a.host), y = widened(b.host);
          auto expected = widened(c.host), got = widened(c.get());
          vector<T> results;
          vector<W> answers;
          const auto now = c.get();
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
              W sum = 0;
              for (int l = 0; l < k; ++l) sum += element(x, lda, a_op, i, l) * element(y, ldb, b_op, l, j);
              results.push_back(now[size_t(j) * ldc + i]);
              answers.push_back(W(wide(alpha)) * sum + (fresh ? W(0) : W(wide(beta)) * expected[size_t(j) * ldc + i]));
            }
          expect("gemm", results, answers, 2 + k);
        }
}

/// The whole matrix that a triangle stands for, and the triangle with what it may not read made NaN.
template <typename T> vector<Wide<T>> whole(Array<T>& a, int n, int ld, cublasFillMode_t fill, bool hermitian) {
  vector<Wide<T>> all(size_t(ld) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
      Wide<T> one = wide(stored ? a.host[size_t(j) * ld + i] : a.host[size_t(i) * ld + j]);
      if (hermitian && i == j) one = std::real(one);
      if (hermitian && !stored) one = conj_of(one);
      all[size_t(j) * ld + i] = one;
    }
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) a.host[size_t(j) * ld + i] = T(NAN);
  a.put();
  return all;
}

template <typename T> void symmetric() {
  using W = Wide<T>;
  const T alpha = random_of(T()), beta = random_of(T());
  for (const auto& [m, n] : std::vector<std::array<int, 2>>{{1, 1}, {7, 4}, {20, 51}})
    for (auto fill : fills)
      for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
        for (const bool hermitian : {false, true}) {
          if (hermitian && !Of<T>::complex) continue;
          const int size = side == CUBLAS_SIDE_LEFT ? m : n, lda = size + 1, ldb = m + 2, ldc = m + 1;
          Array<T> a(size_t(lda) * size), b(size_t(ldb) * n), c(size_t(ldc) * n);
          const auto full = whole(a, size, lda, fill, hermitian);
          if constexpr (Of<T>::complex) {
            if (hermitian) ok("hemm", pick<T>(0, 0, [](auto... x) { return cublasChemm(x...); }, [](auto... x) { return cublasZhemm(x...); },
                 handle, side, fill, m, n, cuda(&alpha), a.cuda(), lda, b.cuda(), ldb, cuda(&beta), c.cuda(), ldc));
          }
          if (!hermitian) BLAS(symm, side, fill, m, n, cuda(&alpha), a.cuda(), lda, b.cuda(), ldb, cuda(&beta), c.cuda(), ldc);
          const auto y = widened(b.host);
          auto expected = widened(c.host);
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i) {
              W sum = 0;
              for (int l = 0; l < size; ++l)
                sum += side == CUBLAS_SIDE_LEFT ? full[size_t(l) * lda + i] * y[size_t(j) * ldb + l] : y[size_t(l) * ldb + i] * full[size_t(j) * lda + l];
              auto& one = expected[size_t(j) * ldc + i];
              one = W(wide(alpha)) * sum + W(wide(beta)) * one;
            }
          expect(hermitian ? "hemm" : "symm", c.get(), expected, 4 + size);
        }
}

template <typename T> void rank_k() {
  using W = Wide<T>;
  using R = decltype(std::real(T()));
  const T alpha = random_of(T()), beta = random_of(T());
  const R real_alpha = random_of(R()), real_beta = random_of(R());
  for (const auto& [n, k] : std::vector<std::array<int, 2>>{{1, 1}, {6, 9}, {35, 4}, {5, 0}})
    for (auto fill : fills)
      for (const bool plain : {true, false})
        for (int kind = 0; kind < (Of<T>::complex ? 4 : 2); ++kind) {
          const bool two = kind % 2 == 1, hermitian = kind >= 2;
          const Ops op = plain ? CUBLAS_OP_N : hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
          const int rows = plain ? n : k, lda = rows + 1, ldc = n + 2;
          Array<T> a(size_t(lda) * (plain ? k : n)), b(size_t(lda) * (plain ? k : n)), c(size_t(ldc) * n);
          auto expected = widened(c.host);
          if (!hermitian && !two) BLAS(syrk, fill, op, n, k, cuda(&alpha), a.cuda(), lda, cuda(&beta), c.cuda(), ldc);
          if (!hermitian && two) BLAS(syr2k, fill, op, n, k, cuda(&alpha), a.cuda(), lda, b.cuda(), lda, cuda(&beta), c.cuda(), ldc);
          if constexpr (Of<T>::complex) {
            if (hermitian && !two) ok("herk", pick<T>(0, 0, [](auto... x) { return cublasCherk(x...); }, [](auto... x) { return cublasZherk(x...); },
                 handle, fill, op, n, k, &real_alpha, a.cuda(), lda, &real_beta, c.cuda(), ldc));
            if (hermitian && two) ok("her2k", pick<T>(0, 0, [](auto... x) { return cublasCher2k(x...); }, [](auto... x) { return cublasZher2k(x...); },
                 handle, fill, op, n, k, cuda(&alpha), a.cuda(), lda, b.cuda(), lda, &real_beta, c.cuda(), ldc));
          }
          const auto x = widened(a.host), y = widened(b.host);
          const W by = hermitian && !two ? W(real_alpha) : W(wide(alpha)), kept = hermitian ? W(real_beta) : W(wide(beta));
          const auto pair = [&](const vector<W>& p, const vector<W>& q, int i, int j) {
            W sum = 0;
            for (int l = 0; l < k; ++l) {
              const W left = plain ? p[size_t(l) * lda + i] : p[size_t(i) * lda + l], right = plain ? q[size_t(l) * lda + j] : q[size_t(j) * lda + l];
              sum += hermitian ? (plain ? left * conj_of(right) : conj_of(left) * right) : left * right;
            }
            return sum;
          };
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
              if (fill == CUBLAS_FILL_MODE_LOWER ? i < j : i > j) continue;
              auto& one = expected[size_t(j) * ldc + i];
              if (k == 0 && kept == W(1)) continue;
              W sum = by * pair(x, two ? y : x, i, j);
              if (two) sum += (hermitian ? conj_of(by) : by) * pair(y, x, i, j);
              one = sum + kept * one;
              if (hermitian && i == j) one = std::real(one);
            }
          expect(hermitian ? "herk" : "syrk", c.get(), expected, 8 + 2 * k);
        }
}

/// Triangles: B becomes op(A) B, then what op(A) makes of that, which is B again.
template <typename T> void triangles() {
  using W = Wide<T>;
  const T one_of = 1, alpha = random_of(T());
  for (const auto& [m, n] : std::vector<std::array<int, 2>>{{1, 1}, {5, 3}, {60, 49}, {3, 101}})
    for (auto fill : fills)
      for (Ops op : ops)
        for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
          for (auto diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int size = left ? m : n, lda = size + 1, ldb = m + 1, ldc = m + 2;
            Array<T> a(size_t(lda) * size), b(size_t(ldb) * n), c(size_t(ldc) * n);
            vector<W> full(size_t(lda) * size);
            for (int j = 0; j < size; ++j)
              for (int i = 0; i < size; ++i) {
                T& entry = a.host[size_t(j) * lda + i];
                const bool stored = fill == CUBLAS_FILL_MODE_LOWER ? i >= j : i <= j;
                entry *= T(0.5) / T(decltype(std::real(T()))(size));
                if (i == j) entry += T(1);
                if (!stored || (diag == CUBLAS_DIAG_UNIT && i == j)) entry = T(NAN);
                full[size_t(j) * lda + i] = stored ? (diag == CUBLAS_DIAG_UNIT && i == j ? W(1) : W(wide(entry))) : W(0);
              }
            a.put();
            BLAS(trmm, side, fill, op, diag, m, n, cuda(&alpha), a.cuda(), lda, b.cuda(), ldb, c.cuda(), ldc);
            const auto y = widened(b.host);
            auto expected = widened(c.host);
            for (int j = 0; j < n; ++j)
              for (int i = 0; i < m; ++i) {
                W sum = 0;
                for (int l = 0; l < size; ++l)
                  sum += left ? element(full, lda, op, i, l) * y[size_t(j) * ldb + l] : y[size_t(l) * ldb + i] * element(full, lda, op, l, j);
                expected[size_t(j) * ldc + i] = W(wide(alpha)) * sum;
              }
            expect("trmm", c.get(), expected, 4 + size);
            BLAS(trsm, side, fill, op, diag, m, n, cuda(&one_of), a.cuda(), lda, c.cuda(), ldc);
            for (int j = 0; j < n; ++j)
              for (int i = 0; i < m; ++i) expected[size_t(j) * ldc + i] = W(wide(alpha)) * y[size_t(j) * ldb + i];
            expect("trsm", c.get(), expected, 10 + 8 * size);
          }
}

/// Elements of a vector whose increment may be negative.
template <typename W> W& at(vector<W>& x, int n, int inc, int i) { return x[size_t(inc > 0 ? i * inc : (i - n + 1) * inc)]; }

template <typename T> void level2() {
  using W = Wide<T>;
  const T alpha = random_of(T()), beta = random_of(T());
  for (const auto& [m, n, incx, incy] : std::vector<std::array<int, 4>>{{1, 1, 1, 1}, {6, 9, 1, 2}, {9, 6, -2, 1}, {40, 33, 3, -1}})
    for (Ops op : ops) {
      const int nx = op == CUBLAS_OP_N ? n : m, ny = op == CUBLAS_OP_N ? m : n, lda = m + 2, kl = 2, ku = 1;
      Array<T> a(size_t(lda) * n), band(size_t(kl + ku + 2) * n), x(size_t(nx) * std::abs(incx)), y(size_t(ny) * std::abs(incy)), z(size_t(ny) * std::abs(incy));
      BLAS(gemv, op, m, n, cuda(&alpha), a.cuda(), lda, x.cuda(), incx, cuda(&beta), y.cuda(), incy);
      BLAS(gbmv, op, m, n, kl, ku, cuda(&alpha), band.cuda(), kl + ku + 2, x.cuda(), incx, cuda(&beta), z.cuda(), incy);
      auto wx = widened(x.host), wy = widened(y.host), wz = widened(z.host), full = widened(a.host), stored = widened(band.host);
      vector<W> of_band(size_t(lda) * n);
      for (int j = 0; j < n; ++j)
        for (int i = std::max(0, j - ku); i < std::min(m, j + kl + 1); ++i) of_band[size_t(j) * lda + i] = stored[size_t(j) * (kl + ku + 2) + ku + i - j];
      for (int i = 0; i < ny; ++i) {
        W sum = 0, of_z = 0;
        for (int l = 0; l < nx; ++l) {
          sum += element(full, lda, op, i, l) * at(wx, nx, incx, l);
          of_z += element(of_band, lda, op, i, l) * at(wx, nx, incx, l);
        }
        at(wy, ny, incy, i) = W(wide(alpha)) * sum + W(wide(beta)) * at(wy, ny, incy, i);
        at(wz, ny, incy, i) = W(wide(alpha)) * of_z + W(wide(beta)) * at(wz, ny, incy, i);
      }
      expect("gemv", y.get(), wy, 4 + nx);
      expect("gbmv", z.get(), wz, 4 + nx);
    }
  for (const int n : {1, 2, 7, 40})
    for (auto fill : fills) {
      const int lda = n + 1, k = 2, ldk = k + 2;
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      Array<T> a(size_t(lda) * n), x(n), y(n), packed(size_t(n) * (n + 1) / 2), band(size_t(ldk) * n);
      const auto full = whole(a, n, lda, fill, false);
      auto wx = widened(x.host), wy = widened(y.host);
      // The three forms of one triangle; of the band what lies near the diagonal.
      size_t p = 0;
      for (int j = 0; j < n; ++j)
        for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) {
          packed.host[p++] = a.host[size_t(j) * lda + i];
          if (std::abs(i - j) <= k) band.host[size_t(j) * ldk + (lower ? i - j : k + i - j)] = a.host[size_t(j) * lda + i];
        }
      packed.put(), band.put();
      const auto product = [&](int reach) {
        vector<W> sums(n);
        for (int i = 0; i < n; ++i) {
          W sum = 0;
          for (int l = 0; l < n; ++l) if (std::abs(i - l) <= reach) sum += full[size_t(l) * lda + i] * wx[l];
          sums[i] = W(wide(alpha)) * sum + W(wide(beta)) * wy[i];
        }
        return sums;
      };
      BLAS(symv, fill, n, cuda(&alpha), a.cuda(), lda, x.cuda(), 1, cuda(&beta), y.cuda(), 1);
      expect("symv", y.get(), product(n), 4 + n);
      if constexpr (!Of<T>::complex) {
        y.put();
        ok("spmv", pick<T>([](auto... v) { return cublasSspmv(v...); }, [](auto... v) { return cublasDspmv(v...); }, 0, 0, handle, fill, n, &alpha, packed.cuda(), x.cuda(), 1, &beta, y.cuda(), 1));
        expect("spmv", y.get(), product(n), 4 + n);
        y.put();
        ok("sbmv", pick<T>([](auto... v) { return cublasSsbmv(v...); }, [](auto... v) { return cublasDsbmv(v...); }, 0, 0, handle, fill, n, k, &alpha, band.cuda(), ldk, x.cuda(), 1, &beta, y.cuda(), 1));
        expect("sbmv", y.get(), product(k), 4 + n);
      }
      for (Ops op : ops) {  // a product, and what gives the vector back
        for (int j = 0; j < n; ++j) a.host[size_t(j) * lda + j] = T(3);
        a.put();
        p = 0;
        for (int j = 0; j < n; ++j) {
          for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) packed.host[p++] = a.host[size_t(j) * lda + i];
          band.host[size_t(j) * ldk + (lower ? 0 : k)] = T(3);
        }
        packed.put(), band.put(), x.put();
        vector<W> triangle(size_t(lda) * n), near(size_t(lda) * n), sums(n), near_sums(n);
        for (int j = 0; j < n; ++j)
          for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) {
            triangle[size_t(j) * lda + i] = wide(a.host[size_t(j) * lda + i]);
            if (std::abs(i - j) <= k) near[size_t(j) * lda + i] = triangle[size_t(j) * lda + i];
          }
        for (int i = 0; i < n; ++i)
          for (int l = 0; l < n; ++l) sums[i] += element(triangle, lda, op, i, l) * wx[l], near_sums[i] += element(near, lda, op, i, l) * wx[l];
        const auto none = CUBLAS_DIAG_NON_UNIT;
        BLAS(trmv, fill, op, none, n, a.cuda(), lda, x.cuda(), 1);
        expect("trmv", x.get(), sums, 4 + n);
        x.put();
        BLAS(tpmv, fill, op, none, n, packed.cuda(), x.cuda(), 1);
        expect("tpmv", x.get(), sums, 4 + n);
        x.put();
        BLAS(tbmv, fill, op, none, n, k, band.cuda(), ldk, x.cuda(), 1);
        expect("tbmv", x.get(), near_sums, 4 + n);
        BLAS(tbsv, fill, op, none, n, k, band.cuda(), ldk, x.cuda(), 1);
        expect("tbsv", x.get(), wx, 100 + 10 * n);
      }
    }
}

template <typename T> void solves_and_updates() {
  using W = Wide<T>;
  const T alpha = random_of(T());
  for (const int n : {1, 3, 20})
    for (auto fill : fills) {
      const bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      Array<T> a(size_t(n) * n), packed(size_t(n) * (n + 1) / 2), x(n), y(n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a.host[size_t(j) * n + i] = i == j ? T(2) : a.host[size_t(j) * n + i] * T(0.1f);
      a.put();
      size_t p = 0;
      for (int j = 0; j < n; ++j) for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) packed.host[p++] = a.host[size_t(j) * n + i];
      packed.put();
      const auto wx = widened(x.host), wy = widened(y.host);
      for (Ops op : ops) {
        x.put();
        BLAS(trmv, fill, op, CUBLAS_DIAG_NON_UNIT, n, a.cuda(), n, x.cuda(), 1);
        BLAS(trsv, fill, op, CUBLAS_DIAG_NON_UNIT, n, a.cuda(), n, x.cuda(), 1);
        expect("trsv", x.get(), wx, 20 + 10 * n);
        BLAS(tpmv, fill, op, CUBLAS_DIAG_UNIT, n, packed.cuda(), x.cuda(), 1);
        BLAS(tpsv, fill, op, CUBLAS_DIAG_UNIT, n, packed.cuda(), x.cuda(), 1);
        expect("tpsv", x.get(), wx, 40 + 20 * n);
      }
      x.put();
      auto expected = widened(a.host);
      for (int j = 0; j < n; ++j)
        for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i) expected[size_t(j) * n + i] += W(wide(alpha)) * (wx[i] * wy[j] + wy[i] * wx[j]);
      BLAS(syr2, fill, n, cuda(&alpha), x.cuda(), 1, y.cuda(), 1, a.cuda(), n);
      expect("syr2", a.get(), expected, 8);
      a.put();
      expected = widened(a.host);
      for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) expected[size_t(j) * n + i] += W(wide(alpha)) * wx[i] * wy[j];
      if constexpr (Of<T>::complex)
        ok("geru", pick<T>(0, 0, [](auto... v) { return cublasCgeru(v...); }, [](auto... v) { return cublasZgeru(v...); }, handle, n, n, cuda(&alpha), x.cuda(), 1, y.cuda(), 1, a.cuda(), n));
      else
        ok("ger", pick<T>([](auto... v) { return cublasSger(v...); }, [](auto... v) { return cublasDger(v...); }, 0, 0, handle, n, n, &alpha, x.cuda(), 1, y.cuda(), 1, a.cuda(), n));
      expect("ger", a.get(), expected, 8);
    }
}

template <typename T> void all() {
  products<T>();
  symmetric<T>();
  rank_k<T>();
  triangles<T>();
  level2<T>();
  solves_and_updates<T>();
}

int main() {
  cublasCreate(&handle);
  all<float>();
  all<double>();
  all<C>();
  all<Z>();
  cublasDestroy(handle);
  std::printf("%d wrong of %d\n", wrong, checked);
}
