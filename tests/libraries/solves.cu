// cuSOLVER's further functions: inverses, many matrices at once, L D L^T, pairs of matrices, some eigenvalues, Jacobi's methods, the 64-bit
// functions, refinement.
// solves [S|D|C|Z]
#include <tuple>

#include "solver.h"

/// A Hermitian matrix, positive if asked; the other triangle is NaN. Returns the whole.
template <typename T> Dense<Wide<T>> fill_hermitian(Matrix<T>& a, bool upper, bool positive, bool symmetric = false) {
  const int n = int(a.n);
  Matrix<T> g(n, n);
  const auto gg = positive ? product(dense_of(g), op_of(dense_of(g), 2)) : dense_of(g);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if constexpr (is_complex<T>) a(i, j) = T(Real<T>(gg(i, j).real()), Real<T>(i == j && !symmetric ? 0 : gg(i, j).imag()));
      else a(i, j) = T(gg(i, j));
      if (positive && i == j) a(i, j) += real_number<T>(1);
      if (upper ? i > j : i < j) a(i, j) = nan_of<T>();
    }
  a.array.put();
  Dense<Wide<T>> whole(n, n);
  for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) whole(i, j) = (upper ? i <= j : i >= j) ? a[{i, j}] : symmetric ? a[{j, i}] : conj_of(a[{j, i}]);
  return whole;
}
template <typename T> Dense<Wide<T>> whole_of(const Matrix<T>& a, bool upper, bool symmetric = false) {
  const auto now = now_of(a);
  Dense<Wide<T>> whole(a.n, a.n);
  for (int j = 0; j < a.n; ++j) for (int i = 0; i < a.n; ++i) whole(i, j) = (upper ? i <= j : i >= j) ? now(i, j) : symmetric ? now(j, i) : conj_of(now(j, i));
  return whole;
}
template <typename T> void inverses(int n) {
  using W = Wide<T>;
  for (const auto fill : kFills) {
    Case one;
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    const std::string tail = text("<%s> n %d fill %d", Kind<T>::name, n, fill);
    Matrix<T> a(n, n);
    const auto whole = fill_hermitian(a, upper, true);
    Work work(n);
    T* const space = room<T>(200000);
    SDCZ(potrf, fill, n, a.p(), int(a.ld), cuda(space), 200000, work.info.device);
    int size = 0;
    int status = SDCZ(potri_bufferSize, fill, n, a.p(), int(a.ld), &size);
    line("potri_bufferSize" + tail, status, 0, 0);
    status = SDCZ(potri, fill, n, a.p(), int(a.ld), cuda(room<T>(size)), size, work.info.device);
    tell<T>("potri residual" + tail, status, product(whole_of(a, upper), whole), unit_of<W>(n), work.told());
    for (const bool pivoted : {true, false}) {
      Matrix<T> s(n, n), b(n, 3);
      const auto symmetric = fill_hermitian(s, upper, false, true);
      if (!pivoted) for (int i = 0; i < n; ++i) s(i, i) += real_number<T>(n), s.array.put();
      Dense<W> now = symmetric;
      if (!pivoted) for (int i = 0; i < n; ++i) now(i, i) = s[{i, i}];
      status = SDCZ(sytrf_bufferSize, n, s.p(), int(s.ld), &size);
      line("sytrf_bufferSize" + tail, status, 0, 0);
      Work pivots(n);
      status = SDCZ(sytrf, fill, n, s.p(), int(s.ld), pivoted ? pivots.pivots.device : nullptr, cuda(room<T>(size)), size, pivots.info.device);
      std::string order;
      if (n <= 9 && pivoted) for (int i = 0; i < n; ++i) order += text(" %d", pivots.pivots.get()[size_t(i)]);
      line("sytrf" + tail + (pivoted ? "" : " without pivots"), status, 0, 0, pivots.told() + order);
      vector<int64_t> wide;
      for (int i = 0; i < n; ++i) wide.push_back(pivots.pivots.get()[size_t(i)]);
      int64_t* rows = static_cast<int64_t*>(take(size_t(n + 1) * 8));
      cudaMemcpy(rows, wide.data(), size_t(n) * 8, cudaMemcpyHostToDevice);
      size_t device = 0, host = 0;
      status = cusolverDnXsytrs_bufferSize(solver, fill, n, 3, type_of<T>, s.p(), s.ld, pivoted ? rows : nullptr, type_of<T>, b.p(), b.ld, &device, &host);
      vector<char> there(host + 1);
      if (status == 0) status = cusolverDnXsytrs(solver, fill, n, 3, type_of<T>, s.p(), s.ld, pivoted ? rows : nullptr, type_of<T>, b.p(), b.ld, take(device + 1), device, there.data(), host, pivots.info.device);
      tell<T>("sytrs residual" + tail + (pivoted ? "" : " without pivots"), status, product(now, now_of(b)), dense_of(b), pivots.told());
      if (!pivoted) continue;
      status = SDCZ(sytri_bufferSize, fill, n, s.p(), int(s.ld), pivots.pivots.device, &size);
      if (status == 0) status = SDCZ(sytri, fill, n, s.p(), int(s.ld), pivots.pivots.device, cuda(room<T>(size)), size, pivots.info.device);
      tell<T>("sytri residual" + tail, status, product(whole_of(s, upper, true), now), unit_of<W>(n), pivots.told());
    }
    Matrix<T> t(n, n);
    for (int i = 0; i < n; ++i) t(i, i) += real_number<T>(4);
    t.array.put();
    auto triangle = dense_of(t);
    for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) if (upper ? i > j : i < j) triangle(i, j) = 0;
    size_t device = 0, host = 0;
    status = cusolverDnXtrtri_bufferSize(solver, fill, CUBLAS_DIAG_NON_UNIT, n, type_of<T>, t.p(), t.ld, &device, &host);
    vector<char> there(host + 1);
    if (status == 0) status = cusolverDnXtrtri(solver, fill, CUBLAS_DIAG_NON_UNIT, n, type_of<T>, t.p(), t.ld, take(device + 1), device, there.data(), host, work.info.device);
    auto inverse = now_of(t);
    for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) if (upper ? i > j : i < j) inverse(i, j) = 0;
    tell<T>("trtri residual" + tail, status, product(triangle, inverse), unit_of<W>(n), work.told());
  }
}

template <typename T> void many(int n, int count) {
  using W = Wide<T>;
  for (const auto fill : kFills) {
    Case one;
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    const std::string tail = text("<%s> n %d fill %d, %d", Kind<T>::name, n, fill, count);
    vector<Matrix<T>> a, b;
    vector<Dense<W>> wholes;
    for (int i = 0; i < count; ++i) {
      a.emplace_back(n, n), b.emplace_back(n, 1);
      wholes.push_back(fill_hermitian(a.back(), upper, i != 1));
    }
    vector<void*> pa, pb;
    for (int i = 0; i < count; ++i) pa.push_back(a[size_t(i)].array.device), pb.push_back(b[size_t(i)].array.device);
    void **da = static_cast<void**>(take(8 * size_t(count))), **db = static_cast<void**>(take(8 * size_t(count)));
    cudaMemcpy(da, pa.data(), 8 * size_t(count), cudaMemcpyHostToDevice), cudaMemcpy(db, pb.data(), 8 * size_t(count), cudaMemcpyHostToDevice);
    Array<int> infos(vector<int>(size_t(count), -777));
    using K = typename Kind<T>::Cuda;
    int status = SDCZ(potrfBatched, fill, n, reinterpret_cast<K**>(da), int(a[0].ld), infos.device, count);
    std::string told;
    for (const int i : infos.get()) told += text(" %d", i);
    line("potrfBatched" + tail, status, 0, 0, told);
    Work work(n);
    status = SDCZ(potrsBatched, fill, n, 1, reinterpret_cast<K**>(da), int(a[0].ld), reinterpret_cast<K**>(db), int(b[0].ld), work.info.device, count);
    for (int i = 0; i < count; ++i)
      if (i != 1) tell<T>("potrsBatched residual" + tail + text(" %d", i), status, product(wholes[size_t(i)], now_of(b[size_t(i)])), dense_of(b[size_t(i)]), work.told());
  }
}

template <typename T> void pairs(int n) {
  using W = Wide<T>;
  for (const auto fill : kFills)
    for (const int kind : {1, 2, 3})
      for (const char* how : {"all", "jacobi", "index", "values", "not positive"}) {
        Case one;
        const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
        const std::string which = how, tail = text("<%s> n %d fill %d kind %d %s", Kind<T>::name, n, fill, kind, how);
        Matrix<T> a(n, n), b(n, n);
        const auto x = fill_hermitian(a, upper, false);
        auto y = fill_hermitian(b, upper, true);
        if (which == "not positive") b(n / 2, n / 2) = real_number<T>(-1), b.array.put();
        Array<Real<T>> w(size_t(n), false);
        Work work(n);
        int size = 0, found = n, status = 0;
        const auto type = cusolverEigType_t(kind);
        T* const space = room<T>(400000);
        const Real<T> low = Real<T>(-0.5), high = Real<T>(1.5);
        const auto range = which == "index" ? CUSOLVER_EIG_RANGE_I : CUSOLVER_EIG_RANGE_V;
        if (which == "jacobi") {
          syevjInfo_t info;
          cusolverDnCreateSyevjInfo(&info);
          status = SOLVE(Ssygvj_bufferSize, Dsygvj_bufferSize, Chegvj_bufferSize, Zhegvj_bufferSize, type, kVector, fill, n, a.p(), int(a.ld), b.p(), int(b.ld), w.device, &size, info);
          if (status == 0) status = SOLVE(Ssygvj, Dsygvj, Chegvj, Zhegvj, type, kVector, fill, n, a.p(), int(a.ld), b.p(), int(b.ld), w.device, cuda(room<T>(size)), size, work.info.device, info);
          cusolverDnDestroySyevjInfo(info);
        } else if (which == "index" || which == "values") {
          status = SOLVE(Ssygvdx, Dsygvdx, Chegvdx, Zhegvdx, type, kVector, range, fill, n, a.p(), int(a.ld), b.p(), int(b.ld), low, high, 1, (n + 1) / 2, &found, w.device, cuda(space), 400000, work.info.device);
        } else {
          status = SOLVE(Ssygvd_bufferSize, Dsygvd_bufferSize, Chegvd_bufferSize, Zhegvd_bufferSize, type, kVector, fill, n, a.p(), int(a.ld), b.p(), int(b.ld), w.device, &size);
          if (status == 0) status = SOLVE(Ssygvd, Dsygvd, Chegvd, Zhegvd, type, kVector, fill, n, a.p(), int(a.ld), b.p(), int(b.ld), w.device, cuda(room<T>(size)), size, work.info.device);
        }
        const std::string told = work.told() + text(" found %d", found);
        if (which == "not positive" || status != 0) { line("sygvd" + tail, status, 0, 0, told); continue; }
        const auto v = columns_of(now_of(a), found);
        const auto values = w.get();
        // 1: A v = B v w; 2: A B v = v w; 3: B A v = v w.
        const auto left = kind == 1 ? product(x, v) : kind == 2 ? product(x, product(y, v)) : product(y, product(x, v));
        tell<T>("sygvd residual" + tail, status, left, scaled(kind == 1 ? product(y, v) : v, values), told);
      }
}

template <typename T> void some_values(int n) {
  using W = Wide<T>;
  for (const auto fill : kFills)
    for (const auto& [how, il, iu, vl, vu] : {std::tuple("all", 0, 0, 0.0, 0.0), std::tuple("index", 1, n, 0.0, 0.0), std::tuple("index", n / 2 + 1, n, 0.0, 0.0), std::tuple("values", 0, 0, -0.7, 1.3), std::tuple("values", 0, 0, 90.0, 91.0)}) {
      Case one;
      const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
      const std::string which = how, tail = text("<%s> n %d fill %d %s %d %d %g", Kind<T>::name, n, fill, how, il, iu, vl);
      const auto range = which == "all" ? CUSOLVER_EIG_RANGE_ALL : which == "index" ? CUSOLVER_EIG_RANGE_I : CUSOLVER_EIG_RANGE_V;
      for (const bool wide : {false, true}) {
        Matrix<T> a(n, n);
        const auto whole = fill_hermitian(a, upper, false);
        Array<Real<T>> w(size_t(n), false);
        Work work(n);
        int size = 0, count = -1, status = 0;
        if (wide) {
          size_t device = 0, host = 0;
          int64_t found = -1;
          Real<T> low = Real<T>(vl), high = Real<T>(vu);
          cusolverDnParams_t params;
          cusolverDnCreateParams(&params);
          constexpr auto real = sizeof(Real<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
          status = cusolverDnXsyevdx_bufferSize(solver, params, kVector, range, fill, n, type_of<T>, a.p(), a.ld, &low, &high, il, iu, &found, real, w.device, type_of<T>, &device, &host);
          vector<char> there(host + 1);
          if (status == 0) status = cusolverDnXsyevdx(solver, params, kVector, range, fill, n, type_of<T>, a.p(), a.ld, &low, &high, il, iu, &found, real, w.device, type_of<T>, take(device + 1), device, there.data(), host, work.info.device);
          count = int(found);
          cusolverDnDestroyParams(params);
        } else {
          status = SOLVE(Ssyevdx_bufferSize, Dsyevdx_bufferSize, Cheevdx_bufferSize, Zheevdx_bufferSize, kVector, range, fill, n, a.p(), int(a.ld), Real<T>(vl), Real<T>(vu), il, iu, &count, w.device, &size);
          if (status == 0) status = SOLVE(Ssyevdx, Dsyevdx, Cheevdx, Zheevdx, kVector, range, fill, n, a.p(), int(a.ld), Real<T>(vl), Real<T>(vu), il, iu, &count, w.device, cuda(room<T>(size)), size, work.info.device);
        }
        const std::string told = work.told() + text(" found %d", count);
        if (status != 0 || count < 0 || count > n) { line((wide ? "Xsyevdx" : "syevdx") + tail, status, 0, 0, told); continue; }
        const auto v = columns_of(now_of(a), count);
        tell<T>((wide ? "Xsyevdx residual" : "syevdx residual") + tail, status, product(whole, v), scaled(v, w.get()), told);
        tell<T>((wide ? "Xsyevdx orthogonal" : "syevdx orthogonal") + tail, status, product(op_of(v, 2), v), unit_of<W>(count), told);
      }
    }
}

template <typename T> void jacobi(int n, int count) {
  using W = Wide<T>;
  for (const int sorted : {1, 0}) {
    Case one;
    const std::string tail = text("<%s> n %d, %d, sorted %d", Kind<T>::name, n, count, sorted);
    vector<Dense<W>> wholes;
    Array<T> all(size_t(n * n * count), false);
    for (int i = 0; i < count; ++i) {
      Matrix<T> a(n, n, 0);
      wholes.push_back(fill_hermitian(a, false, false));
      std::copy(a.array.host.begin(), a.array.host.end(), all.host.begin() + i * n * n);
    }
    all.put();
    Array<Real<T>> w(size_t(n * count), false);
    Array<int> infos(vector<int>(size_t(count), -777));
    syevjInfo_t info;
    cusolverDnCreateSyevjInfo(&info);
    cusolverDnXsyevjSetSortEig(info, sorted);
    int size = 0;
    const auto fill = CUBLAS_FILL_MODE_LOWER;
    int status = SOLVE(SsyevjBatched_bufferSize, DsyevjBatched_bufferSize, CheevjBatched_bufferSize, ZheevjBatched_bufferSize, kVector, fill, n, all.p(), n, w.device, &size, info, count);
    if (status == 0) status = SOLVE(SsyevjBatched, DsyevjBatched, CheevjBatched, ZheevjBatched, kVector, fill, n, all.p(), n, w.device, cuda(room<T>(size)), size, infos.device, info, count);
    const auto got = all.get();
    const auto values = w.get();
    for (int i = 0; i < count; ++i) {
      Dense<W> v(n, n);
      for (int j = 0; j < n * n; ++j) v.all[size_t(j)] = wide(got[size_t(i * n * n + j)]);
      const vector<Real<T>> mine(values.begin() + i * n, values.begin() + (i + 1) * n);
      tell<T>("syevjBatched residual" + tail + text(" %d", i), status, product(wholes[size_t(i)], v), scaled(v, mine), text("info %d ascending %d", infos.get()[size_t(i)], int(!sorted || std::is_sorted(mine.begin(), mine.end()))));
      tell<T>("syevjBatched orthogonal" + tail + text(" %d", i), status, product(op_of(v, 2), v), unit_of<W>(n));
    }
    Matrix<T> a(n, n);
    const auto whole = fill_hermitian(a, true, false);
    Work work(n);
    status = SOLVE(Ssyevj_bufferSize, Dsyevj_bufferSize, Cheevj_bufferSize, Zheevj_bufferSize, kVector, CUBLAS_FILL_MODE_UPPER, n, a.p(), int(a.ld), w.device, &size, info);
    if (status == 0) status = SOLVE(Ssyevj, Dsyevj, Cheevj, Zheevj, kVector, CUBLAS_FILL_MODE_UPPER, n, a.p(), int(a.ld), w.device, cuda(room<T>(size)), size, work.info.device, info);
    const auto v = now_of(a);
    auto mine = w.get();
    mine.resize(size_t(n));
    tell<T>("syevj residual" + tail, status, product(whole, v), scaled(v, mine), work.told());
    cusolverDnDestroySyevjInfo(info);
  }
}

template <typename T> void singular_ways(int m, int n) {
  using W = Wide<T>;
  const int least = std::min(m, n);
  for (const char* how : {"j", "j econ", "j none", "p", "p econ", "a", "batched", "r"}) {
    Case one;
    const std::string which = how, tail = text("<%s> %d x %d %s", Kind<T>::name, m, n, how);
    const bool batched = which == "batched", econ = which.ends_with("econ") || which == "a" || which == "r";
    Matrix<T> a(m, n, batched ? 0 : 2), u(m, m, 0), v(n, n, 0);
    const auto whole = dense_of(a);
    Array<Real<T>> s(size_t(std::max(least, 1)), false);
    Work work(n);
    int size = 0, status = 0;
    const auto mode = which == "j none" ? CUSOLVER_EIG_MODE_NOVECTOR : kVector;
    gesvdjInfo_t info;
    cusolverDnCreateGesvdjInfo(&info);
    cusolverDnParams_t params;
    cusolverDnCreateParams(&params);
    constexpr auto real = sizeof(Real<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
    size_t device = 0, host = 0;
    double more = -1;
    if (which[0] == 'j') {
      status = SDCZ(gesvdj_bufferSize, mode, econ, m, n, a.p(), int(a.ld), s.device, u.p(), int(u.ld), v.p(), int(v.ld), &size, info);
      if (status == 0) status = SDCZ(gesvdj, mode, econ, m, n, a.p(), int(a.ld), s.device, u.p(), int(u.ld), v.p(), int(v.ld), cuda(room<T>(size)), size, work.info.device, info);
    } else if (which[0] == 'p') {
      status = cusolverDnXgesvdp_bufferSize(solver, params, mode, econ, m, n, type_of<T>, a.p(), a.ld, real, s.device, type_of<T>, u.p(), u.ld, type_of<T>, v.p(), v.ld, type_of<T>, &device, &host);
      vector<char> there(host + 1);
      if (status == 0) status = cusolverDnXgesvdp(solver, params, mode, econ, m, n, type_of<T>, a.p(), a.ld, real, s.device, type_of<T>, u.p(), u.ld, type_of<T>, v.p(), v.ld, type_of<T>, take(device + 1), device, there.data(), host, work.info.device, &more);
    } else if (batched) {
      status = SDCZ(gesvdjBatched_bufferSize, mode, m, n, a.p(), int(a.ld), s.device, u.p(), int(u.ld), v.p(), int(v.ld), &size, info, 1);
      if (status == 0) status = SDCZ(gesvdjBatched, mode, m, n, a.p(), int(a.ld), s.device, u.p(), int(u.ld), v.p(), int(v.ld), cuda(room<T>(size)), size, work.info.device, info, 1);
    } else if (which == "a") {
      status = SDCZ(gesvdaStridedBatched_bufferSize, mode, least, m, n, a.p(), int(a.ld), 0, s.device, 0, u.p(), int(u.ld), 0, v.p(), int(v.ld), 0, &size, 1);
      if (status == 0) status = SDCZ(gesvdaStridedBatched, mode, least, m, n, a.p(), int(a.ld), (long long)(a.ld * n), s.device, least, u.p(), int(u.ld), (long long)(u.ld * m), v.p(), int(v.ld), (long long)(v.ld * n), cuda(room<T>(size)), size, work.info.device, &more, 1);
    } else {
      status = cusolverDnXgesvdr_bufferSize(solver, params, 'S', 'S', m, n, least, 0, 2, type_of<T>, a.p(), a.ld, real, s.device, type_of<T>, u.p(), u.ld, type_of<T>, v.p(), v.ld, type_of<T>, &device, &host);
      vector<char> there(host + 1);
      if (status == 0) status = cusolverDnXgesvdr(solver, params, 'S', 'S', m, n, least, 0, 2, type_of<T>, a.p(), a.ld, real, s.device, type_of<T>, u.p(), u.ld, type_of<T>, v.p(), v.ld, type_of<T>, take(device + 1), device, there.data(), host, work.info.device);
    }
    cusolverDnDestroyGesvdjInfo(info), cusolverDnDestroyParams(params);
    if (status != 0) { line("gesvd" + tail, status, 0, 0, work.told()); continue; }
    tell_values<T>("gesvd values" + tail, status, s, singular_values(whole), work.told());
    if (mode != kVector) continue;
    const auto left = now_of(u), right = now_of(v);
    tell<T>("gesvd residual" + tail, status, product(scaled(columns_of(left, least), s.get()), op_of(columns_of(right, least), 2)), whole, work.told());
    const int columns = econ ? least : m, others = econ ? least : n;
    tell<T>("gesvd left orthogonal" + tail, status, product(op_of(columns_of(left, columns), 2), columns_of(left, columns)), unit_of<W>(columns));
    tell<T>("gesvd right orthogonal" + tail, status, product(op_of(columns_of(right, others), 2), columns_of(right, others)), unit_of<W>(others));
  }
}

template <typename T> void wide_functions(int n) {
  using W = Wide<T>;
  Case one;
  const std::string tail = text("<%s> n %d", Kind<T>::name, n);
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  constexpr auto t = type_of<T>;
  size_t device = 0, host = 0;
  Work work(n);
  {
    Matrix<T> a(n, n), b(n, 2);
    const auto whole = dense_of(a);
    int64_t* rows = static_cast<int64_t*>(take(size_t(n + 1) * 8));
    int status = cusolverDnXgetrf_bufferSize(solver, params, n, n, t, a.p(), a.ld, t, &device, &host);
    vector<char> there(host + 1);
    if (status == 0) status = cusolverDnXgetrf(solver, params, n, n, t, a.p(), a.ld, rows, t, take(device + 1), device, there.data(), host, work.info.device);
    line("Xgetrf" + tail, status, 0, 0, work.told());
    for (const auto op : kOps) {
      b.array.put();
      status = cusolverDnXgetrs(solver, params, op, n, 2, t, a.p(), a.ld, rows, t, b.p(), b.ld, work.info.device);
      tell<T>("Xgetrs residual" + tail + text(" op %d", op), status, product(op_of(whole, op), now_of(b)), dense_of(b), work.told());
    }
  }
  {
    Matrix<T> a(n, n), b(n, 2);
    const auto whole = fill_hermitian(a, true, true);
    int status = cusolverDnXpotrf_bufferSize(solver, params, CUBLAS_FILL_MODE_UPPER, n, t, a.p(), a.ld, t, &device, &host);
    vector<char> there(host + 1);
    if (status == 0) status = cusolverDnXpotrf(solver, params, CUBLAS_FILL_MODE_UPPER, n, t, a.p(), a.ld, t, take(device + 1), device, there.data(), host, work.info.device);
    if (status == 0) status = cusolverDnXpotrs(solver, params, CUBLAS_FILL_MODE_UPPER, n, 2, t, a.p(), a.ld, t, b.p(), b.ld, work.info.device);
    tell<T>("Xpotrs residual" + tail, status, product(whole, now_of(b)), dense_of(b), work.told());
  }
  {  // A v = v w, of any matrix; w complex
    using Of = std::conditional_t<sizeof(Real<T>) == 4, C, Z>;
    Matrix<T> a(n, n), v(n, n);
    const auto whole = dense_of(a);
    Array<Of> w(size_t(n), false);
    constexpr auto of = type_of<Of>;
    const auto none = CUSOLVER_EIG_MODE_NOVECTOR;
    int status = cusolverDnXgeev_bufferSize(solver, params, none, kVector, n, t, a.p(), a.ld, of, w.p(), t, nullptr, 1, t, v.p(), v.ld, t, &device, &host);
    vector<char> there(host + 1);
    if (status == 0) status = cusolverDnXgeev(solver, params, none, kVector, n, t, a.p(), a.ld, of, w.p(), t, nullptr, 1, t, v.p(), v.ld, t, take(device + 1), device, there.data(), host, work.info.device);
    const auto columns = now_of(v);
    const auto values = w.get();
    Dense<LC> x(n, n), y(n, n), all(n, n);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        all(i, j) = whole(i, j);
        if constexpr (is_complex<T>) {
          x(i, j) = columns(i, j);
        } else {
          const L im = values[size_t(j)].imag();
          x(i, j) = im > 0 && j + 1 < n ? LC(columns(i, j), columns(i, j + 1)) : im < 0 && j > 0 ? LC(columns(i, j - 1), -columns(i, j)) : LC(columns(i, j), 0);
        }
        y(i, j) = times(x(i, j), LC(values[size_t(j)].real(), values[size_t(j)].imag()));
      }
    tell<Of>("Xgeev residual" + tail, status, product(all, x), y, work.told());
  }
  cusolverDnDestroyParams(params);
}

template <typename T> void refined(int m, int n) {
  Case one;
  const std::string tail = text("<%s> %d x %d", Kind<T>::name, m, n);
  Matrix<T> a(m, n), b(m, 1), x(n, 1);
  for (int i = 0; i < n; ++i) a(i, i) += real_number<T>(3 + n);
  a.array.put();
  Work work(n);
  size_t bytes = 0;
  int steps = -7, status = 0;
  if (m == n) {
    status = SOLVE(SSgesv_bufferSize, DDgesv_bufferSize, CCgesv_bufferSize, ZZgesv_bufferSize, n, 1, a.p(), int(a.ld), work.pivots.device, b.p(), int(b.ld), x.p(), int(x.ld), nullptr, &bytes);
    if (status == 0) status = SOLVE(SSgesv, DDgesv, CCgesv, ZZgesv, n, 1, a.p(), int(a.ld), work.pivots.device, b.p(), int(b.ld), x.p(), int(x.ld), take(bytes + 1), bytes, &steps, work.info.device);
    tell<T>("gesv residual" + tail, status, product(dense_of(a), now_of(x)), dense_of(b), work.told() + text(" %s", steps < 0 ? "fell back" : "refined"));
  }
  status = SOLVE(SSgels_bufferSize, DDgels_bufferSize, CCgels_bufferSize, ZZgels_bufferSize, m, n, 1, a.p(), int(a.ld), b.p(), int(b.ld), x.p(), int(x.ld), nullptr, &bytes);
  if (status == 0) status = SOLVE(SSgels, DDgels, CCgels, ZZgels, m, n, 1, a.p(), int(a.ld), b.p(), int(b.ld), x.p(), int(x.ld), take(bytes + 1), bytes, &steps, work.info.device);
  // A^H (A x - b) = 0
  const auto h = op_of(dense_of(a), 2);
  tell<T>("gels residual" + tail, status, product(h, product(dense_of(a), now_of(x))), product(h, dense_of(b)), work.told());
}

template <typename T> void all() {
  for (const int n : {1, 2, 5, 9, 33}) inverses<T>(n);
  for (const int n : {1, 4, 20}) many<T>(n, 3);
  for (const int n : {1, 4, 20}) pairs<T>(n);
  for (const int n : {1, 5, 33}) some_values<T>(n);
  for (const int n : {1, 3, 8, 30}) jacobi<T>(n, 2);
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 5), std::pair(7, 4), std::pair(4, 7), std::pair(31, 20)}) singular_ways<T>(m, n);
  for (const int n : {1, 2, 3, 6, 20}) wide_functions<T>(n);
  refined<T>(8, 8), refined<T>(12, 5), refined<T>(40, 40);
}

int main(int count, char** words) {
  begin();
  cusolverDnCreate(&solver);
  const auto is = [&](const char* type) { return count < 2 || std::strcmp(words[1], type) == 0; };
  if (is("S")) all<float>();
  if (is("D")) all<double>();
  if (is("C")) all<C>();
  if (is("Z")) all<Z>();
  cusolverDnDestroy(solver);
  return end();
}
