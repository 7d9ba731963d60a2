// cuSOLVER's dense factors, solves, eigenvalues and singular values: what factors multiply to, what solutions leave over, orthogonality,
// and values against one-sided Jacobi in long double; singular matrices, matrices that are not positive, and what is refused.
#include "solver.h"

template <typename T> void positive(int n, int spoiled) {
  using W = Wide<T>;
  for (const auto fill : kFills) {
    Case one;
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    Matrix<T> a(n, n), b(n, 3), g(n, n);
    const auto gg = product(dense_of(g), op_of(dense_of(g), 2));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        if constexpr (is_complex<T>) a(i, j) = T(Real<T>(gg(i, j).real()), Real<T>(i == j ? 0 : gg(i, j).imag()));
        else a(i, j) = T(gg(i, j));
        if (i == j) a(i, j) += T(Real<T>(1));
        if (i == j && i == spoiled) a(i, j) = T(Real<T>(-3));
        if (upper ? i > j : i < j) a(i, j) = nan_of<T>();
      }
    a.array.put();
    Dense<W> whole(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) whole(i, j) = (upper ? i <= j : i >= j) ? a[{i, j}] : conj_of(a[{j, i}]);
    Work work(n);
    int size = 0;
    const std::string tail = text("<%s> n %d fill %d spoiled %d", Kind<T>::name, n, fill, spoiled);
    int status = SDCZ(potrf_bufferSize, fill, n, a.p(), int(a.ld), &size);
    line("potrf_bufferSize" + tail, status, 0, 0);
    status = SDCZ(potrf, fill, n, a.p(), int(a.ld), cuda(room<T>(size)), size, work.info.device);
    // Against Cholesky's factor in long double.
    Dense<W> l(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        W sum = whole(i, j);
        for (int k = 0; k < j; ++k) sum -= times(l(i, k), conj_of(l(j, k)));
        l(i, j) = i == j ? W(std::sqrt(std::real(sum))) : sum / l(j, j);
      }
    const auto factor = now_of(a);
    if (spoiled < 0) {
      tell<T>("potrf" + tail, status, factor, upper ? op_of(l, 2) : l, work.told(), upper ? 1 : -1);
      Dense<W> kept(n, n);
      for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) if (upper ? i <= j : i >= j) kept(i, j) = factor(i, j);
      tell<T>("potrf residual" + tail, status, upper ? product(op_of(kept, 2), kept) : product(kept, op_of(kept, 2)), whole, work.told());
    } else {
      line("potrf" + tail, status, 0, 0, work.told());
      continue;
    }
    status = SDCZ(potrs, fill, n, 3, a.p(), int(a.ld), b.p(), int(b.ld), work.info.device);
    tell<T>("potrs residual" + tail, status, product(whole, now_of(b)), dense_of(b), work.told());
  }
}

template <typename T> void general(int m, int n, const char* how) {
  using W = Wide<T>;
  const std::string which = how, tail = text("<%s> %d x %d %s", Kind<T>::name, m, n, how);
  for (const bool pivoted : {true, false}) {
    Case one;
    Matrix<T> a(m, n), b(n, 3);
    const int least = std::min(m, n);
    for (int i = 0; i < least; ++i) if (which == "dominant") a(i, i) += T(Real<T>(4));
    if (which == "singular") for (int i = 0; i < m; ++i) a(i, least / 2) = T(Real<T>(0));
    if (which == "zero") for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) a(i, j) = T(Real<T>(0));
    if (which == "nan" && least > 0) a(least / 2, least / 2) = nan_of<T>();
    if (!pivoted && which != "dominant") continue;
    a.array.put();
    const auto whole = dense_of(a);
    Work work(n + m);
    int size = 0;
    int status = SDCZ(getrf_bufferSize, m, n, a.p(), int(a.ld), &size);
    line("getrf_bufferSize" + tail, status, 0, 0);
    status = SDCZ(getrf, m, n, a.p(), int(a.ld), cuda(room<T>(size)), pivoted ? work.pivots.device : nullptr, work.info.device);
    const auto f = now_of(a);
    const auto p = work.pivots.get();
    if (which == "nan") { line("getrf" + tail, status, 0, 0, work.told()); continue; }
    Dense<W> l(m, least), u(least, n);
    for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) if (i > j && j < least) l(i, j) = f(i, j); else if (i < least) u(i, j) = f(i, j);
    for (int i = 0; i < least; ++i) l(i, i) = 1;
    auto back = product(l, u);
    std::string order;
    for (int i = least - 1; i >= 0 && pivoted; --i) {
      const int other = p[size_t(i)] - 1;
      if (other >= 0 && other < m) for (int j = 0; j < n; ++j) std::swap(back(i, j), back(other, j));
      if (least <= 8) order = text(" %d", p[size_t(i)]) + order;
    }
    tell<T>("getrf" + tail + (pivoted ? "" : " without pivots"), status, back, whole, work.told() + order);
    if (m != n || which == "singular" || which == "zero") continue;
    for (const auto op : kOps) {
      b.array.put();
      status = SDCZ(getrs, op, n, 3, a.p(), int(a.ld), pivoted ? work.pivots.device : nullptr, b.p(), int(b.ld), work.info.device);
      tell<T>("getrs residual" + tail + text(" op %d%s", op, pivoted ? "" : " without pivots"), status, product(op_of(whole, op), now_of(b)), dense_of(b), work.told());
    }
  }
}

template <typename T> void orthogonal(int m, int n) {
  using W = Wide<T>;
  Case one;
  const std::string tail = text("<%s> %d x %d", Kind<T>::name, m, n);
  const int least = std::min(m, n);
  Matrix<T> a(m, n);
  Array<T> tau(size_t(std::max(least, 1)));
  const auto whole = dense_of(a);
  Work work(n);
  int size = 0;
  int status = SDCZ(geqrf_bufferSize, m, n, a.p(), int(a.ld), &size);
  line("geqrf_bufferSize" + tail, status, 0, 0);
  status = SDCZ(geqrf, m, n, a.p(), int(a.ld), tau.p(), cuda(room<T>(size)), size, work.info.device);
  const auto factors = now_of(a);
  Dense<W> r(least, n);
  for (int j = 0; j < n; ++j) for (int i = 0; i <= j && i < least; ++i) r(i, j) = factors(i, j);
  // R^H R = A^H A tells R but for signs; Q from the reflections, by the test's own hand.
  const auto taus = tau.get();
  auto q = unit_of<W>(m);
  for (int k = least - 1; k >= 0; --k)
    for (int j = 0; j < m; ++j) {
      W sum = q(k, j);
      for (int i = k + 1; i < m; ++i) sum += times(conj_of(factors(i, k)), q(i, j));
      sum = times(sum, wide(taus[size_t(k)]));
      q(k, j) -= sum;
      for (int i = k + 1; i < m; ++i) q(i, j) -= times(factors(i, k), sum);
    }
  Dense<W> thin(m, least);
  for (int j = 0; j < least; ++j) for (int i = 0; i < m; ++i) thin(i, j) = q(i, j);
  tell<T>("geqrf residual" + tail, status, product(thin, r), whole, work.told());
  tell<T>("geqrf orthogonal" + tail, status, product(op_of(q, 2), q), unit_of<W>(m), work.told());
  for (const auto side : kSides)
    for (const auto op : {CUBLAS_OP_N, is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T}) {
      Matrix<T> c(side == CUBLAS_SIDE_LEFT ? m : 4, side == CUBLAS_SIDE_LEFT ? 4 : m);
      const int cm = int(c.m), cn = int(c.n);
      status = SOLVE(Sormqr_bufferSize, Dormqr_bufferSize, Cunmqr_bufferSize, Zunmqr_bufferSize, side, op, cm, cn, least, a.p(), int(a.ld), tau.p(), c.p(), int(c.ld), &size);
      if (status == 0) status = SOLVE(Sormqr, Dormqr, Cunmqr, Zunmqr, side, op, cm, cn, least, a.p(), int(a.ld), tau.p(), c.p(), int(c.ld), cuda(room<T>(size)), size, work.info.device);
      const auto turned = op_of(q, op == CUBLAS_OP_N ? 0 : 2);
      tell<T>("ormqr" + tail + text(" side %d op %d", side, op), status, now_of(c), side == CUBLAS_SIDE_LEFT ? product(turned, dense_of(c)) : product(dense_of(c), turned), work.told());
    }
  if (m < n) return;
  status = SOLVE(Sorgqr_bufferSize, Dorgqr_bufferSize, Cungqr_bufferSize, Zungqr_bufferSize, m, n, n, a.p(), int(a.ld), tau.p(), &size);
  if (status == 0) status = SOLVE(Sorgqr, Dorgqr, Cungqr, Zungqr, m, n, n, a.p(), int(a.ld), tau.p(), cuda(room<T>(size)), size, work.info.device);
  tell<T>("orgqr" + tail, status, now_of(a), thin, work.told());
  tell<T>("orgqr orthogonal" + tail, status, product(op_of(now_of(a), 2), now_of(a)), unit_of<W>(n), work.told());
}

template <typename T> void eigenvalues(int n, const char* how) {
  using W = Wide<T>;
  for (const auto fill : kFills)
    for (const auto mode : {CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR}) {
      Case one;
      const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
      const std::string which = how, tail = text("<%s> n %d fill %d mode %d %s", Kind<T>::name, n, fill, mode, how);
      Matrix<T> a(n, n);
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          if (upper ? i > j : i < j) a(i, j) = nan_of<T>();
          else if (which == "unit") a(i, j) = T(Real<T>(i == j));
          else if (which == "rank one") a(i, j) = T(Real<T>((i + 1) * (j + 1)) / Real<T>(n * n));
          else if (i == j) a(i, j) = T(std::real(a(i, j)));
        }
      a.array.put();
      Dense<W> whole(n, n), shifted(n, n);
      L norm = 1;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) whole(i, j) = (upper ? i <= j : i >= j) ? a[{i, j}] : conj_of(a[{j, i}]), norm += std::norm(whole(i, j));
      norm = std::sqrt(norm), shifted = whole;
      for (int i = 0; i < n; ++i) shifted(i, i) += norm;
      auto ref = singular_values(shifted);
      std::sort(ref.begin(), ref.end());
      for (auto& v : ref) v -= norm;
      Array<Real<T>> w(size_t(n), false);
      Work work(n);
      int size = 0;
      int status = SOLVE(Ssyevd_bufferSize, Dsyevd_bufferSize, Cheevd_bufferSize, Zheevd_bufferSize, mode, fill, n, a.p(), int(a.ld), w.device, &size);
      if (status == 0) status = SOLVE(Ssyevd, Dsyevd, Cheevd, Zheevd, mode, fill, n, a.p(), int(a.ld), w.device, cuda(room<T>(size)), size, work.info.device);
      tell_values<T>("syevd values" + tail, status, w, ref, work.told());
      if (mode == CUSOLVER_EIG_MODE_NOVECTOR) continue;
      const auto v = now_of(a);
      const auto values = w.get();
      auto scaled = v;
      for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) scaled(i, j) *= L(values[size_t(j)]);
      tell<T>("syevd residual" + tail, status, product(scaled, op_of(v, 2)), whole, work.told());
      tell<T>("syevd orthogonal" + tail, status, product(op_of(v, 2), v), unit_of<W>(n), work.told());
    }
}

template <typename T> void singular(int m, int n, const char* how) {
  using W = Wide<T>;
  for (const char* jobs : {"NN", "AA", "SS", "OS", "SO", "AN", "NA", "OO"}) {
    Case one;
    const std::string which = how, tail = text("<%s> %d x %d jobs %s %s", Kind<T>::name, m, n, jobs, how);
    Matrix<T> a(m, n), u(m, m), vt(n, n);
    const int least = std::min(m, n);
    if (which == "zero") for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) a(i, j) = T(Real<T>(0));
    if (which == "rank one") for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) a(i, j) = T(Real<T>((i + 1) * (j + 1)) / Real<T>(m * n));
    a.array.put();
    const auto whole = dense_of(a);
    Array<Real<T>> s(size_t(std::max(least, 1)), false);
    Work work(n);
    int size = 0;
    int status = SDCZ(gesvd_bufferSize, m, n, &size);
    Array<Real<T>> rwork(size_t(5 * std::max(least, 1)));
    if (status == 0) status = SDCZ(gesvd, jobs[0], jobs[1], m, n, a.p(), int(a.ld), s.device, u.p(), int(u.ld), vt.p(), int(vt.ld), cuda(room<T>(size)), size, rwork.device, work.info.device);
    tell_values<T>("gesvd values" + tail, status, s, singular_values(whole), work.told());
    if (std::string(jobs) != "AA" && std::string(jobs) != "SS" && std::string(jobs) != "OS") continue;
    const auto left = jobs[0] == 'O' ? now_of(a) : now_of(u), right = now_of(vt);
    const auto values = s.get();
    Dense<W> x(m, least), y(least, n);
    for (int k = 0; k < least; ++k) {
      for (int i = 0; i < m; ++i) x(i, k) = left(i, k) * L(values[size_t(k)]);
      for (int j = 0; j < n; ++j) y(k, j) = right(k, j);
    }
    tell<T>("gesvd residual" + tail, status, product(x, y), whole, work.told());
    const int columns = jobs[0] == 'A' ? m : least;
    Dense<W> q(m, columns);
    for (int k = 0; k < columns; ++k) for (int i = 0; i < m; ++i) q(i, k) = left(i, k);
    tell<T>("gesvd left orthogonal" + tail, status, product(op_of(q, 2), q), unit_of<W>(columns), work.told());
    if (m >= n) tell<T>("gesvd right orthogonal" + tail, status, product(right, op_of(right, 2)), unit_of<W>(n), work.told());
  }
}

template <typename T> void refused() {
  Case one;
  Matrix<T> a(4, 4), b(4, 4);
  Work work(4);
  Array<Real<T>> w(size_t(8));
  T* const space = room<T>(100000);
  int size = 0;
  const auto is = [&](const char* what, int status) {
    line(text("%s<%s>", what, Kind<T>::name), status, 0, 0, work.told());
    work.info.put();
  };
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  is("potrf n", SDCZ(potrf, lower, -1, a.p(), 6, cuda(space), 100000, work.info.device));
  is("potrf lda", SDCZ(potrf, lower, 4, a.p(), 3, cuda(space), 100000, work.info.device));
  is("potrf fill", SDCZ(potrf, cublasFillMode_t(7), 4, a.p(), 6, cuda(space), 100000, work.info.device));
  is("potrf n 0", SDCZ(potrf, lower, 0, a.p(), 6, cuda(space), 100000, work.info.device));
  is("potrf size n", SDCZ(potrf_bufferSize, lower, -1, a.p(), 6, &size));
  is("potrs n", SDCZ(potrs, lower, -4, 1, a.p(), 6, b.p(), 6, work.info.device));
  is("potrs ldb", SDCZ(potrs, lower, 4, 1, a.p(), 6, b.p(), 3, work.info.device));
  is("getrf n 0", SDCZ(getrf, 4, 0, a.p(), 6, cuda(space), work.pivots.device, work.info.device));
  is("getrs op", SDCZ(getrs, cublasOperation_t(9), 4, 1, a.p(), 6, work.pivots.device, b.p(), 6, work.info.device));
  is("getrs nrhs", SDCZ(getrs, CUBLAS_OP_N, 4, -1, a.p(), 6, work.pivots.device, b.p(), 6, work.info.device));
  is("getrs ldb", SDCZ(getrs, CUBLAS_OP_N, 4, 1, a.p(), 6, work.pivots.device, b.p(), 2, work.info.device));
  is("geqrf lda", SDCZ(geqrf, 4, 4, a.p(), 3, b.p(), cuda(space), 100000, work.info.device));
  is("geqrf m", SDCZ(geqrf, -4, 4, a.p(), 6, b.p(), cuda(space), 100000, work.info.device));
  is("orgqr k", SOLVE(Sorgqr, Dorgqr, Cungqr, Zungqr, 4, 4, 5, a.p(), 6, b.p(), cuda(space), 100000, work.info.device));
  is("orgqr n", SOLVE(Sorgqr, Dorgqr, Cungqr, Zungqr, 3, 4, 3, a.p(), 6, b.p(), cuda(space), 100000, work.info.device));
  is("ormqr k", SOLVE(Sormqr, Dormqr, Cunmqr, Zunmqr, CUBLAS_SIDE_LEFT, CUBLAS_OP_N, 4, 4, 5, a.p(), 6, b.p(), b.p(), 6, cuda(space), 100000, work.info.device));
  is("ormqr op", SOLVE(Sormqr, Dormqr, Cunmqr, Zunmqr, CUBLAS_SIDE_LEFT, is_complex<T> ? CUBLAS_OP_T : CUBLAS_OP_C, 4, 4, 4, a.p(), 6, b.p(), b.p(), 6, cuda(space), 100000, work.info.device));
  is("syevd n", SOLVE(Ssyevd, Dsyevd, Cheevd, Zheevd, CUSOLVER_EIG_MODE_VECTOR, lower, -4, a.p(), 6, w.device, cuda(space), 100000, work.info.device));
  is("syevd lda", SOLVE(Ssyevd, Dsyevd, Cheevd, Zheevd, CUSOLVER_EIG_MODE_VECTOR, lower, 4, a.p(), 3, w.device, cuda(space), 100000, work.info.device));
  is("gesvd m", SDCZ(gesvd, 'N', 'N', -4, 4, a.p(), 6, w.device, b.p(), 6, b.p(), 6, cuda(space), 100000, w.device, work.info.device));
  is("gesvd job", SDCZ(gesvd, 'X', 'N', 4, 4, a.p(), 6, w.device, b.p(), 6, b.p(), 6, cuda(space), 100000, w.device, work.info.device));
  is("gesvd lda", SDCZ(gesvd, 'N', 'N', 4, 4, a.p(), 3, w.device, b.p(), 6, b.p(), 6, cuda(space), 100000, w.device, work.info.device));
  is("gesvd ldu", SDCZ(gesvd, 'A', 'A', 4, 4, a.p(), 6, w.device, b.p(), 3, b.p(), 6, cuda(space), 100000, w.device, work.info.device));
}

template <typename T> void all() {
  for (const int n : {0, 1, 2, 5, 33, 100}) positive<T>(n, -1);
  for (const int n : {1, 5, 40}) positive<T>(n, 0), positive<T>(n, n / 2), positive<T>(n, n - 1);
  for (const auto& [m, n] : {std::pair(0, 0), std::pair(1, 1), std::pair(2, 2), std::pair(5, 5), std::pair(7, 4), std::pair(4, 7), std::pair(33, 33), std::pair(100, 100)})
    for (const char* how : {"plain", "dominant", "singular", "zero", "nan"}) if (m > 0 || std::strcmp(how, "plain") == 0) general<T>(m, n, how);
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 5), std::pair(7, 4), std::pair(4, 7), std::pair(40, 33), std::pair(100, 3), std::pair(65, 65)}) orthogonal<T>(m, n);
  for (const int n : {1, 2, 5, 33, 64}) eigenvalues<T>(n, "random");
  for (const int n : {4, 20}) eigenvalues<T>(n, "unit"), eigenvalues<T>(n, "rank one");
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 5), std::pair(7, 4), std::pair(4, 7), std::pair(40, 33), std::pair(100, 3)}) singular<T>(m, n, "random");
  singular<T>(8, 5, "zero"), singular<T>(8, 5, "rank one");
}

int main() {
  begin();
  cusolverDnCreate(&solver);
  all<float>(), all<double>(), all<C>(), all<Z>();
  refused<float>(), refused<double>(), refused<C>(), refused<Z>();
  cusolverDnDestroy(solver);
  return end();
}
