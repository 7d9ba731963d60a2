// cuSPARSE: products with vectors and matrices, sampled products, triangular solves and conversions, in CSR, CSC and COO with indices of
// 32 and 64 bits from 0 and 1; rows that are empty, matrices that are, too.
// sparse [SECTION]
#include "sparse.h"

template <typename T, typename To, typename Index> void by_vector(const Shape& shape, int format, int base, cusparseOperation_t op, int alpha_of, int beta_of) {
  using S = Compute<T>;
  using W = Wide<To>;
  Case one;
  const Sparse<T> a(shape.m, shape.n, shape.kind);
  Placed<T, Index> placed(a, format, base);
  const auto turned = op_of(a.dense, op);
  Strided<T> x(turned.n, 1);
  Strided<To> y(turned.m, 1);
  if (beta_of == 0) { for (auto& v : y.array.host) v = nan_of<To>(); y.array.put(); }
  const S alpha = scalar<S>(alpha_of), beta = scalar<S>(beta_of);
  cusparseDnVecDescr_t dx, dy;
  cusparseCreateDnVec(&dx, turned.n, x.p(), type_of<T>()), cusparseCreateDnVec(&dy, turned.m, y.p(), type_of<To>());
  size_t size = 0;
  const auto compute = type_of<S>();
  int status = cusparseSpMV_bufferSize(handle, op, &alpha, placed.descr, dx, &beta, dy, compute, CUSPARSE_SPMV_ALG_DEFAULT, &size);
  if (status == 0) status = cusparseSpMV(handle, op, &alpha, placed.descr, dx, &beta, dy, compute, CUSPARSE_SPMV_ALG_DEFAULT, space(size));
  vector<W> ref;
  for (int64_t i = 0; i < turned.m; ++i) {
    W sum = 0;
    for (int64_t j = 0; j < turned.n; ++j) sum += times(W(turned(i, j)), W(x[j]));
    ref.push_back(put_together<W>(W(wide(alpha)), sum, W(wide(beta)), y[i]));
  }
  y.check(text("SpMV<%s %s> %s%d base %d %d x %d kind %d op %d scalars %d %d", Kind<T>::name, Kind<To>::name, kFormats[format], int(8 * sizeof(Index)), base, shape.m, shape.n, shape.kind, op, alpha_of, beta_of), status, ref);
  cusparseDestroyDnVec(dx), cusparseDestroyDnVec(dy);
}

template <typename T> void by_matrix(const Shape& shape, int format, int wide_of, cusparseOperation_t opa, cusparseOperation_t opb, bool b_rows, bool c_rows, int alpha_of, int beta_of) {
  using W = Wide<T>;
  Case one;
  const Sparse<T> a(shape.m, shape.n, shape.kind);
  Placed<T, int> placed(a, format, 0);
  const auto turned = op_of(a.dense, opa);
  const bool plain = opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  Laid<T> b(plain ? turned.n : wide_of, plain ? wide_of : turned.n, b_rows), c(turned.m, wide_of, c_rows, beta_of == 0);
  const T alpha = scalar<T>(alpha_of), beta = scalar<T>(beta_of);
  size_t size = 0;
  int status = cusparseSpMM_bufferSize(handle, opa, opb, &alpha, placed.descr, b.descr, &beta, c.descr, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, &size);
  if (status == 0) status = cusparseSpMM(handle, opa, opb, &alpha, placed.descr, b.descr, &beta, c.descr, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, space(size));
  const auto p = product(turned, op_of(b.dense(), opb));
  const auto old = c.dense();
  c.check(text("SpMM<%s> %s %d x %d kind %d by %d ops %d %d rows %d %d scalars %d %d", Kind<T>::name, kFormats[format], shape.m, shape.n, shape.kind, wide_of, opa, opb, b_rows, c_rows, alpha_of, beta_of), status,
          [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), p(i, j), wide(beta), old(i, j)); });
}

template <typename T> void sampled(const Shape& shape, int format, int k, cusparseOperation_t opa, cusparseOperation_t opb, int alpha_of, int beta_of) {
  using W = Wide<T>;
  Case one;
  const Sparse<T> s(shape.m, shape.n, shape.kind);
  Placed<T, int> placed(s, format, 0);
  const bool plain_a = opa == CUSPARSE_OPERATION_NON_TRANSPOSE, plain_b = opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  Laid<T> a(plain_a ? shape.m : k, plain_a ? k : shape.m, false), b(plain_b ? k : shape.n, plain_b ? shape.n : k, true);
  const T alpha = scalar<T>(alpha_of), beta = scalar<T>(beta_of);
  size_t size = 0;
  int status = cusparseSDDMM_bufferSize(handle, opa, opb, &alpha, a.descr, b.descr, &beta, placed.descr, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, &size);
  if (status == 0) {
    void* buffer = space(size);
    status = cusparseSDDMM_preprocess(handle, opa, opb, &alpha, a.descr, b.descr, &beta, placed.descr, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
    if (status == 0) status = cusparseSDDMM(handle, opa, opb, &alpha, a.descr, b.descr, &beta, placed.descr, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
  }
  const auto p = product(op_of(a.dense(), opa), op_of(b.dense(), opb));
  vector<W> ref;
  for (const size_t i : Placed<T, int>::order(s, format)) ref.push_back(put_together<W>(wide(alpha), p(s.rows[i], s.columns[i]), wide(beta), wide(s.values[i])));
  check(text("SDDMM<%s> %s %d x %d kind %d k %d ops %d %d scalars %d %d", Kind<T>::name, kFormats[format], shape.m, shape.n, shape.kind, k, opa, opb, alpha_of, beta_of), status, placed.values, ref);
}

/// alpha op(A)^-1 b of one vector, or of a matrix. The matrix has entries beyond its triangle, too, where `full`.
template <typename T> void solved(int n, int format, int base, bool upper, bool unit, bool full, cusparseOperation_t op, int wide_of) {
  using W = Wide<T>;
  Case one;
  const Sparse<T> a(n, n, full ? 1 : upper ? 4 : 3);
  Placed<T, int> placed(a, format, base);
  cusparseFillMode_t fill = upper ? CUSPARSE_FILL_MODE_UPPER : CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diag = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseSpMatSetAttribute(placed.descr, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
  cusparseSpMatSetAttribute(placed.descr, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag);
  Dense<W> triangle(n, n);
  for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) if (upper ? i <= j : i >= j) triangle(i, j) = i == j && unit ? W(1) : a.dense(i, j);
  const auto t = op_of(triangle, op);
  const bool from_last = upper == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
  const T alpha = scalar<T>(2);
  const auto solve = [&](auto b, auto put) {
    for (int step = 0; step < n; ++step) {
      const int i = from_last ? n - 1 - step : step;
      W rest = times(wide(alpha), b(i));
      for (int j = from_last ? i + 1 : 0; j < (from_last ? n : i); ++j) rest -= times(t(i, j), put(j, W(0), false));
      put(i, rest / t(i, i), true);
    }
  };
  size_t size = 0;
  const std::string tail = text("<%s> %s base %d n %d upper %d unit %d full %d op %d", Kind<T>::name, kFormats[format], base, n, upper, unit, full, op);
  if (wide_of == 0) {
    Strided<T> x(n, 1), y(n, 1);
    cusparseDnVecDescr_t dx, dy;
    cusparseCreateDnVec(&dx, n, x.p(), type_of<T>()), cusparseCreateDnVec(&dy, n, y.p(), type_of<T>());
    cusparseSpSVDescr_t descr;
    cusparseSpSV_createDescr(&descr);
    int status = cusparseSpSV_bufferSize(handle, op, &alpha, placed.descr, dx, dy, type_of<T>(), CUSPARSE_SPSV_ALG_DEFAULT, descr, &size);
    void* buffer = space(size);
    if (status == 0) status = cusparseSpSV_analysis(handle, op, &alpha, placed.descr, dx, dy, type_of<T>(), CUSPARSE_SPSV_ALG_DEFAULT, descr, buffer);
    if (status == 0) status = cusparseSpSV_solve(handle, op, &alpha, placed.descr, dx, dy, type_of<T>(), CUSPARSE_SPSV_ALG_DEFAULT, descr);
    vector<W> ref(static_cast<size_t>(n));
    solve([&](int i) { return x[i]; }, [&](int i, W v, bool set) { return set ? ref[size_t(i)] = v : ref[size_t(i)]; });
    y.check("SpSV" + tail, status, ref);
    cusparseSpSV_destroyDescr(descr), cusparseDestroyDnVec(dx), cusparseDestroyDnVec(dy);
    return;
  }
  Laid<T> b(n, wide_of, false), c(n, wide_of, true, true);
  cusparseSpSMDescr_t descr;
  cusparseSpSM_createDescr(&descr);
  const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE;
  int status = cusparseSpSM_bufferSize(handle, op, N, &alpha, placed.descr, b.descr, c.descr, type_of<T>(), CUSPARSE_SPSM_ALG_DEFAULT, descr, &size);
  if (status == 0) status = cusparseSpSM_analysis(handle, op, N, &alpha, placed.descr, b.descr, c.descr, type_of<T>(), CUSPARSE_SPSM_ALG_DEFAULT, descr, space(size));
  if (status == 0) status = cusparseSpSM_solve(handle, op, N, &alpha, placed.descr, b.descr, c.descr, type_of<T>(), CUSPARSE_SPSM_ALG_DEFAULT, descr);
  Dense<W> x(n, wide_of);
  const auto from = b.dense();
  for (int column = 0; column < wide_of; ++column) solve([&](int i) { return from(i, column); }, [&](int i, W v, bool set) { return set ? x(i, column) = v : x(i, column); });
  c.check("SpSM" + tail + text(" by %d", wide_of), status, [&](int64_t i, int64_t j) { return x(i, j); });
  cusparseSpSM_destroyDescr(descr);
}

template <typename T> void converted(const Shape& shape, int format, int base, bool rows) {
  Case one;
  const Sparse<T> a(shape.m, shape.n, shape.kind);
  const std::string tail = text("<%s> %s base %d %d x %d kind %d rows %d", Kind<T>::name, kFormats[format], base, shape.m, shape.n, shape.kind, rows);
  Placed<T, int> placed(a, format, base);
  Laid<T> to(shape.m, shape.n, rows, true);
  size_t size = 0;
  int status = cusparseSparseToDense_bufferSize(handle, placed.descr, to.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &size);
  if (status == 0) status = cusparseSparseToDense(handle, placed.descr, to.descr, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, space(size));
  to.check("SparseToDense" + tail, status, [&](int64_t i, int64_t j) { return a.dense(i, j); });
  // And back: what the device finds is what it was made of.
  for (int64_t i = 0; i < shape.m; ++i)
    for (int64_t j = 0; j < shape.n; ++j) to.array.host[to.at(i, j)] = T(Real<T>(0));
  for (size_t i = 0; i < a.values.size(); ++i) to.array.host[to.at(a.rows[i], a.columns[i])] = a.values[i];
  to.array.put();
  const size_t count = a.values.size();
  Array<int> major(vector<int>(placed.major.host.size() + 8, -1)), minor(vector<int>(count + 8, -1));
  Array<T> values(count + 8, false);
  cusparseSpMatDescr_t made = nullptr;
  const auto I = CUSPARSE_INDEX_32I;
  const auto from = base == 0 ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE;
  if (format == 0) status = cusparseCreateCsr(&made, shape.m, shape.n, 0, major.device, nullptr, nullptr, I, I, from, type_of<T>());
  if (format == 1) status = cusparseCreateCsc(&made, shape.m, shape.n, 0, major.device, nullptr, nullptr, I, I, from, type_of<T>());
  if (format == 2) status = cusparseCreateCoo(&made, shape.m, shape.n, 0, nullptr, nullptr, nullptr, I, from, type_of<T>());
  if (status == 0) status = cusparseDenseToSparse_bufferSize(handle, to.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size);
  void* buffer = space(size);
  if (status == 0) status = cusparseDenseToSparse_analysis(handle, to.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  int64_t m = -1, n = -1, nonzeros = -1;
  if (status == 0) cusparseSpMatGetSize(made, &m, &n, &nonzeros);
  if (status == 0 && format == 0) status = cusparseCsrSetPointers(made, major.device, minor.device, values.device);
  if (status == 0 && format == 1) status = cusparseCscSetPointers(made, major.device, minor.device, values.device);
  if (status == 0 && format == 2) status = cusparseCooSetPointers(made, major.device, minor.device, values.device);
  if (status == 0) status = cusparseDenseToSparse_convert(handle, to.descr, made, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, buffer);
  int wrong = 0;
  const auto now = major.get(), of_minor = minor.get();
  const auto numbers = values.get();
  for (size_t i = 0; i < placed.major.host.size(); ++i) wrong += now[i] != placed.major.host[i];
  for (size_t i = 0; i < count; ++i) wrong += of_minor[i] != placed.minor.host[i] || std::memcmp(&numbers[i], &placed.values.host[i], sizeof(T)) != 0;
  line("DenseToSparse" + tail, status, 0, 0, text("%lld elements, %d wrong", (long long)nonzeros, wrong));
  if (made != nullptr) cusparseDestroySpMat(made);
  if (format != 0) return;
  Placed<T, int> csc(a, 1, base), coo(a, 2, base);
  Array<int> pointers(vector<int>(size_t(shape.n) + 9, -1)), rows_of(vector<int>(count + 8, -1));
  status = cusparseCsr2cscEx2_bufferSize(handle, shape.m, shape.n, int(count), placed.values.device, placed.major.device, placed.minor.device, values.device, pointers.device, rows_of.device, type_of<T>(), CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG_DEFAULT, &size);
  if (status == 0) status = cusparseCsr2cscEx2(handle, shape.m, shape.n, int(count), placed.values.device, placed.major.device, placed.minor.device, values.device, pointers.device, rows_of.device, type_of<T>(), CUSPARSE_ACTION_NUMERIC, from, CUSPARSE_CSR2CSC_ALG_DEFAULT, space(size));
  wrong = 0;
  const auto columns = pointers.get(), found = rows_of.get();
  const auto numbers_now = values.get();
  for (size_t i = 0; i < csc.major.host.size(); ++i) wrong += columns[i] != csc.major.host[i];
  for (size_t i = 0; i < count; ++i) wrong += found[i] != csc.minor.host[i] || std::memcmp(&numbers_now[i], &csc.values.host[i], sizeof(T)) != 0;
  line("Csr2cscEx2" + tail, status, 0, 0, text("%d wrong", wrong));
  Array<int> indices(vector<int>(std::max(count, size_t(shape.m) + 1) + 8, -1));
  status = cusparseXcsr2coo(handle, placed.major.device, int(count), shape.m, indices.device, from);
  wrong = 0;
  const auto of_coo = indices.get();
  for (size_t i = 0; i < count; ++i) wrong += of_coo[i] != coo.major.host[i];
  line("Xcsr2coo" + tail, status, 0, 0, text("%d wrong", wrong));
  status = cusparseXcoo2csr(handle, coo.major.device, int(count), shape.m, indices.device, from);
  wrong = 0;
  const auto of_csr = indices.get();
  for (size_t i = 0; i < placed.major.host.size(); ++i) wrong += of_csr[i] != placed.major.host[i];
  line("Xcoo2csr" + tail, status, 0, 0, text("%d wrong", wrong));
}

template <typename T> void vectors() {
  for (const auto& shape : kShapes)
    for (int format = 0; format < 3; ++format)
      for (const auto op : kOps)
        for (const int base : {0, 1}) by_vector<T, T, int>(shape, format, base, op, 2, 2), by_vector<T, T, int64_t>(shape, format, base, op, 1, 0);
  for (const auto op : kOps) by_vector<T, T, int>({40, 30, 0}, 0, 0, op, 0, 2), by_vector<T, T, int>({40, 30, 0}, 0, 0, op, 2, 1);
}
template <typename T> void matrices() {
  for (const auto& shape : kShapes)
    for (int format = 0; format < 3; ++format)
      for (const auto opa : kOps)
        for (const int n : {1, 3, 17})
          for (const auto opb : {kOps[0], kOps[1], kOps[2]})
            for (const auto& [b, c] : {std::pair(false, false), std::pair(true, true), std::pair(false, true)}) by_matrix<T>(shape, format, n, opa, opb, b, c, 2, n == 3 ? 0 : 2);
}
template <typename T> void samples() {
  for (const auto& shape : kShapes)
    for (const int k : {0, 1, 7, 65})
      for (const auto opa : kOps) for (const auto opb : kOps) for (const int format : {0, 2}) sampled<T>(shape, format, k, opa, opb, 2, k == 1 ? 0 : 2);
}
template <typename T> void solves(int wide_of) {
  for (const int n : {1, 5, 33, 130})
    for (const int format : {0, 1, 2})
      for (const bool upper : {false, true}) for (const bool unit : {false, true}) for (const auto op : kOps)
        for (const bool full : {false, true}) if (!full || n <= 5) solved<T>(n, format, n == 5, upper, unit, full, op, wide_of);
}
template <typename T> void conversions() {
  for (const auto& shape : kShapes) for (int format = 0; format < 3; ++format) for (const int base : {0, 1}) for (const bool rows : {false, true}) converted<T>(shape, format, base, rows);
}

int main(int count, char** words) {
  begin();
  cusparseCreate(&handle);
  const auto is = [&](const char* section) { return count < 2 || std::strcmp(words[1], section) == 0; };
  if (is("vectors")) vectors<float>(), vectors<double>(), vectors<C>(), vectors<Z>();
  if (is("halves")) {
    using H = __half;
    using B = __nv_bfloat16;
    for (const auto& shape : kShapes) for (const auto op : {kOps[0], kOps[1]}) by_vector<H, H, int>(shape, 0, 0, op, 1, 0), by_vector<H, float, int>(shape, 0, 0, op, 2, 2), by_vector<B, B, int>(shape, 0, 0, op, 1, 0), by_vector<B, float, int>(shape, 0, 0, op, 2, 2);
  }
  if (is("matrices")) matrices<float>(), matrices<double>(), matrices<C>(), matrices<Z>();
  if (is("samples")) samples<float>(), samples<double>(), samples<C>(), samples<Z>();
  if (is("solves")) solves<float>(0), solves<double>(0), solves<C>(0), solves<Z>(0);
  if (is("many")) solves<float>(3), solves<double>(3), solves<C>(3), solves<Z>(3);
  if (is("conversions")) conversions<float>(), conversions<double>(), conversions<C>(), conversions<Z>();
  cusparseDestroy(handle);
  return end();
}
