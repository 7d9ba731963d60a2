// cuSPARSE: systems of three and five diagonals, of one matrix, many at a stride, many interleaved; matrices of blocks and of slices; many
// matrices at a stride.
// sparse_forms [diagonals|forms|batches]
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

/// Of `count` systems of m equations, where element i of system j is at `at(i, j)`: what is left of the right side, in units of the greatest
/// |A| |x| + |b|.
template <typename T, typename At> void tell_left(const std::string& name, int status, const vector<vector<T>>& bands, const vector<T>& x, const vector<T>& side, int m, int count, At at, const std::string& more = "") {
  using W = Wide<T>;
  Error error;
  const int middle = int(bands.size()) / 2;
  for (int j = 0; j < count; ++j)
    for (int i = 0; i < m; ++i) {
      W sum = 0;
      L size = std::abs(W(wide(side[at(i, j)])));
      for (int band = 0; band < int(bands.size()); ++band) {
        const int column = i + band - middle;
        if (column < 0 || column >= m) continue;
        const W part = times(W(wide(bands[size_t(band)][at(i, j)])), W(wide(x[at(column, j)])));
        sum += part, size += std::abs(part);
      }
      error.scale = std::max(error.scale, size);
      const L off = std::abs(sum - W(wide(side[at(i, j)])));
      error.lost |= !(off < 1e300L);
      error.worst = std::max(error.worst, off);
    }
  const double all = status == 0 && m > 0 && count > 0 ? error.of_all(Kind<T>::ulp) : 0;
  line(name, status, all, all, more);
}

template <typename T> void diagonals(int m, int count, const char* how) {
  const std::string which = how, tail = text("<%s> m %d, %d %s", Kind<T>::name, m, count, how);
  const auto band = [&](double add) {
    Array<T> a{size_t(m) * size_t(count)};
    for (T& v : a.host) v += T(Real<T>(add));
    a.put();
    return a;
  };
  const double heavy = which == "random" ? 0 : 4;
  const auto bands_of = [](const auto&... of) { return vector<vector<T>>{of.host...}; };
  const auto by_column = [&](int i, int j) { return size_t(j) * size_t(m) + size_t(i); };
  const auto interleaved = [&](int i, int j) { return size_t(i) * size_t(count) + size_t(j); };
  for (const bool pivoted : {true, false}) {
    if (!pivoted && which == "random") continue;
    Case one;
    auto dl = band(0), d = band(heavy), du = band(0), b = band(0);
    // One matrix, `count` right sides: the same bands for each.
    for (auto* a : {&dl, &d, &du}) for (int j = 1; j < count; ++j) for (int i = 0; i < m; ++i) a->host[by_column(i, j)] = a->host[by_column(i, 0)];
    dl.put(), d.put(), du.put();
    size_t size = 0;
    int status = pivoted ? OLD(gtsv2_bufferSizeExt, m, count, dl.p(), d.p(), du.p(), b.p(), m, &size) : OLD(gtsv2_nopivot_bufferSizeExt, m, count, dl.p(), d.p(), du.p(), b.p(), m, &size);
    if (status == 0) status = pivoted ? OLD(gtsv2, m, count, dl.p(), d.p(), du.p(), b.p(), m, space(size)) : OLD(gtsv2_nopivot, m, count, dl.p(), d.p(), du.p(), b.p(), m, space(size));
    tell_left<T>((pivoted ? "gtsv2" : "gtsv2_nopivot") + tail, status, bands_of(dl, d, du), b.get(), b.host, m, count, by_column);
  }
  if (which != "random") {
    Case one;
    auto dl = band(0), d = band(heavy), du = band(0), b = band(0);
    size_t size = 0;
    int status = OLD(gtsv2StridedBatch_bufferSizeExt, m, dl.p(), d.p(), du.p(), b.p(), count, m, &size);
    if (status == 0) status = OLD(gtsv2StridedBatch, m, dl.p(), d.p(), du.p(), b.p(), count, m, space(size));
    tell_left<T>("gtsv2StridedBatch" + tail, status, bands_of(dl, d, du), b.get(), b.host, m, count, by_column);
  }
  for (const int algorithm : {0, 1, 2, 3}) {
    if (algorithm == 0 && which == "random") continue;
    Case one;
    auto dl = band(0), d = band(heavy), du = band(0), b = band(0);
    size_t size = 0;
    int status = OLD(gtsvInterleavedBatch_bufferSizeExt, algorithm, m, dl.p(), d.p(), du.p(), b.p(), count, &size);
    if (status == 0) status = OLD(gtsvInterleavedBatch, algorithm, m, dl.p(), d.p(), du.p(), b.p(), count, space(size));
    tell_left<T>(text("gtsvInterleavedBatch algorithm %d", algorithm) + tail, status, bands_of(dl, d, du), b.get(), b.host, m, count, interleaved);
  }
  for (const int algorithm : {0, 1}) {
    Case one;
    auto ds = band(0), dl = band(0), d = band(heavy), du = band(0), dw = band(0), b = band(0);
    size_t size = 0;
    int status = OLD(gpsvInterleavedBatch_bufferSizeExt, algorithm, m, ds.p(), dl.p(), d.p(), du.p(), dw.p(), b.p(), count, &size);
    if (status == 0) status = OLD(gpsvInterleavedBatch, algorithm, m, ds.p(), dl.p(), d.p(), du.p(), dw.p(), b.p(), count, space(size));
    tell_left<T>(text("gpsvInterleavedBatch algorithm %d", algorithm) + tail, status, bands_of(ds, dl, d, du, dw), b.get(), b.host, m, count, interleaved);
  }
}
template <typename T> void all_diagonals() {
  for (const char* how : {"heavy", "random"})
    for (const int m : {0, 1, 2, 3, 4, 9, 64, 300}) for (const int count : {0, 1, 3, 40}) diagonals<T>(m, count, how);
}

/// Blocks, slices, and blocks of the same number in each row, by a vector and by a matrix.
template <typename T> void forms(int rows, int columns, int block, cusparseOperation_t op, int base) {
  using W = Wide<T>;
  const auto I = CUSPARSE_INDEX_32I;
  const auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
  const int m = rows * block, n = columns * block;
  for (const char* how : {"BSR rows", "BSR columns", "sliced ELL", "blocked ELL"}) {
    Case one;
    const std::string which = how;
    Dense<W> whole(m, n);
    vector<int> offsets{base}, places;
    vector<T> values;
    cusparseSpMatDescr_t a = nullptr;
    int status = 0;
    vector<vector<int>> of_row(size_t(std::max(rows, 1)));
    for (int i = 0; i < rows; ++i) for (int j = 0; j < columns; ++j) if (number() < (i % 3 == 1 ? -2 : 0)) of_row[size_t(i)].push_back(j);
    const auto put = [&](int i, int j) {
      const T v = random_of<T>();
      whole(i, j) = wide(v);
      return v;
    };
    size_t width = 0;
    for (const auto& row : of_row) width = std::max(width, row.size());
    if (which.starts_with("BSR")) {
      for (int i = 0; i < rows; ++i) {
        for (const int j : of_row[size_t(i)]) {
          places.push_back(j + base);
          for (int k = 0; k < block * block; ++k) values.push_back(which == "BSR rows" ? put(i * block + k / block, j * block + k % block) : put(i * block + k % block, j * block + k / block));
        }
        offsets.push_back(int(places.size()) + base);
      }
    } else if (which == "blocked ELL") {
      // Each row of blocks has `width` places; what is missing is -1. The values lie row by row of the padded matrix.
      vector<vector<int>> at(static_cast<size_t>(rows));
      for (int i = 0; i < rows; ++i) {
        at[size_t(i)] = of_row[size_t(i)];
        at[size_t(i)].resize(width, -1);
        for (const int j : at[size_t(i)]) places.push_back(j < 0 ? -1 : j + base);
      }
      for (int i = 0; i < m; ++i)
        for (size_t k = 0; k < width * size_t(block); ++k) {
          const int j = at[size_t(i / block)][k / size_t(block)];
          values.push_back(j < 0 ? T(Real<T>(0)) : put(i, j * block + int(k) % block));
        }
    } else {
      // Slices of `block` rows.
      for (int first = 0; first < m; first += block) {
        size_t wide_of = 0;
        vector<vector<int>> chosen;
        for (int i = first; i < first + block; ++i) {
          vector<int> row;
          for (int j = 0; j < n; ++j) if (number() < (i % 3 == 1 ? -2 : -0.4)) row.push_back(j);
          wide_of = std::max(wide_of, row.size()), chosen.push_back(row);
        }
        for (size_t k = 0; k < wide_of; ++k)
          for (int i = first; i < first + block; ++i) {
            const auto& row = chosen[size_t(i - first)];
            places.push_back(k < row.size() ? row[k] + base : -1), values.push_back(k < row.size() ? put(i, row[k]) : T(Real<T>(0)));
          }
        offsets.push_back(int(places.size()) + base);
      }
    }
    int64_t elements = 0;
    for (const W& v : whole.all) elements += v != W(0);
    Array<int> o(offsets), p(places);
    Array<T> v(values);
    if (which.starts_with("BSR")) status = cusparseCreateBsr(&a, rows, columns, int64_t(places.size()), block, block, o.device, p.device, v.device, I, I, from, type_of<T>(), which == "BSR rows" ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    else if (which == "sliced ELL") status = cusparseCreateSlicedEll(&a, m, n, elements, int64_t(values.size()), block, o.device, p.device, v.device, I, I, from, type_of<T>());
    else status = cusparseCreateBlockedEll(&a, m, n, block, int64_t(width) * block, p.device, v.device, I, from, type_of<T>());
    const std::string tail = text("<%s> %s %d x %d block %d op %d base %d", Kind<T>::name, how, rows, columns, block, op, base);
    line("create" + tail, status, 0, 0);
    if (status != 0) continue;
    const auto turned = op_of(whole, op);
    const T alpha = scalar<T>(2), beta = scalar<T>(1);
    {
      Strided<T> x(turned.n, 1), y(turned.m, 1);
      cusparseDnVecDescr_t dx, dy;
      cusparseCreateDnVec(&dx, turned.n, x.p(), type_of<T>()), cusparseCreateDnVec(&dy, turned.m, y.p(), type_of<T>());
      size_t size = 0;
      status = cusparseSpMV_bufferSize(handle, op, &alpha, a, dx, &beta, dy, type_of<T>(), CUSPARSE_SPMV_ALG_DEFAULT, &size);
      if (status == 0) status = cusparseSpMV(handle, op, &alpha, a, dx, &beta, dy, type_of<T>(), CUSPARSE_SPMV_ALG_DEFAULT, space(size));
      vector<W> ref;
      for (int64_t i = 0; i < turned.m; ++i) {
        W sum = 0;
        for (int64_t j = 0; j < turned.n; ++j) sum += times(W(turned(i, j)), W(x[j]));
        ref.push_back(put_together<W>(W(wide(alpha)), sum, W(wide(beta)), y[i]));
      }
      y.check("SpMV" + tail, status, ref);
      cusparseDestroyDnVec(dx), cusparseDestroyDnVec(dy);
    }
    for (const bool by_rows : {false, true}) {
      Laid<T> b(turned.n, 5, by_rows), c(turned.m, 5, by_rows);
      size_t size = 0;
      status = cusparseSpMM_bufferSize(handle, op, kPlain, &alpha, a, b.descr, &beta, c.descr, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, &size);
      if (status == 0) status = cusparseSpMM(handle, op, kPlain, &alpha, a, b.descr, &beta, c.descr, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, space(size));
      const auto ref = product(turned, b.dense());
      const auto old = c.dense();
      c.check("SpMM" + tail + text(" rows %d", by_rows), status, [&](int64_t i, int64_t j) { return put_together<W>(wide(alpha), ref(i, j), wide(beta), old(i, j)); });
    }
    cusparseDestroySpMat(a);
  }
}
template <typename T> void all_forms() {
  for (const auto op : {kPlain, CUSPARSE_OPERATION_TRANSPOSE})
    for (const int base : {0, 1})
      for (const auto& [rows, columns, block] : {std::tuple(1, 1, 2), std::tuple(3, 5, 2), std::tuple(7, 6, 3), std::tuple(4, 3, 8), std::tuple(5, 4, 16), std::tuple(3, 2, 1)}) forms<T>(rows, columns, block, op, base);
}

/// `count` matrices of one pattern, or one for all, at strides; by dense ones, and sampled.
template <typename T> void batches(int format, int count, bool one_for_all) {
  using W = Wide<T>;
  Case one;
  const int m = 9, n = 7, wide_of = 4;
  const Sparse<T> first(m, n, 0);
  const size_t elements = first.values.size();
  Placed<T, int> placed(first, format, 0);
  const int matrices = one_for_all ? 1 : count;
  vector<T> all;
  vector<int> majors, minors;
  const auto order = Placed<T, int>::order(first, format);
  vector<Dense<W>> wholes;
  for (int k = 0; k < matrices; ++k) {
    Dense<W> whole(m, n);
    for (const size_t i : order) {
      const T v = random_of<T>();
      all.push_back(v), whole(first.rows[i], first.columns[i]) = wide(v);
    }
    for (const int i : placed.major.host) majors.push_back(i);
    for (const int i : placed.minor.host) minors.push_back(i);
    wholes.push_back(whole);
  }
  Array<T> values(all);
  Array<int> major(majors), minor(minors);
  const auto I = CUSPARSE_INDEX_32I;
  cusparseSpMatDescr_t a = nullptr;
  int status = 0;
  const int64_t stride = one_for_all ? 0 : int64_t(elements), offsets = one_for_all ? 0 : m + 1;
  if (format == 0) status = cusparseCreateCsr(&a, m, n, int64_t(elements), major.device, minor.device, values.device, I, I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>());
  else status = cusparseCreateCoo(&a, m, n, int64_t(elements), major.device, minor.device, values.device, I, CUSPARSE_INDEX_BASE_ZERO, type_of<T>());
  const int set = format == 0 ? cusparseCsrSetStridedBatch(a, count, offsets, stride) : cusparseCooSetStridedBatch(a, count, stride);
  const std::string tail = text("<%s> %s, %d, one for all %d", Kind<T>::name, kFormats[format], count, one_for_all);
  line("SetStridedBatch" + tail, set, 0, 0, text("create %d", status));
  const T alpha = scalar<T>(2), beta = scalar<T>(1);
  {
    Array<T> b(size_t(n * wide_of * count)), c(size_t(m * wide_of * count));
    cusparseDnMatDescr_t db, dc;
    cusparseCreateDnMat(&db, n, wide_of, n, b.device, type_of<T>(), CUSPARSE_ORDER_COL), cusparseCreateDnMat(&dc, m, wide_of, m, c.device, type_of<T>(), CUSPARSE_ORDER_COL);
    cusparseDnMatSetStridedBatch(db, count, n * wide_of), cusparseDnMatSetStridedBatch(dc, count, m * wide_of);
    size_t size = 0;
    status = cusparseSpMM_bufferSize(handle, kPlain, kPlain, &alpha, a, db, &beta, dc, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, &size);
    if (status == 0) status = cusparseSpMM(handle, kPlain, kPlain, &alpha, a, db, &beta, dc, type_of<T>(), CUSPARSE_SPMM_ALG_DEFAULT, space(size));
    vector<W> ref;
    for (int k = 0; k < count; ++k)
      for (int j = 0; j < wide_of; ++j)
        for (int i = 0; i < m; ++i) {
          W sum = 0;
          for (int l = 0; l < n; ++l) sum += times(wholes[size_t(one_for_all ? 0 : k)](i, l), W(wide(b.host[size_t((k * wide_of + j) * n + l)])));
          ref.push_back(put_together<W>(wide(alpha), sum, wide(beta), wide(c.host[ref.size()])));
        }
    check("SpMM of many" + tail, status, c, ref);
    cusparseDestroyDnMat(db), cusparseDestroyDnMat(dc);
  }
  if (format == 0 && !one_for_all) {
    const int k_of = 3;
    Array<T> x(size_t(m * k_of * count)), y(size_t(k_of * n * count));
    cusparseDnMatDescr_t dx, dy;
    cusparseCreateDnMat(&dx, m, k_of, m, x.device, type_of<T>(), CUSPARSE_ORDER_COL), cusparseCreateDnMat(&dy, k_of, n, k_of, y.device, type_of<T>(), CUSPARSE_ORDER_COL);
    cusparseDnMatSetStridedBatch(dx, count, m * k_of), cusparseDnMatSetStridedBatch(dy, count, k_of * n);
    size_t size = 0;
    status = cusparseSDDMM_bufferSize(handle, kPlain, kPlain, &alpha, dx, dy, &beta, a, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, &size);
    void* buffer = space(size);
    if (status == 0) status = cusparseSDDMM_preprocess(handle, kPlain, kPlain, &alpha, dx, dy, &beta, a, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
    if (status == 0) status = cusparseSDDMM(handle, kPlain, kPlain, &alpha, dx, dy, &beta, a, type_of<T>(), CUSPARSE_SDDMM_ALG_DEFAULT, buffer);
    vector<W> ref;
    for (int k = 0; k < count; ++k)
      for (const size_t i : order) {
        W sum = 0;
        for (int l = 0; l < k_of; ++l) sum += times(W(wide(x.host[size_t(k * m * k_of + l * m) + size_t(first.rows[i])])), W(wide(y.host[size_t(k * k_of * n + l) + size_t(first.columns[i] * k_of)])));
        ref.push_back(put_together<W>(wide(alpha), sum, wide(beta), wide(values.host[ref.size()])));
      }
    check("SDDMM of many" + tail, status, values, ref);
    cusparseDestroyDnMat(dx), cusparseDestroyDnMat(dy);
  }
  cusparseDestroySpMat(a);
}
template <typename T> void all_batches() {
  for (const int format : {0, 2}) for (const int count : {1, 2, 5}) for (const bool one : {false, true}) batches<T>(format, count, one);
}

int main(int count, char** words) {
  begin();
  cusparseCreate(&handle);
  const auto is = [&](const char* section) { return count < 2 || std::strcmp(words[1], section) == 0; };
  if (is("diagonals")) all_diagonals<float>(), all_diagonals<double>(), all_diagonals<C>(), all_diagonals<Z>();
  if (is("forms")) all_forms<float>(), all_forms<double>(), all_forms<C>(), all_forms<Z>();
  if (is("batches")) all_batches<float>(), all_batches<double>(), all_batches<C>(), all_batches<Z>();
  cusparseDestroy(handle);
  return end();
}
