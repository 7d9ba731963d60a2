// cuBLAS's level 3: products, rank updates, triangles, sums of matrices; and the forms of several types and of many matrices.
#include <cublas_v2.h>

#include "blas.h"

template <typename T> std::string named(const char* what, const std::string& more) { return text("%s<%s> %s", what, Kind<T>::name, more.c_str()); }
template <typename T> void spoil(Matrix<T>& a) {
  for (int64_t j = 0; j < a.n; ++j) for (int64_t i = 0; i < a.m; ++i) a(i, j) = nan_of<T>();
  a.array.put();
}
/// alpha p + beta c, where a scalar that is 0 hides what it would multiply.
template <typename W> W put_together(W alpha, W p, W beta, W c) { return (alpha == W(0) ? W(0) : times(alpha, p)) + (beta == W(0) ? W(0) : times(beta, c)); }
#define SYMMETRIC(real, complex, ...) OF(cublasS##real, cublasD##real, cublasC##complex, cublasZ##complex, __VA_ARGS__)

struct Sizes { int m, n, k; };
template <typename T> void gemms() {
  using W = Wide<T>;
  for (const auto& [m, n, k] : vector<Sizes>{{1, 1, 1}, {5, 3, 7}, {0, 4, 2}, {4, 0, 3}, {3, 2, 0}, {33, 17, 65}, {8, 6, 1}, {1, 13, 300}, {129, 64, 33}, {7, 5, 1030}})
    for (const auto opa : kOps)
      for (const auto opb : kOps) {
        int which = 0;
        for (const auto& s : kScalars) {
          if (m > 100 && which > 0) break;
          Case one;
          Matrix<T> a(opa == CUBLAS_OP_N ? m : k, opa == CUBLAS_OP_N ? k : m), b(opb == CUBLAS_OP_N ? k : n, opb == CUBLAS_OP_N ? n : k, 0), c(m, n, 3);
          if (s[0] == 0) spoil(a);
          if (s[1] == 0) spoil(c);
          const T alpha = scalar<T>(s[0]), beta = scalar<T>(s[1]);
          const auto p = s[0] == 0 ? Dense<W>(m, n) : product(op_of(dense_of(a), opa), op_of(dense_of(b), opb));
          const std::string tail = text("%d x %d x %d ops %d %d scalars %d %d", m, n, k, opa, opb, s[0], s[1]);
          const auto of = [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), p(i, j), wide(beta), c[{i, j}]); };
          c.check(named<T>("gemm", tail), BLAS(gemm, opa, opb, m, n, k, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), cuda(&beta), c.p(), int(c.ld)), of);
          if (which++ > 1) continue;
          c.array.put();
          c.check(named<T>("gemm_64", tail), BLAS(gemm_64, opa, opb, m, n, k, cuda(&alpha), a.p(), a.ld, b.p(), b.ld, cuda(&beta), c.p(), c.ld), of);
          if constexpr (is_complex<T>) {
            c.array.put();
            int status;
            if constexpr (std::is_same_v<T, C>) status = cublasCgemm3m(handle, opa, opb, m, n, k, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), cuda(&beta), c.p(), int(c.ld));
            else status = cublasZgemm3m(handle, opa, opb, m, n, k, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), cuda(&beta), c.p(), int(c.ld));
            c.check(named<T>("gemm3m", tail), status, of);
          }
        }
      }
}

/// A symmetric, Hermitian (`kind` 1) or triangular (2; 3 with ones) matrix of which one triangle is kept.
template <typename T> Dense<Wide<T>> keep(Matrix<T>& a, bool upper, int kind) {
  const int64_t n = a.n;
  Dense<Wide<T>> whole(n, n);
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i) {
      T& v = a(i, j);
      if ((upper ? i > j : i < j) || (kind == 3 && i == j)) { v = nan_of<T>(); continue; }
      if (i != j && kind >= 2) v = v * T(Real<T>(2.0 / (n + 1)));
      if (i == j && kind >= 2) v = v + T(Real<T>(2));
      whole(i, j) = wide(v);
      if constexpr (is_complex<T>) if (i == j && kind == 1) v = T(v.real(), 5), whole(i, j) = whole(i, j).real();
      if (kind < 2) whole(j, i) = kind == 1 ? conj_of(whole(i, j)) : whole(i, j);
    }
  if (kind == 3) for (int64_t i = 0; i < n; ++i) whole(i, i) = 1;
  a.array.put();
  return whole;
}

template <typename T> void by_symmetric() {
  using W = Wide<T>;
  int which = 0;
  for (const auto& [m, n] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 3), std::pair(7, 33), std::pair(65, 40)})
    for (const auto side : kSides)
      for (const auto fill : kFills)
        for (const int kind : {0, 1}) {
          if (kind == 1 && !is_complex<T>) continue;
          for (int t = 0; t < 2; ++t) {
            const auto& s = kScalars[which++ % 7];
            Case one;
            const int na = side == CUBLAS_SIDE_LEFT ? m : n;
            Matrix<T> a(na, na), b(m, n, 1), c(m, n, 3);
            const auto whole = keep(a, fill == CUBLAS_FILL_MODE_UPPER, kind);
            if (s[0] == 0) spoil(b);
            if (s[1] == 0) spoil(c);
            const auto p = side == CUBLAS_SIDE_LEFT ? product(whole, dense_of(b)) : product(dense_of(b), whole);
            const T alpha = scalar<T>(s[0]), beta = scalar<T>(s[1]);
            const auto of = [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), p(i, j), wide(beta), c[{i, j}]); };
            const int status = kind == 0 ? BLAS(symm, side, fill, m, n, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), cuda(&beta), c.p(), int(c.ld))
                                         : SYMMETRIC(symm, hemm, side, fill, m, n, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), cuda(&beta), c.p(), int(c.ld));
            c.check(named<T>(kind == 0 ? "symm" : "hemm", text("%d x %d side %d fill %d scalars %d %d", m, n, side, fill, s[0], s[1])), status, of);
          }
        }
}

template <typename T> void updates() {
  using W = Wide<T>;
  int which = 0;
  for (const auto& [n, k] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 3), std::pair(7, 33), std::pair(65, 40)})
    for (const auto fill : kFills)
      for (const auto op : kOps)
        for (const int form : {0, 1, 2})  // one matrix, two, and two of which the product is symmetric
          for (const bool hermitian : {false, true})
            for (int t = 0; t < 2; ++t) {
              if (hermitian && !is_complex<T>) continue;
              const auto& s = kScalars[which++ % 7];
              Case one;
              const bool plain = op == CUBLAS_OP_N, upper = fill == CUBLAS_FILL_MODE_UPPER;
              Matrix<T> a(plain ? n : k, plain ? k : n), b(plain ? n : k, plain ? k : n, 0), c(n, n, 3);
              if (s[0] == 0) spoil(a);
              if (s[1] == 0) spoil(c);
              if (hermitian && s[1] != 0) for (int i = 0; i < n; ++i) c(i, i) = T(std::real(c(i, i)));
              c.array.put();
              T alpha = scalar<T>(s[0]), beta = scalar<T>(s[1]);
              const Real<T> ra = std::real(alpha), rb = std::real(beta);
              const bool real_alpha = hermitian && form == 0;
              if (real_alpha) alpha = T(ra);
              if (hermitian) beta = T(rb);
              const int flip = hermitian ? 2 : 1;
              const auto x = op_of(dense_of(a), plain ? 0 : hermitian ? 2 : 1), y = form == 0 ? x : op_of(dense_of(b), plain ? 0 : hermitian ? 2 : 1);
              const auto p = product(x, op_of(y, flip)), q = product(y, op_of(x, flip));
              const auto in = [&](int64_t i, int64_t j) { return upper ? i <= j : i >= j; };
              const auto of = [&](int64_t i, int64_t j) {
                W v = put_together<W>(wide(alpha), p(i, j), wide(beta), c[{i, j}]);
                if constexpr (is_complex<T>) if (hermitian && i == j && form != 1) v = v.real();  // by definition
                if (form == 1 && wide(alpha) != W(0)) v += times(hermitian ? conj_of(wide(alpha)) : wide(alpha), q(i, j));
                return v;
              };
              const int lda = int(a.ld), ldb = int(b.ld), ldc = int(c.ld);
              int status = 0;
              if (!hermitian) {
                status = form == 0 ? BLAS(syrk, fill, op, n, k, cuda(&alpha), a.p(), lda, cuda(&beta), c.p(), ldc)
                       : form == 1 ? BLAS(syr2k, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, cuda(&beta), c.p(), ldc)
                                   : BLAS(syrkx, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, cuda(&beta), c.p(), ldc);
              } else if constexpr (std::is_same_v<T, C>) {
                status = form == 0 ? cublasCherk(handle, fill, op, n, k, &ra, a.p(), lda, &rb, c.p(), ldc)
                       : form == 1 ? cublasCher2k(handle, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, &rb, c.p(), ldc)
                                   : cublasCherkx(handle, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, &rb, c.p(), ldc);
              } else if constexpr (std::is_same_v<T, Z>) {
                status = form == 0 ? cublasZherk(handle, fill, op, n, k, &ra, a.p(), lda, &rb, c.p(), ldc)
                       : form == 1 ? cublasZher2k(handle, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, &rb, c.p(), ldc)
                                   : cublasZherkx(handle, fill, op, n, k, cuda(&alpha), a.p(), lda, b.p(), ldb, &rb, c.p(), ldc);
              }
              const char* names[2][3] = {{"syrk", "syr2k", "syrkx"}, {"herk", "her2k", "herkx"}};
              c.check(named<T>(names[hermitian][form], text("%d k %d fill %d op %d scalars %d %d", n, k, fill, op, s[0], s[1])), status, in, of);
            }
}

/// x of op(A) x = b for each column, by substitution.
template <typename W> void solve(const Dense<W>& a, Dense<W>& b) {
  const int64_t n = a.m;
  bool upper = true;
  for (int64_t j = 0; j < n; ++j) for (int64_t i = j + 1; i < n; ++i) upper &= a(i, j) == W(0);
  for (int64_t c = 0; c < b.n; ++c)
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = upper ? n - 1 - step : step;
      W rest = b(i, c);
      for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) rest -= times(a(i, j), b(j, c));
      b(i, c) = rest / a(i, i);
    }
}

template <typename T> void triangles() {
  using W = Wide<T>;
  int which = 0;
  for (const auto& [m, n] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 3), std::pair(7, 33), std::pair(65, 40)})
    for (const auto side : kSides)
      for (const auto fill : kFills)
        for (const auto op : kOps)
          for (const auto diag : kDiags) {
            const int s = which++ % 5 == 4 ? 0 : which % 5 == 3 ? 1 : 2;
            Case one;
            const bool left = side == CUBLAS_SIDE_LEFT;
            const int na = left ? m : n;
            Matrix<T> a(na, na), b(m, n, 1), c(m, n, 3);
            const auto whole = op_of(keep(a, fill == CUBLAS_FILL_MODE_UPPER, diag == CUBLAS_DIAG_UNIT ? 3 : 2), op);
            const T alpha = scalar<T>(s);
            const auto p = left ? product(whole, dense_of(b)) : product(dense_of(b), whole);
            auto x = left ? dense_of(b) : op_of(dense_of(b), 1);
            solve(left ? whole : op_of(whole, 1), x);
            if (!left) x = op_of(x, 1);
            const std::string tail = text("%d x %d side %d fill %d op %d diag %d alpha %d", m, n, side, fill, op, diag, s);
            spoil(c);
            c.check(named<T>("trmm", tail), BLAS(trmm, side, fill, op, diag, m, n, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), c.p(), int(c.ld)),
                    [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), p(i, j), W(0), W(0)); });
            const auto solved = [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), x(i, j), W(0), W(0)); };
            b.check(named<T>("trmm in place", tail), BLAS(trmm, side, fill, op, diag, m, n, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld), b.p(), int(b.ld)),
                    [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), p(i, j), W(0), W(0)); });
            b.array.put();
            b.check(named<T>("trsm", tail), BLAS(trsm, side, fill, op, diag, m, n, cuda(&alpha), a.p(), int(a.ld), b.p(), int(b.ld)), solved);
            b.array.put();
            if (m * n == 0) continue;
            typename Kind<T>::Cuda* list[] = {b.p()};
            const typename Kind<T>::Cuda* of_a[] = {a.p()};
            Array<int64_t*> dummies(vector<int64_t*>{reinterpret_cast<int64_t*>(list[0]), reinterpret_cast<int64_t*>(const_cast<typename Kind<T>::Cuda*>(of_a[0]))});
            auto** lists = reinterpret_cast<typename Kind<T>::Cuda**>(dummies.device);
            b.check(named<T>("trsmBatched", tail), BLAS(trsmBatched, side, fill, op, diag, m, n, cuda(&alpha), const_cast<const typename Kind<T>::Cuda**>(lists + 1), int(a.ld), lists, int(b.ld), 1), solved);
          }
}

template <typename T> void sums() {
  using W = Wide<T>;
  for (const auto& [m, n] : {std::pair(0, 3), std::pair(3, 0), std::pair(1, 1), std::pair(5, 3), std::pair(33, 65)}) {
    for (const auto opa : kOps)
      for (const auto opb : kOps)
        for (const auto& s : kScalars) {
          Case one;
          Matrix<T> a(opa == CUBLAS_OP_N ? m : n, opa == CUBLAS_OP_N ? n : m), b(opb == CUBLAS_OP_N ? m : n, opb == CUBLAS_OP_N ? n : m, 0), c(m, n, 3);
          spoil(c);
          if (s[0] == 0) spoil(a);
          if (s[1] == 0) spoil(b);
          const T alpha = scalar<T>(s[0]), beta = scalar<T>(s[1]);
          const auto x = op_of(dense_of(a), opa), y = op_of(dense_of(b), opb);
          c.check(named<T>("geam", text("%d x %d ops %d %d scalars %d %d", m, n, opa, opb, s[0], s[1])),
                  BLAS(geam, opa, opb, m, n, cuda(&alpha), a.p(), int(a.ld), cuda(&beta), b.p(), int(b.ld), c.p(), int(c.ld)),
                  [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), x(i, j), wide(beta), y(i, j)); });
        }
    for (const auto side : kSides)
      for (const int inc : {1, 2, -1, 0}) {
        Case one;
        Matrix<T> a(m, n), c(m, n, 3);
        Strided<T> x(side == CUBLAS_SIDE_LEFT ? m : n, inc);
        c.check(named<T>("dgmm", text("%d x %d side %d inc %d", m, n, side, inc)), BLAS(dgmm, side, m, n, a.p(), int(a.ld), x.p(), inc, c.p(), int(c.ld)),
                [&](int64_t i, int64_t j) { return times(a[{i, j}], x[side == CUBLAS_SIDE_LEFT ? i : j]); });
      }
    if (m != n && m != 5) continue;
    for (const auto fill : kFills) {
      Case one;
      const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
      Matrix<T> a(m, m);
      Array<T> packed(size_t(m) * size_t(m + 1) / 2), again(packed.host.size());
      const auto place = [&, m = m](int64_t i, int64_t j) { return size_t(upper ? j * (j + 1) / 2 + i : j * (2 * m - j - 1) / 2 + i); };
      const auto in = [&](int64_t i, int64_t j) { return upper ? i <= j : i >= j; };
      vector<W> ref(again.host.size());
      for (int64_t j = 0; j < m; ++j) for (int64_t i = 0; i < m; ++i) if (in(i, j)) ref[place(i, j)] = a[{i, j}];
      check(named<T>("trttp", text("%d fill %d", m, fill)), BLAS(trttp, fill, m, a.p(), int(a.ld), again.p()), again, ref);
      a.check(named<T>("tpttr", text("%d fill %d", m, fill)), BLAS(tpttr, fill, m, packed.p(), a.p(), int(a.ld)), in, [&](int64_t i, int64_t j) { return wide(packed.host[place(i, j)]); });
    }
  }
}

/// What no routine takes.
template <typename T> void refused() {
  Case one;
  Matrix<T> a(4, 4), b(4, 4), c(4, 4);
  const T k = T(1);
  const Real<T> r = 1;
  const auto* q = cuda(&k);
  const int ld = 6;
  const auto tell = [](const char* what, int status) { line(named<T>(what, ""), status, 0, 0); };
  const auto N = CUBLAS_OP_N, TT = CUBLAS_OP_T;
  tell("gemm opa", BLAS(gemm, cublasOperation_t(9), N, 4, 4, 4, q, a.p(), ld, b.p(), ld, q, c.p(), ld));
  tell("gemm m", BLAS(gemm, N, N, -4, 4, 4, q, a.p(), ld, b.p(), ld, q, c.p(), ld));
  tell("gemm k", BLAS(gemm, N, N, 4, 4, -1, q, a.p(), ld, b.p(), ld, q, c.p(), ld));
  tell("gemm lda", BLAS(gemm, N, N, 4, 4, 4, q, a.p(), 3, b.p(), ld, q, c.p(), ld));
  tell("gemm lda T", BLAS(gemm, TT, N, 7, 4, 4, q, a.p(), 4, b.p(), ld, q, c.p(), 6));
  tell("gemm ldb", BLAS(gemm, N, N, 4, 4, 4, q, a.p(), ld, b.p(), 3, q, c.p(), ld));
  tell("gemm ldc", BLAS(gemm, N, N, 4, 4, 4, q, a.p(), ld, b.p(), ld, q, c.p(), 3));
  tell("gemm ld 0", BLAS(gemm, N, N, 0, 0, 0, q, a.p(), 0, b.p(), 0, q, c.p(), 0));
  tell("gemm alpha null", BLAS(gemm, N, N, 4, 4, 4, decltype(q)(nullptr), a.p(), ld, b.p(), ld, q, c.p(), ld));
  tell("gemm c null", BLAS(gemm, N, N, 0, 4, 4, q, a.p(), ld, b.p(), ld, q, decltype(c.p())(nullptr), ld));
  tell("symm ldb", BLAS(symm, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, 4, 4, q, a.p(), ld, b.p(), 3, q, c.p(), ld));
  tell("syrk lda", BLAS(syrk, CUBLAS_FILL_MODE_LOWER, N, 4, 4, q, a.p(), 3, q, c.p(), ld));
  tell("syrk op", BLAS(syrk, CUBLAS_FILL_MODE_LOWER, cublasOperation_t(8), 4, 4, q, a.p(), 4, q, c.p(), ld));
  tell("trsm lda", BLAS(trsm, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, N, CUBLAS_DIAG_UNIT, 2, 4, q, a.p(), 3, b.p(), 4));
  tell("trsm m", BLAS(trsm, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, N, CUBLAS_DIAG_UNIT, -2, 4, q, a.p(), 4, b.p(), 4));
  tell("trmm ldc", BLAS(trmm, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, N, CUBLAS_DIAG_UNIT, 4, 4, q, a.p(), 4, b.p(), 4, c.p(), 3));
  tell("geam lda", BLAS(geam, N, N, 4, 4, q, a.p(), 3, q, b.p(), 4, c.p(), 4));
  tell("geam m", BLAS(geam, N, N, -4, 4, q, a.p(), 3, q, b.p(), 4, c.p(), 4));
  tell("dgmm lda", BLAS(dgmm, CUBLAS_SIDE_LEFT, 4, 4, a.p(), 3, b.p(), 1, c.p(), 4));
  (void)r;
}

template <typename T> void all() { gemms<T>(), by_symmetric<T>(), updates<T>(), triangles<T>(), sums<T>(), refused<T>(); }

int main() {
  begin();
  cublasCreate(&handle);
  all<float>(), all<double>(), all<C>(), all<Z>();
  cublasDestroy(handle);
  return end();
}
