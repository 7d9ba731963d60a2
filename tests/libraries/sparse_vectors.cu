// cuSPARSE: sparse vectors, sorts, products of two sparse matrices, incomplete factorisations, systems of three and five diagonals, matrices of
// blocks and of slices, many at a stride.
// sparse_vectors [SECTION]
#include <tuple>

#include "sparse.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define OLD(name, ...)                                                                             \
  [&] {                                                                                            \
    if constexpr (std::is_same_v<T, float>) return int(cusparseS##name(handle, __VA_ARGS__));      \
    else if constexpr (std::is_same_v<T, double>) return int(cusparseD##name(handle, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, C>) return int(cusparseC##name(handle, __VA_ARGS__));     \
    else return int(cusparseZ##name(handle, __VA_ARGS__));                                         \
  }()
constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <typename T, typename Index> void vectors_of(int n, int elements, int base) {
  using W = Wide<T>;
  const std::string tail = text("<%s> %d of %d index %d base %d", Kind<T>::name, elements, n, int(8 * sizeof(Index)), base);
  const auto it = sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
  const auto from = base == 0 ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE;
  for (const char* what : {"Axpby", "Axpby beta 0", "Axpby alpha 0", "Gather", "Scatter", "Rot", "SpVV", "SpVV conjugate"}) {
    Case one;
    const std::string which = what;
    vector<Index> places;
    for (int i = 0; i < elements; ++i) places.push_back(Index(int64_t(i) * n / elements + base));
    Array<Index> indices(places);
    Array<T> x{size_t(elements)}, y{size_t(n)};
    cusparseSpVecDescr_t sparse;
    cusparseDnVecDescr_t dense;
    int status = cusparseCreateSpVec(&sparse, n, elements, indices.device, x.device, it, from, type_of<T>());
    if (status != 0) { line("CreateSpVec" + tail, status, 0, 0); return; }
    cusparseCreateDnVec(&dense, n, y.device, type_of<T>());
    const T alpha = scalar<T>(which == "Axpby alpha 0" ? 0 : 2), beta = scalar<T>(which == "Axpby beta 0" ? 0 : 1);
    vector<W> of_x, of_y;
    for (const T& v : x.host) of_x.push_back(wide(v));
    for (const T& v : y.host) of_y.push_back(wide(v));
    const auto at = [&](int i) { return size_t(places[size_t(i)] - base); };
    if (which.starts_with("SpVV")) {
      const auto op = which == "SpVV" ? kPlain : CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
      Array<T> result(size_t(1), false);
      size_t size = 0;
      status = cusparseSpVV_bufferSize(handle, op, sparse, dense, result.host.data(), type_of<T>(), &size);
      if (status == 0) status = cusparseSpVV(handle, op, sparse, dense, result.host.data(), type_of<T>(), space(size));
      cudaDeviceSynchronize();
      result.put();
      W sum = 0;
      for (int i = 0; i < elements; ++i) sum += times(op == kPlain ? of_x[size_t(i)] : conj_of(of_x[size_t(i)]), of_y[at(i)]);
      check(which + tail, status, result, {sum});
    } else if (which.starts_with("Axpby")) {
      status = cusparseAxpby(handle, &alpha, sparse, &beta, dense);
      for (W& v : of_y) v = times(v, wide(beta));
      for (int i = 0; i < elements; ++i) of_y[at(i)] += times(of_x[size_t(i)], wide(alpha));
      check(which + tail, status, y, of_y);
    } else if (which == "Gather") {
      status = cusparseGather(handle, dense, sparse);
      for (int i = 0; i < elements; ++i) of_x[size_t(i)] = of_y[at(i)];
      check(which + tail, status, x, of_x);
    } else if (which == "Scatter") {
      status = cusparseScatter(handle, sparse, dense);
      for (int i = 0; i < elements; ++i) of_y[at(i)] = of_x[size_t(i)];
      check(which + tail, status, y, of_y);
    } else {
      const Real<T> c = Real<T>(0.6);
      const T s = scalar<T>(2);
      const T wide_c = T(c);  // the cosine is of the vectors' type
      status = cusparseRot(handle, &wide_c, &s, sparse, dense);
      const auto old_x = of_x, old_y = of_y;
      for (int i = 0; i < elements; ++i) {
        of_x[size_t(i)] = W(L(c)) * old_x[size_t(i)] + times(W(wide(s)), old_y[at(i)]);
        of_y[at(i)] = W(L(c)) * old_y[at(i)] - times(W(wide(s)), old_x[size_t(i)]);
      }
      check("Rot x" + tail, status, x, of_x);
      check("Rot y" + tail, status, y, of_y);
    }
    cusparseDestroySpVec(sparse), cusparseDestroyDnVec(dense);
  }
}
template <typename T> void vectors() {
  for (const auto& [n, elements] : {std::pair(1, 1), std::pair(7, 3), std::pair(100, 33), std::pair(5000, 1200), std::pair(9, 0), std::pair(6, 6)})
    for (const int base : {0, 1}) vectors_of<T, int>(n, elements, base), vectors_of<T, int64_t>(n, elements, base);
}

/// The matrix's elements in another order within each row (CSR) or anywhere (COO).
static void sorted(const char* how, int m, int n, int count, int base) {
  Case one;
  const std::string which = how;
  vector<int> rows, columns;
  for (int k = 0; k < count; ++k) {  // each place at most once: 7 k is another number modulo m n
    const int64_t at = int64_t(k) * 7 % (int64_t(m) * n);
    rows.push_back(int(at / n) + base), columns.push_back(int(at % n) + base);
  }
  const bool by_line = which == "csrsort" || which == "cscsort";
  const int lines_of = which == "cscsort" ? n : m;
  const vector<int>& major = which == "cscsort" ? columns : rows;
  const vector<int>& minor = which == "cscsort" ? rows : columns;
  vector<int> offsets{base}, others;
  for (int i = 0; i < lines_of; ++i) {
    for (int k = 0; k < count; ++k) if (major[size_t(k)] == i + base) others.push_back(minor[size_t(k)]);
    offsets.push_back(int(others.size()) + base);
  }
  if (!by_line) others = columns;
  Array<int> first(by_line ? offsets : rows), second(others), order(vector<int>(size_t(count), -1));
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  cusparseSetMatIndexBase(description, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  size_t size = 0;
  int status = cusparseCreateIdentityPermutation(handle, count, order.device);
  if (count > 0 || status == 0) {
    if (which == "csrsort") {
      status = cusparseXcsrsort_bufferSizeExt(handle, m, n, count, first.device, second.device, &size);
      if (status == 0) status = cusparseXcsrsort(handle, m, n, count, description, first.device, second.device, order.device, space(size));
    } else if (which == "cscsort") {
      status = cusparseXcscsort_bufferSizeExt(handle, m, n, count, first.device, second.device, &size);
      if (status == 0) status = cusparseXcscsort(handle, m, n, count, description, first.device, second.device, order.device, space(size));
    } else {
      status = cusparseXcoosort_bufferSizeExt(handle, m, n, count, first.device, second.device, &size);
      if (status == 0) status = which == "coosort rows" ? cusparseXcoosortByRow(handle, m, n, count, first.device, second.device, order.device, space(size))
                                                        : cusparseXcoosortByColumn(handle, m, n, count, first.device, second.device, order.device, space(size));
    }
  }
  unsigned hash = 1;
  for (const auto& array : {first.get(), second.get(), order.get()}) for (const int v : array) hash = hash * 31 + unsigned(v);
  line(text("%s %d x %d, %d base %d", how, m, n, count, base), status, 0, 0, text("hash %08x", hash));
  cusparseDestroyMatDescr(description);
}
static void sorts() {
  for (const char* how : {"csrsort", "cscsort", "coosort rows", "coosort columns"})
    for (const int base : {0, 1})
      for (const auto& [m, n, count] : {std::tuple(1, 1, 1), std::tuple(5, 4, 13), std::tuple(40, 33, 500), std::tuple(3, 4, 0), std::tuple(2, 500, 900)}) sorted(how, m, n, count, base);
}

/// A B, or with what was there, by the two ways.
template <typename T> void multiplied(int m, int k, int n, int kind_a, int kind_b, cusparseSpGEMMAlg_t alg, bool again) {
  using W = Wide<T>;
  Case one;
  const Sparse<T> a(m, k, kind_a), b(k, n, kind_b);
  Placed<T, int> pa(a, 0, 0), pb(b, 0, 0);
  const std::string tail = text("<%s> %d x %d x %d kinds %d %d alg %d", Kind<T>::name, m, k, n, kind_a, kind_b, int(alg));
  Array<int> offsets(vector<int>(size_t(m) + 1, -1));
  const auto I = CUSPARSE_INDEX_32I;
  cusparseSpMatDescr_t c;
  cusparseCreateCsr(&c, m, n, 0, offsets.device, nullptr, nullptr, I, I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>());
  cusparseSpGEMMDescr_t d;
  cusparseSpGEMM_createDescr(&d);
  const T alpha = scalar<T>(2), beta = scalar<T>(0);
  const auto t = type_of<T>();
  int64_t rows = -1, columns = -1, elements = -1;
  size_t s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
  int status = 0;
  void *b1 = nullptr, *b2 = nullptr, *b4 = nullptr, *b5 = nullptr;
  if (!again) {
    status = cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, &s1, nullptr);
    b1 = space(s1);
    if (status == 0) status = cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, &s1, b1);
    int64_t count = -1;
    const int counted = cusparseSpGEMM_getNumProducts(d, &count);
    line("SpGEMM_getNumProducts" + tail, counted, 0, 0, text("%lld", (long long)count));
    if (status == 0 && alg != CUSPARSE_SPGEMM_DEFAULT && alg != CUSPARSE_SPGEMM_ALG1) {
      status = cusparseSpGEMM_estimateMemory(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, 0.5f, &s3, nullptr, nullptr);
      b4 = space(s3);
      if (status == 0) status = cusparseSpGEMM_estimateMemory(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, 0.5f, &s3, b4, &s2);
    } else if (status == 0) {
      status = cusparseSpGEMM_compute(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, &s2, nullptr);
    }
    b2 = space(s2);
    if (status == 0) status = cusparseSpGEMM_compute(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d, &s2, b2);
  } else {
    status = cusparseSpGEMMreuse_workEstimation(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s1, nullptr);
    b1 = space(s1);
    if (status == 0) status = cusparseSpGEMMreuse_workEstimation(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s1, b1);
    if (status == 0) status = cusparseSpGEMMreuse_nnz(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s2, nullptr, &s3, nullptr, &s4, nullptr);
    b2 = space(s2), b4 = space(s3), b5 = space(s4);
    if (status == 0) status = cusparseSpGEMMreuse_nnz(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s2, b2, &s3, b4, &s4, b5);
  }
  const int sized = cusparseSpMatGetSize(c, &rows, &columns, &elements);
  line((again ? "SpGEMMreuse size" : "SpGEMM size") + tail, status, 0, 0, text("%d: %lld x %lld, %lld", sized, (long long)rows, (long long)columns, (long long)elements));
  if (status == 0 && elements >= 0) {
    Array<int> places(vector<int>(size_t(elements), -1));
    Array<T> values(size_t(elements), false);
    status = cusparseCsrSetPointers(c, offsets.device, places.device, values.device);
    if (!again) {
      if (status == 0) status = cusparseSpGEMM_copy(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d);
    } else {
      if (status == 0) status = cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s5, nullptr);
      if (status == 0) status = cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, pa.descr, pb.descr, c, alg, d, &s5, space(s5));
      for (int twice = 0; twice < 2; ++twice) if (status == 0) status = cusparseSpGEMMreuse_compute(handle, kPlain, kPlain, &alpha, pa.descr, pb.descr, &beta, c, t, alg, d);
    }
    const auto from = offsets.get(), at = places.get();
    const auto got = values.get();
    Array<T> dense(size_t(m) * size_t(n), false);
    for (T& v : dense.host) v = T(Real<T>(0));
    int wrong = 0;
    for (int i = 0; i < m; ++i)
      for (int l = from[size_t(i)]; l < from[size_t(i) + 1] && status == 0; ++l) {
        if (l < 0 || l >= elements || at[size_t(l)] < 0 || at[size_t(l)] >= n) ++wrong;
        else dense.host[size_t(at[size_t(l)]) * size_t(m) + size_t(i)] = got[size_t(l)];
      }
    dense.put();
    auto ref = product(a.dense, b.dense).all;
    for (W& v : ref) v = times(v, W(wide(alpha)));
    check((again ? "SpGEMMreuse" : "SpGEMM") + tail, status, dense, ref, {}, text("%d out of the matrix", wrong));
  }
  cusparseSpGEMM_destroyDescr(d), cusparseDestroySpMat(c);
}
template <typename T> void products() {
  for (const auto& [m, k, n, a, b] : {std::tuple(1, 1, 1, 1, 1), std::tuple(5, 3, 7, 0, 0), std::tuple(40, 30, 50, 0, 0), std::tuple(7, 9, 5, 2, 1), std::tuple(33, 65, 20, 1, 0), std::tuple(6, 4, 6, 1, 2)}) {
    for (const auto alg : {CUSPARSE_SPGEMM_DEFAULT, CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2, CUSPARSE_SPGEMM_ALG3}) multiplied<T>(m, k, n, a, b, alg, false);
    multiplied<T>(m, k, n, a, b, CUSPARSE_SPGEMM_DEFAULT, true);
  }
}

/// ILU(0) and IC(0) of a matrix whose pattern is that of a grid, whole, without a diagonal, with a zero pivot, or of other kinds.
template <typename T> void incomplete(int n, const char* how, int base) {
  using W = Wide<T>;
  const std::string which = how;
  for (const bool cholesky : {false, true}) {
    Case one;
    const std::string tail = text("<%s> n %d %s base %d", Kind<T>::name, n, how, base);
    vector<int> starts{base}, columns;
    vector<T> numbers;
    Dense<W> whole(n, n);
    vector<char> there(size_t(n) * size_t(n));
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const bool chosen = i == j ? !(which == "no diagonal" && i == n / 2) : std::abs(i - j) == 1 || std::abs(i - j) == 5 || (i * j) % 11 == 3;
        if (!chosen) continue;
        T v = i == j ? T(Real<T>(6)) : T(Real<T>(((i + j) % 5 - 2.0) / 4));
        if (which == "zero pivot" && i == j && i == n / 3) v = T(Real<T>(0));
        if (which == "zero pivot" && i != j && (i == n / 3 || j == n / 3)) v = T(Real<T>(0));
        if constexpr (is_complex<T>) if (i != j && which != "zero pivot") v += T(Real<T>(0), Real<T>(i > j ? 0.25 : -0.25));
        columns.push_back(j + base), numbers.push_back(v), whole(i, j) = wide(v), there[size_t(j * n + i)] = 1;
      }
      starts.push_back(int(columns.size()) + base);
    }
    const int count = int(columns.size());
    for (int k = 0; k < n; ++k) {
      if (cholesky) whole(k, k) = W(std::sqrt(whole(k, k)));
      for (int i = k + 1; i < n; ++i) {
        if (!there[size_t(k * n + i)]) continue;
        whole(i, k) /= whole(k, k);
      }
      for (int i = k + 1; i < n; ++i)
        for (int j = k + 1; j < (cholesky ? i + 1 : n); ++j) {
          if (!there[size_t(k * n + i)] || !there[size_t(j * n + i)] || !there[cholesky ? size_t(k * n + j) : size_t(j * n + k)]) continue;
          whole(i, j) -= times(whole(i, k), cholesky ? conj_of(whole(j, k)) : whole(k, j));
        }
    }
    Array<int> rows(starts), places(columns);
    Array<T> values(numbers);
    cusparseMatDescr_t description;
    cusparseCreateMatDescr(&description);
    cusparseSetMatIndexBase(description, base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    for (const auto policy : {CUSPARSE_SOLVE_POLICY_NO_LEVEL, CUSPARSE_SOLVE_POLICY_USE_LEVEL}) {
      values.put();
      int status = 0, analysed = 0, structural = -7, numerical = -7, size = 0, s = 0, z = 0;
      if (cholesky) {
        csric02Info_t info;
        cusparseCreateCsric02Info(&info);
        status = OLD(csric02_bufferSize, n, count, description, values.p(), rows.device, places.device, info, &size);
        void* buffer = space(size_t(size));
        if (status == 0) analysed = OLD(csric02_analysis, n, count, description, values.p(), rows.device, places.device, info, policy, buffer);
        s = cusparseXcsric02_zeroPivot(handle, info, &structural);
        status = OLD(csric02, n, count, description, values.p(), rows.device, places.device, info, policy, buffer);
        z = cusparseXcsric02_zeroPivot(handle, info, &numerical);
        cusparseDestroyCsric02Info(info);
      } else {
        csrilu02Info_t info;
        cusparseCreateCsrilu02Info(&info);
        status = OLD(csrilu02_bufferSize, n, count, description, values.p(), rows.device, places.device, info, &size);
        void* buffer = space(size_t(size));
        if (status == 0) analysed = OLD(csrilu02_analysis, n, count, description, values.p(), rows.device, places.device, info, policy, buffer);
        s = cusparseXcsrilu02_zeroPivot(handle, info, &structural);
        status = OLD(csrilu02, n, count, description, values.p(), rows.device, places.device, info, policy, buffer);
        z = cusparseXcsrilu02_zeroPivot(handle, info, &numerical);
        cusparseDestroyCsrilu02Info(info);
      }
      const std::string told = text("analysis %d, zero pivots %d %d and %d %d", analysed, s, structural, z, numerical), name = (cholesky ? "csric02" : "csrilu02") + tail + text(" policy %d", policy);
      if (which != "grid") { line(name, status, 0, 0, told); continue; }
      vector<W> ref;
      vector<char> written;
      for (int i = 0; i < n; ++i)
        for (int l = starts[size_t(i)]; l < starts[size_t(i) + 1]; ++l) ref.push_back(whole(i, columns[size_t(l - base)] - base)), written.push_back(!cholesky || columns[size_t(l - base)] - base <= i);
      check(name, status, values, ref, written, told);
    }
    cusparseDestroyMatDescr(description);
  }
}
template <typename T> void incompletes() {
  for (const int base : {0, 1})
    for (const int n : {1, 6, 30, 97})
      for (const char* how : {"grid", "no diagonal", "zero pivot"}) incomplete<T>(n, how, base);
}

/// Elements that are not 0 of a dense matrix.
template <typename T> void counts() {
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN, cusparseDirection_t(5)})
    for (const auto& [m, n] : {std::pair(1, 1), std::pair(5, 3), std::pair(40, 33), std::pair(0, 4), std::pair(4, 0), std::pair(-1, 2)})
      for (const int short_by : {0, 1}) {
        Case one;
        Matrix<T> a(std::max(m, 0), std::max(n, 0));
        for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) if ((i * 3 + j) % 4 == 1) a(i, j) = T(Real<T>(0));
        a.array.put();
        Array<int> lines_of(vector<int>(size_t(std::max({m, n, 0})) + 1, -7));
        int all = -7;
        const int status = OLD(nnz, direction, m, n, description, a.p(), short_by ? m - 1 : int(a.ld), lines_of.device, &all);
        std::string told = text("all %d, each", all);
        for (const int v : lines_of.get()) told += text(" %d", v);
        line(text("nnz<%s> %d x %d direction %d short by %d", Kind<T>::name, m, n, direction, short_by), status, 0, 0, told);
      }
  cusparseDestroyMatDescr(description);
}

int main(int count, char** words) {
  begin();
  cusparseCreate(&handle);
  const auto is = [&](const char* section) { return count < 2 || std::strcmp(words[1], section) == 0; };
  if (is("vectors")) vectors<float>(), vectors<double>(), vectors<C>(), vectors<Z>();
  if (is("sorts")) sorts();
  if (is("products")) products<float>(), products<double>(), products<C>(), products<Z>();
  if (is("counts")) counts<float>(), counts<double>(), counts<C>(), counts<Z>();
  if (is("incomplete")) incompletes<float>(), incompletes<double>(), incompletes<C>(), incompletes<Z>();
  cusparseDestroy(handle);
  return end();
}
