// cuBLAS's level 2: full, banded, symmetric, packed and triangular matrices by a vector; solves; updates.
#include <cublas_v2.h>

#include <functional>

#include "blas.h"

struct Steps { int64_t x, y; };
constexpr Steps kSteps[] = {{1, 1}, {2, 3}, {-1, 1}, {1, -2}};

/// alpha op(A) x + beta y, where nothing of A and x counts if alpha is 0, nor of y if beta is.
template <typename W> vector<W> by_vector(const Dense<W>& a, W alpha, const vector<W>& x, W beta, const vector<W>& y) {
  vector<W> sum(y.size());
  for (int64_t j = 0; j < a.n && alpha != W(0); ++j) for (int64_t i = 0; i < a.m; ++i) sum[size_t(i)] += times(a(i, j), x[size_t(j)]);
  for (size_t i = 0; i < y.size(); ++i) sum[i] = (alpha == W(0) ? W(0) : times(alpha, sum[i])) + (beta == W(0) ? W(0) : times(beta, y[i]));
  return sum;
}
template <typename T> void spoil(Strided<T>& x) {
  for (int64_t i = 0; i < x.n; ++i) x.array.host[x.at(i)] = nan_of<T>();
  x.array.put();
}

/// Each form of scalars and steps once, around a product: `call` gets alpha, x, its step, beta, y, its step.
template <typename T> void products(const std::string& name, const Dense<Wide<T>>& a, const std::function<int(const T*, const T*, int, const T*, T*, int)>& call, bool few = false) {
  int which = 0;
  for (const auto& scalars : kScalars) {
    const auto& steps = kSteps[which++ % 4];
    if (few && which > 2) break;
    Case one;
    Strided<T> x(a.n, steps.x), y(a.m, steps.y);
    const T alpha = scalar<T>(scalars[0]), beta = scalar<T>(scalars[1]);
    if (scalars[0] == 0) spoil(x);
    if (scalars[1] == 0) spoil(y);
    const auto ref = by_vector<Wide<T>>(a, wide(alpha), x.values(), wide(beta), y.values());
    const int status = call(&alpha, x.array.device, int(steps.x), &beta, y.array.device, int(steps.y));
    y.check(name + text(" scalars %d %d inc %d %d", scalars[0], scalars[1], int(steps.x), int(steps.y)), status, ref);
  }
}
template <typename T> std::string named(const char* what, const std::string& more) { return text("%s<%s> %s", what, Kind<T>::name, more.c_str()); }

template <typename T> void general() {
  using W = Wide<T>;
  for (const auto& [m, n] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(1, 7), std::pair(7, 1), std::pair(5, 3), std::pair(33, 17), std::pair(65, 129), std::pair(300, 7), std::pair(7, 1025)})
    for (const auto op : kOps) {
      Case one;
      Matrix<T> a(m, n);
      products<T>(named<T>("gemv", text("%d x %d op %d", m, n, op)), op_of(dense_of(a), op), [&](const T* alpha, const T* x, int incx, const T* beta, T* y, int incy) {
        return BLAS(gemv, op, m, n, cuda(alpha), a.p(), int(a.ld), cuda(x), incx, cuda(beta), cuda(y), incy);
      });
      for (const auto& [kl, ku] : {std::pair(0, 0), std::pair(1, 2), std::pair(3, 0)}) {
        if (m > 100 || n > 200 || kl >= std::max(m, 1) || ku >= std::max(n, 1)) continue;
        Matrix<T> band(kl + ku + 1, n);
        Dense<W> whole(m, n);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < kl + ku + 1; ++i) {
            const int row = j - ku + i;
            if (row >= 0 && row < m) whole(row, j) = wide(band(i, j));
            else band(i, j) = nan_of<T>();
          }
        band.array.put();
        products<T>(named<T>("gbmv", text("%d x %d band %d %d op %d", m, n, kl, ku, op)), op_of(whole, op), [&, kl = kl, ku = ku](const T* alpha, const T* x, int incx, const T* beta, T* y, int incy) {
          return BLAS(gbmv, op, m, n, kl, ku, cuda(alpha), band.p(), int(band.ld), cuda(x), incx, cuda(beta), cuda(y), incy);
        });
      }
    }
}

/// A matrix by one triangle in three ways to keep it: full, packed, banded (of which all beyond `k` diagonals is 0). `kind`: 0
/// symmetric, 1 Hermitian (imaginary parts of the diagonal are not read), 2 triangular, 3 with ones on its diagonal, which is not read.
template <typename T> struct Triangle {
  Matrix<T> full;
  Array<T> packed;
  Matrix<T> band;
  Dense<Wide<T>> whole;
  Triangle(int n, int k, bool upper, int kind, bool banded)
      : full(n, n), packed(size_t(n) * size_t(n + 1) / 2, false), band(k + 1, n), whole(n, n) {
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) {
        const bool in = upper ? i <= j : i >= j, near = std::llabs(i - j) <= k;
        T& v = full(i, j);
        if (!in || (kind == 3 && i == j)) { v = nan_of<T>(); continue; }
        if (i != j && kind >= 2) v = v * T(Real<T>(2.0 / (n + 1)));  // well conditioned
        if (i == j && kind >= 2) v = v + T(Real<T>(2));
        if (i == j && kind == 1) v = hermitian(v);
      }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) {
        const bool in = upper ? i <= j : i >= j, near = std::llabs(i - j) <= k || !banded;
        if (in) packed.host[size_t(upper ? j * (j + 1) / 2 + i : j * (2 * n - j - 1) / 2 + i)] = full(i, j);
        if (!in) continue;
        Wide<T> v = kind == 3 && i == j ? Wide<T>(1) : near ? wide(full(i, j)) : Wide<T>(0);
        if constexpr (is_complex<T>) if (kind == 1 && i == j) v = v.real();
        whole(i, j) = v;
        if (kind < 2 && i != j) whole(j, i) = kind == 1 ? conj_of(v) : v;
      }
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i <= k; ++i) {
        const int64_t row = upper ? j - k + i : j + i;
        band(i, j) = row >= 0 && row < n ? full(row, j) : nan_of<T>();
      }
    full.array.put(), packed.put(), band.array.put();
  }
  static T hermitian(T v) {
    if constexpr (is_complex<T>) return T(v.real(), 3);
    else return v;
  }
};

/// The other names for complex types.
#define SYMMETRIC(real, complex, ...) OF(cublasS##real, cublasD##real, cublasC##complex, cublasZ##complex, __VA_ARGS__)
#define ARGUMENTS const T *alpha, const T *x, int incx, const T *beta, T *y, int incy

template <typename T> void symmetric(int n) {
  for (const auto fill : kFills) {
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    for (const int kind : {0, 1}) {
      if (kind == 1 && !is_complex<T>) continue;
      Case one;
      Triangle<T> a(n, 0, upper, kind, false);
      const std::string tail = text("n %d fill %d", n, fill);
      if (kind == 0)
        products<T>(named<T>("symv", tail), a.whole, [&](ARGUMENTS) { return BLAS(symv, fill, n, cuda(alpha), a.full.p(), int(a.full.ld), cuda(x), incx, cuda(beta), cuda(y), incy); });
      else
        products<T>(named<T>("hemv", tail), a.whole, [&](ARGUMENTS) { return SYMMETRIC(symv, hemv, fill, n, cuda(alpha), a.full.p(), int(a.full.ld), cuda(x), incx, cuda(beta), cuda(y), incy); });
      if (kind == 1 || !is_complex<T>)
        products<T>(named<T>("spmv/hpmv", tail), a.whole, [&](ARGUMENTS) { return SYMMETRIC(spmv, hpmv, fill, n, cuda(alpha), a.packed.p(), cuda(x), incx, cuda(beta), cuda(y), incy); });
      for (const int k : {0, 2, 5}) {
        if ((kind == 0 && is_complex<T>) || (k > 0 && k >= n)) continue;
        Triangle<T> b(n, k, upper, kind, true);
        products<T>(named<T>("sbmv/hbmv", tail + text(" k %d", k)), b.whole,
                    [&](ARGUMENTS) { return SYMMETRIC(sbmv, hbmv, fill, n, k, cuda(alpha), b.band.p(), int(b.band.ld), cuda(x), incx, cuda(beta), cuda(y), incy); });
      }
    }
  }
}

/// op(A) x in place, and x from op(A) x: the reference's solve is by substitution.
template <typename T> void triangular(int n) {
  using W = Wide<T>;
  for (const auto fill : kFills)
    for (const auto diag : kDiags)
      for (const auto op : kOps)
        for (const int k : {-1, 0, 3}) {
          if (k > 0 && k >= n) continue;
          const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
          Case one;
          Triangle<T> a(n, std::max(k, 0), upper, diag == CUBLAS_DIAG_UNIT ? 3 : 2, k >= 0);
          const auto whole = op_of(a.whole, op);
          const bool from_last = upper == (op == CUBLAS_OP_N);
          for (const int64_t inc : {1, 2, -3}) {
            const std::string tail = text("n %d fill %d diag %d op %d inc %d", n, fill, diag, op, int(inc)) + (k < 0 ? "" : text(" k %d", k));
            Strided<T> x(n, inc);
            const auto start = x.values();
            const auto by = by_vector<W>(whole, W(1), start, W(0), start);
            auto solved = start;
            for (int step = 0; step < n; ++step) {
              const int i = from_last ? n - 1 - step : step;
              W rest = solved[size_t(i)];
              for (int j = from_last ? i + 1 : 0; j < (from_last ? n : i); ++j) rest -= times(whole(i, j), solved[size_t(j)]);
              solved[size_t(i)] = rest / whole(i, i);
            }
            const auto tell = [&](const char* name, int status, const vector<W>& ref) {
              x.check(named<T>(name, tail), status, ref);
              x.array.put();
            };
            if (k < 0) {
              tell("trmv", BLAS(trmv, fill, op, diag, n, a.full.p(), int(a.full.ld), x.p(), int(inc)), by);
              tell("tpmv", BLAS(tpmv, fill, op, diag, n, a.packed.p(), x.p(), int(inc)), by);
              tell("trsv", BLAS(trsv, fill, op, diag, n, a.full.p(), int(a.full.ld), x.p(), int(inc)), solved);
              tell("tpsv", BLAS(tpsv, fill, op, diag, n, a.packed.p(), x.p(), int(inc)), solved);
            } else {
              tell("tbmv", BLAS(tbmv, fill, op, diag, n, k, a.band.p(), int(a.band.ld), x.p(), int(inc)), by);
              tell("tbsv", BLAS(tbsv, fill, op, diag, n, k, a.band.p(), int(a.band.ld), x.p(), int(inc)), solved);
            }
          }
        }
}

template <typename T> void updates(int m, int n) {
  using W = Wide<T>;
  int which = 0;
  for (const int s : {2, 1, 0}) {
    const auto& steps = kSteps[which++];
    const T alpha = scalar<T>(s);
    const W wa = wide(alpha);
    for (const bool conjugate : {false, true}) {
      if (conjugate && !is_complex<T>) continue;
      Case one;
      Matrix<T> a(m, n);
      Strided<T> x(m, steps.x), y(n, steps.y);
      if (s == 0) spoil(x);
      const int status = conjugate ? SYMMETRIC(ger, gerc, m, n, cuda(&alpha), x.p(), int(steps.x), y.p(), int(steps.y), a.p(), int(a.ld))
                                   : SYMMETRIC(ger, geru, m, n, cuda(&alpha), x.p(), int(steps.x), y.p(), int(steps.y), a.p(), int(a.ld));
      a.check(named<T>(conjugate ? "gerc" : "ger", text("%d x %d alpha %d", m, n, s)), status,
              [&](int64_t i, int64_t j) { return a[{i, j}] + (s == 0 ? W(0) : times(wa, times(x[i], conjugate ? conj_of(y[j]) : y[j]))); });
    }
    if (m != n) continue;
    for (const auto fill : kFills)
      for (const bool two : {false, true})
        for (const bool hermitian : {false, true}) {
          if (hermitian && !is_complex<T>) continue;
          Case one;
          const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
          Triangle<T> a(n, 0, upper, hermitian ? 1 : 0, false);
          Strided<T> x(n, steps.x), y(n, steps.y);
          if (s == 0) spoil(x);
          const Real<T> real = two ? 0 : Real<T>(s == 2 ? -0.7 : s);
          const W by = hermitian && !two ? W(real) : wa;
          const auto of = [&](int64_t i, int64_t j) {
            W before = a.full[{i, j}];
            if (s == 0) return before;
            if constexpr (is_complex<T>) if (hermitian && i == j) before = before.real();
            const auto cj = [&](W v) { return hermitian ? conj_of(v) : v; };
            if (!two) return before + times(by, times(x[i], cj(x[j])));
            return before + times(by, times(x[i], cj(y[j]))) + times(hermitian ? conj_of(by) : by, times(y[i], cj(x[j])));
          };
          const auto in = [&](int64_t i, int64_t j) { return upper ? i <= j : i >= j; };
          const std::string tail = text("n %d fill %d alpha %d", n, fill, s);
          int status;
          if (hermitian) {
            if (two) status = SYMMETRIC(syr2, her2, fill, n, cuda(&alpha), x.p(), int(steps.x), y.p(), int(steps.y), a.full.p(), int(a.full.ld));
            else if constexpr (std::is_same_v<T, C>) status = cublasCher(handle, fill, n, &real, x.p(), int(steps.x), a.full.p(), int(a.full.ld));
            else if constexpr (std::is_same_v<T, Z>) status = cublasZher(handle, fill, n, &real, x.p(), int(steps.x), a.full.p(), int(a.full.ld));
          } else {
            status = two ? BLAS(syr2, fill, n, cuda(&alpha), x.p(), int(steps.x), y.p(), int(steps.y), a.full.p(), int(a.full.ld))
                         : BLAS(syr, fill, n, cuda(&alpha), x.p(), int(steps.x), a.full.p(), int(a.full.ld));
          }
          a.full.check(named<T>(hermitian ? two ? "her2" : "her" : two ? "syr2" : "syr", tail), status, in, of);
          if (hermitian != is_complex<T>) continue;
          vector<W> ref(a.packed.host.size());
          for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < n; ++i) if (in(i, j)) ref[size_t(upper ? j * (j + 1) / 2 + i : j * (2 * n - j - 1) / 2 + i)] = of(i, j);
          if (two) status = SYMMETRIC(spr2, hpr2, fill, n, cuda(&alpha), x.p(), int(steps.x), y.p(), int(steps.y), a.packed.p());
          else if constexpr (std::is_same_v<T, C>) status = cublasChpr(handle, fill, n, &real, x.p(), int(steps.x), a.packed.p());
          else if constexpr (std::is_same_v<T, Z>) status = cublasZhpr(handle, fill, n, &real, x.p(), int(steps.x), a.packed.p());
          else status = SYMMETRIC(spr, spr, fill, n, cuda(&alpha), x.p(), int(steps.x), a.packed.p());
          check(named<T>(two ? "spr2/hpr2" : "spr/hpr", tail), status, a.packed, ref);
        }
  }
}

/// What no routine takes.
template <typename T> void refused() {
  Case one;
  Matrix<T> a(4, 4);
  Strided<T> x(4, 1), y(4, 1);
  const T k = T(1);
  const T* alpha = &k;
  const int ld = int(a.ld);
  const auto tell = [](const char* what, int status) { line(named<T>(what, ""), status, 0, 0); };
  tell("gemv op", BLAS(gemv, cublasOperation_t(7), 4, 4, cuda(alpha), a.p(), ld, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gemv m", BLAS(gemv, CUBLAS_OP_N, -1, 4, cuda(alpha), a.p(), ld, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gemv n", BLAS(gemv, CUBLAS_OP_N, 4, -1, cuda(alpha), a.p(), ld, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gemv lda", BLAS(gemv, CUBLAS_OP_N, 4, 4, cuda(alpha), a.p(), 3, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gemv lda 0", BLAS(gemv, CUBLAS_OP_N, 0, 0, cuda(alpha), a.p(), 0, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gemv incx", BLAS(gemv, CUBLAS_OP_N, 4, 4, cuda(alpha), a.p(), ld, x.p(), 0, cuda(alpha), y.p(), 1));
  tell("gemv incy", BLAS(gemv, CUBLAS_OP_N, 4, 4, cuda(alpha), a.p(), ld, x.p(), 1, cuda(alpha), y.p(), 0));
  tell("gbmv lda", BLAS(gbmv, CUBLAS_OP_N, 4, 4, 2, 2, cuda(alpha), a.p(), 4, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("gbmv kl", BLAS(gbmv, CUBLAS_OP_N, 4, 4, -1, 2, cuda(alpha), a.p(), 4, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("symv fill", BLAS(symv, cublasFillMode_t(9), 4, cuda(alpha), a.p(), ld, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("symv lda", BLAS(symv, CUBLAS_FILL_MODE_LOWER, 4, cuda(alpha), a.p(), 3, x.p(), 1, cuda(alpha), y.p(), 1));
  tell("trsv n", BLAS(trsv, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, -2, a.p(), ld, x.p(), 1));
  tell("trsv diag", BLAS(trsv, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, cublasDiagType_t(5), 2, a.p(), ld, x.p(), 1));
  tell("trsv inc", BLAS(trsv, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, a.p(), ld, x.p(), 0));
  tell("tbmv k", BLAS(tbmv, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, -1, a.p(), ld, x.p(), 1));
  tell("tbmv lda", BLAS(tbmv, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 6, a.p(), 6, x.p(), 1));
  tell("ger lda", SYMMETRIC(ger, geru, 4, 4, cuda(alpha), x.p(), 1, y.p(), 1, a.p(), 3));
  tell("ger incx", SYMMETRIC(ger, geru, 4, 4, cuda(alpha), x.p(), 0, y.p(), 1, a.p(), 4));
  tell("syr n", BLAS(syr, CUBLAS_FILL_MODE_LOWER, -4, cuda(alpha), x.p(), 1, a.p(), 4));
  tell("syr2 lda", BLAS(syr2, CUBLAS_FILL_MODE_LOWER, 4, cuda(alpha), x.p(), 1, y.p(), 1, a.p(), 2));
}

template <typename T> void all() {
  general<T>();
  for (const int n : {0, 1, 2, 7, 33, 130}) symmetric<T>(n), triangular<T>(n);
  for (const auto& [m, n] : {std::pair(0, 3), std::pair(3, 0), std::pair(0, 0), std::pair(1, 1), std::pair(5, 3), std::pair(7, 7), std::pair(65, 33), std::pair(130, 130)}) updates<T>(m, n);
}

int main() {
  begin();
  cublasCreate(&handle);
  all<float>(), all<double>(), all<C>(), all<Z>();
  refused<float>(), refused<double>(), refused<C>(), refused<Z>();
  cublasDestroy(handle);
  return end();
}
