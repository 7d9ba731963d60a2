// cuSOLVER's functions that no other program calls: products of triangles, exchanges of rows, many matrices at once, singular values by the polar
// and the random way, refinement by a parameter's precision; cuBLAS's least squares of many.
// solves_more [S|D|C|Z]
#include <tuple>

#include "solver.h"

/// L^H L or U U^H of the triangle that the matrix holds.
template <typename T> void triangles(int n) {
  using W = Wide<T>;
  for (const auto fill : kFills) {
    Case one;
    const bool upper = fill == CUBLAS_FILL_MODE_UPPER;
    Matrix<T> a(n, n);
    for (int i = 0; i < n; ++i) a(i, i) = real_number<T>(1 + i % 3);
    a.array.put();
    Dense<W> triangle = dense_of(a);
    for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) if (upper ? i > j : i < j) triangle(i, j) = 0;
    const auto whole = upper ? product(triangle, op_of(triangle, 2)) : product(op_of(triangle, 2), triangle);
    Work work(n);
    int size = 0;
    int status = SDCZ(lauum_bufferSize, fill, n, a.p(), int(a.ld), &size);
    if (status == 0) status = SDCZ(lauum, fill, n, a.p(), int(a.ld), cuda(room<T>(size)), size, work.info.device);
    a.check(text("lauum<%s> n %d fill %d", Kind<T>::name, n, fill), status, [&](int64_t i, int64_t j) { return upper ? i <= j : i >= j; }, [&](int64_t i, int64_t j) { return whole(i, j); }, work.told());
  }
}

template <typename T> void exchanged(int m, int n, int first, int last, int step) {
  Case one;
  Matrix<T> a(m, n);
  vector<int> pivots;
  for (int i = 0; i < m; ++i) pivots.push_back(i + 1 + int((number() + 1) / 2 * (m - i)) % std::max(m - i, 1));
  Array<int> rows(pivots);
  auto whole = dense_of(a);
  for (int k = 0; k <= last - first; ++k) {
    const int i = step > 0 ? first + k : last - k;
    for (int j = 0; j < n && m > 0; ++j) std::swap(whole(i - 1, j), whole(pivots[size_t(i - 1)] - 1, j));
  }
  const int status = SDCZ(laswp, n, a.p(), int(a.ld), first, last, rows.device, step);
  a.check(text("laswp<%s> %d x %d from %d to %d by %d", Kind<T>::name, m, n, first, last, step), status, [&](int64_t i, int64_t j) { return whole(i, j); });
}

template <typename T> void eigenvalues_of_many(int n, int count) {
  using W = Wide<T>;
  constexpr auto real = sizeof(Real<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
  for (const auto mode : {CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_NOVECTOR})
    for (const auto fill : kFills) {
      Case one;
      Array<T> all(size_t(n * n * count));
      vector<Dense<W>> wholes;
      for (int k = 0; k < count; ++k) {
        Dense<W> whole(n, n);
        for (int j = 0; j < n; ++j)
          for (int i = 0; i < n; ++i) {
            T& v = all.host[size_t((k * n + j) * n + i)];
            if (i == j) if constexpr (is_complex<T>) v = T(v.real(), 0);
            if (fill == CUBLAS_FILL_MODE_UPPER ? i > j : i < j) v = nan_of<T>();
            else whole(i, j) = wide(v), whole(j, i) = conj_of(wide(v));
          }
        wholes.push_back(whole);
      }
      all.put();
      Array<Real<T>> w(size_t(n * count), false);
      Array<int> infos(vector<int>(size_t(count + 1), -777));
      cusolverDnParams_t params;
      cusolverDnCreateParams(&params);
      size_t device = 0, host = 0;
      int status = cusolverDnXsyevBatched_bufferSize(solver, params, mode, fill, n, type_of<T>, all.device, n, real, w.device, type_of<T>, &device, &host, count);
      vector<char> there(host + 1);
      if (status == 0) status = cusolverDnXsyevBatched(solver, params, mode, fill, n, type_of<T>, all.device, n, real, w.device, type_of<T>, take(device + 1), device, there.data(), host, infos.device, count);
      cusolverDnDestroyParams(params);
      std::string told = "infos";
      for (const int i : infos.get()) told += text(" %d", i);
      const std::string tail = text("<%s> n %d, %d fill %d vectors %d", Kind<T>::name, n, count, fill, mode);
      line("XsyevBatched" + tail, status, 0, 0, told);
      const auto got = all.get();
      const auto values = w.get();
      for (int k = 0; k < count && status == 0; ++k) {
        const vector<Real<T>> mine(values.begin() + k * n, values.begin() + (k + 1) * n);
        L trace = 0, sum = 0, size = 0;
        for (int i = 0; i < n; ++i) trace += std::real(wholes[size_t(k)](i, i)), sum += mine[size_t(i)], size += std::fabs(L(mine[size_t(i)]));
        line("XsyevBatched trace" + tail + text(" %d", k), status, size > 0 ? double(std::fabs(trace - sum) / (size * Kind<T>::ulp)) : 0, 0, text("ascending %d", int(std::is_sorted(mine.begin(), mine.end()))));
        if (mode != CUSOLVER_EIG_MODE_VECTOR) continue;
        Dense<W> v(n, n);
        for (int j = 0; j < n * n; ++j) v.all[size_t(j)] = wide(got[size_t(k * n * n + j)]);
        tell<T>("XsyevBatched residual" + tail + text(" %d", k), status, product(wholes[size_t(k)], v), scaled(v, mine));
        tell<T>("XsyevBatched orthogonal" + tail + text(" %d", k), status, product(op_of(v, 2), v), unit_of<W>(n));
      }
    }
}

/// By the polar decomposition, and of the greatest k by random vectors.
template <typename T> void singular_more(int m, int n) {
  using W = Wide<T>;
  constexpr auto t = type_of<T>;
  constexpr auto real = sizeof(Real<T>) == 4 ? CUDA_R_32F : CUDA_R_64F;
  const int least = std::min(m, n);
  cusolverDnParams_t params;
  cusolverDnCreateParams(&params);
  for (const int econ : {0, 1})
    for (const auto mode : {CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_NOVECTOR}) {
      Case one;
      const std::string tail = text("<%s> %d x %d econ %d vectors %d", Kind<T>::name, m, n, econ, mode);
      Matrix<T> a(m, n), u(m, m), v(n, n);
      const auto whole = dense_of(a);
      Array<Real<T>> s(size_t(least), false);
      Work work(n);
      size_t device = 0, host = 0;
      double off = -7;
      int status = cusolverDnXgesvdp_bufferSize(solver, params, mode, econ, m, n, t, a.p(), a.ld, real, s.device, t, u.p(), u.ld, t, v.p(), v.ld, t, &device, &host);
      vector<char> there(host + 1);
      if (status == 0) status = cusolverDnXgesvdp(solver, params, mode, econ, m, n, t, a.p(), a.ld, real, s.device, t, u.p(), u.ld, t, v.p(), v.ld, t, take(device + 1), device, there.data(), host, work.info.device, &off);
      if (status != 0) { line("Xgesvdp" + tail, status, 0, 0, work.told()); continue; }
      tell_values<T>("Xgesvdp values" + tail, status, s, singular_values(whole), work.told() + text(" off %d", off >= 0 && off < 1e-3));
      if (mode != CUSOLVER_EIG_MODE_VECTOR) continue;
      const auto left = now_of(u), right = now_of(v);
      tell<T>("Xgesvdp residual" + tail, status, product(scaled(columns_of(left, least), s.get()), op_of(columns_of(right, least), 2)), whole);
      const int columns = econ ? least : m, others = econ ? least : n;
      tell<T>("Xgesvdp left orthogonal" + tail, status, product(op_of(columns_of(left, columns), 2), columns_of(left, columns)), unit_of<W>(columns));
      tell<T>("Xgesvdp right orthogonal" + tail, status, product(op_of(columns_of(right, others), 2), columns_of(right, others)), unit_of<W>(others));
    }
  for (const int k : {1, std::max(least / 2, 1), least}) {  // of rank k: what is random does not show
    Case one;
    Matrix<T> a(m, n), x(m, k), y(k, n), u(m, m), v(n, n);
    const auto both = product(dense_of(x), dense_of(y));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        if constexpr (is_complex<T>) a(i, j) = T(Real<T>(both(i, j).real()), Real<T>(both(i, j).imag()));
        else a(i, j) = T(both(i, j));
      }
    a.array.put();
    const auto whole = dense_of(a);
    Array<Real<T>> s(size_t(least), false);
    Work work(n);
    size_t device = 0, host = 0;
    const int64_t more = std::min(2, least - k), rounds = 2;
    int status = cusolverDnXgesvdr_bufferSize(solver, params, 'S', 'S', m, n, k, more, rounds, t, a.p(), a.ld, real, s.device, t, u.p(), u.ld, t, v.p(), v.ld, t, &device, &host);
    vector<char> there(host + 1);
    if (status == 0) status = cusolverDnXgesvdr(solver, params, 'S', 'S', m, n, k, more, rounds, t, a.p(), a.ld, real, s.device, t, u.p(), u.ld, t, v.p(), v.ld, t, take(device + 1), device, there.data(), host, work.info.device);
    const std::string tail = text("<%s> %d x %d k %d", Kind<T>::name, m, n, k);
    if (status != 0) { line("Xgesvdr" + tail, status, 0, 0, work.told()); continue; }
    auto values = singular_values(whole);
    values.resize(size_t(k));
    tell_values<T>("Xgesvdr values" + tail, status, s, values, work.told());
    const auto now = s.get();
    tell<T>("Xgesvdr residual" + tail, status, product(scaled(columns_of(now_of(u), k), now), op_of(columns_of(now_of(v), k), 2)), whole);
  }
  cusolverDnDestroyParams(params);
}

/// The refinement that a parameter's precisions choose.
template <typename T> void refined(int m, int n, cusolverPrecType_t lowest, bool fallback) {
  Case one;
  constexpr auto main_of = std::is_same_v<T, float> ? CUSOLVER_R_32F : std::is_same_v<T, double> ? CUSOLVER_R_64F : std::is_same_v<T, C> ? CUSOLVER_C_32F : CUSOLVER_C_64F;
  cusolverDnIRSParams_t params;
  cusolverDnIRSInfos_t infos;
  cusolverDnIRSParamsCreate(&params), cusolverDnIRSInfosCreate(&infos);
  const int set = cusolverDnIRSParamsSetSolverPrecisions(params, main_of, lowest);
  cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL);
  if (fallback) cusolverDnIRSParamsEnableFallback(params);
  else cusolverDnIRSParamsDisableFallback(params);
  Matrix<T> a(m, n), b(m, 1), x(n, 1);
  for (int i = 0; i < n; ++i) a(i, i) += real_number<T>(n + 2);
  a.array.put();
  const auto whole = dense_of(a);
  Work work(n);
  size_t bytes = 0;
  int steps = -777;
  const std::string tail = text("<%s> %d x %d by %d fallback %d", Kind<T>::name, m, n, lowest, fallback);
  if (m == n) {
    int status = cusolverDnIRSXgesv_bufferSize(solver, params, n, 1, &bytes);
    if (status == 0) status = cusolverDnIRSXgesv(solver, params, infos, n, 1, a.p(), int(a.ld), b.p(), int(b.ld), x.p(), int(x.ld), take(bytes + 1), bytes, &steps, work.info.device);
    tell<T>("IRSXgesv residual" + tail, status, product(whole, now_of(x)), dense_of(b), work.told() + text(" set %d refined %d", set, int(steps >= 0)));
  }
  a.array.put();
  steps = -777;
  int status = cusolverDnIRSXgels_bufferSize(solver, params, m, n, 1, &bytes);
  if (status == 0) status = cusolverDnIRSXgels(solver, params, infos, m, n, 1, a.p(), int(a.ld), b.p(), int(b.ld), x.p(), int(x.ld), take(bytes + 1), bytes, &steps, work.info.device);
  const auto h = op_of(whole, 2);
  tell<T>("IRSXgels residual" + tail, status, product(h, product(whole, now_of(x))), product(h, dense_of(b)), work.told() + text(" set %d refined %d", set, int(steps >= 0)));
  cusolverDnIRSParamsDestroy(params), cusolverDnIRSInfosDestroy(infos);
}

template <typename T> void least_squares(int m, int n, int sides, int count) {
  using W = Wide<T>;
  using K = typename Kind<T>::Cuda;
  for (const auto op : kOps) {
    Case one;
    vector<Matrix<T>> a, c;
    vector<void*> pa, pc;
    for (int k = 0; k < count; ++k) {
      a.emplace_back(m, n), c.emplace_back(m, sides);
      for (int i = 0; i < std::min(m, n); ++i) a.back()(i, i) += real_number<T>(3);
      a.back().array.put();
      pa.push_back(a.back().array.device), pc.push_back(c.back().array.device);
    }
    void **da = static_cast<void**>(take(8 * size_t(count) + 8)), **dc = static_cast<void**>(take(8 * size_t(count) + 8));
    cudaMemcpy(da, pa.data(), 8 * size_t(count), cudaMemcpyHostToDevice), cudaMemcpy(dc, pc.data(), 8 * size_t(count), cudaMemcpyHostToDevice);
    Array<int> infos(vector<int>(size_t(count + 1), -777));
    int info = -777;
    const int64_t lda = std::max(m, 1) + 2;
    const int status = BLAS(gelsBatched, op, m, n, sides, reinterpret_cast<K**>(da), int(lda), reinterpret_cast<K**>(dc), int(lda), &info, infos.device, count);
    cudaDeviceSynchronize();
    std::string told = text("info %d infos", info);
    for (const int i : infos.get()) told += text(" %d", i);
    const std::string tail = text("<%s> %d x %d op %d sides %d, %d", Kind<T>::name, m, n, op, sides, count);
    line("gelsBatched" + tail, status, 0, 0, told);
    for (int k = 0; k < count && status == 0 && info == 0; ++k) {
      const auto whole = dense_of(a[size_t(k)]), h = op_of(whole, 2), side = dense_of(c[size_t(k)]), now = now_of(c[size_t(k)]);
      Dense<W> x(n, sides);
      for (int j = 0; j < sides; ++j) for (int i = 0; i < n; ++i) x(i, j) = now(i, j);
      tell<T>("gelsBatched residual" + tail + text(" %d", k), status, product(h, product(whole, x)), product(h, side));
    }
  }
}

template <typename T> void all() {
  for (const int n : {1, 2, 7, 40}) triangles<T>(n);
  for (const auto& [m, n, first, last, step] : {std::tuple{1, 1, 1, 1, 1}, std::tuple{6, 4, 1, 6, 1}, std::tuple{6, 4, 2, 4, 1}, std::tuple{6, 4, 1, 6, -1}, std::tuple{50, 33, 1, 50, 1}, std::tuple{50, 33, 5, 40, -1}}) exchanged<T>(m, n, first, last, step);
  for (const auto& [n, count] : {std::pair(1, 1), std::pair(3, 4), std::pair(20, 3), std::pair(40, 2)}) eigenvalues_of_many<T>(n, count);
  for (const auto& [m, n] : {std::pair(1, 1), std::pair(6, 6), std::pair(9, 5), std::pair(5, 9), std::pair(40, 22)}) singular_more<T>(m, n);
  for (const auto& [m, n] : {std::pair(6, 6), std::pair(30, 30), std::pair(30, 12)})
    for (const bool fallback : {true, false})
      for (const auto lowest : {CUSOLVER_R_64F, CUSOLVER_R_32F, CUSOLVER_R_16F, CUSOLVER_R_16BF, CUSOLVER_R_TF32, CUSOLVER_C_64F, CUSOLVER_C_32F, CUSOLVER_C_16F, CUSOLVER_C_16BF, CUSOLVER_C_TF32}) refined<T>(m, n, lowest, fallback);
  for (const auto& [m, n, sides, count] : {std::tuple{1, 1, 1, 1}, std::tuple{5, 5, 2, 3}, std::tuple{9, 4, 3, 2}, std::tuple{40, 20, 1, 4}, std::tuple{4, 9, 1, 2}, std::tuple{5, 3, 1, 0}}) least_squares<T>(m, n, sides, count);
}

int main(int count, char** words) {
  begin();
  cusolverDnCreate(&solver), cublasCreate(&handle);
  const auto is = [&](const char* type) { return count < 2 || std::strcmp(words[1], type) == 0; };
  if (is("S")) all<float>();
  if (is("D")) all<double>();
  if (is("C")) all<C>();
  if (is("Z")) all<Z>();
  cusolverDnDestroy(solver), cublasDestroy(handle);
  return end();
}
