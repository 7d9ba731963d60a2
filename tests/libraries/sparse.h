#pragma once
// What the programs of cuSPARSE share: random sparse matrices, in CSR, CSC and COO on the device; dense ones by columns or rows.

#include <cusparse.h>

#include "cases.h"

static cusparseHandle_t handle;
template <typename T> cudaDataType type_of() {
  return std::is_same_v<T, float> ? CUDA_R_32F : std::is_same_v<T, double> ? CUDA_R_64F : std::is_same_v<T, C> ? CUDA_C_32F : std::is_same_v<T, Z> ? CUDA_C_64F : std::is_same_v<T, __half> ? CUDA_R_16F : CUDA_R_16BF;
}
template <typename T> using Compute = std::conditional_t<std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>, float, T>;
template <typename T> T scalar(int which) {
  if constexpr (is_complex<T>) return which == 2 ? T(Real<T>(0.7), Real<T>(-0.4)) : T(Real<T>(which));
  else return which == 2 ? T(0.7) : T(which);
}
template <typename W> W put_together(W alpha, W p, W beta, W c) { return (alpha == W(0) ? W(0) : times(alpha, p)) + (beta == W(0) ? W(0) : times(beta, c)); }
constexpr cusparseOperation_t kOps[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
static void* space(size_t bytes) { return take(bytes + 1024); }

/// A random matrix: `kind` 0 general (each third row empty), 1 full, 2 empty, 3 lower triangular, 4 upper, with a diagonal.
template <typename T> struct Sparse {
  int m, n;
  Dense<Wide<T>> dense;
  vector<int64_t> rows, columns;
  vector<T> values;
  Sparse(int m, int n, int kind) : m(m), n(n), dense(m, n) {
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        const bool chosen = kind == 1 || (kind != 2 && number() < -0.4) || (kind >= 3 && i == j);
        if (!chosen || (kind == 0 && i % 3 == 1) || (kind == 3 && j > i) || (kind == 4 && j < i)) continue;
        T v = random_of<T>();
        if constexpr (!std::is_same_v<T, __half> && !std::is_same_v<T, __nv_bfloat16>) if (kind >= 3) v = i == j ? v + T(Real<T>(2)) : v * T(Real<T>(2.0 / n));
        rows.push_back(i), columns.push_back(j), values.push_back(v), dense(i, j) = wide(v);
      }
  }
};
/// It on the device: format 0 CSR, 1 CSC, 2 COO.
template <typename T, typename Index> struct Placed {
  cusparseSpMatDescr_t descr = nullptr;
  Array<Index> major, minor;
  Array<T> values;
  static vector<size_t> order(const Sparse<T>& a, int format) {
    vector<size_t> all;
    if (format != 1) { for (size_t i = 0; i < a.values.size(); ++i) all.push_back(i); return all; }
    for (int j = 0; j < a.n; ++j) for (size_t i = 0; i < a.values.size(); ++i) if (a.columns[i] == j) all.push_back(i);
    return all;
  }
  static vector<Index> majors(const Sparse<T>& a, int format, int base) {
    vector<Index> all;
    if (format == 2) { for (const auto i : a.rows) all.push_back(Index(i + base)); return all; }
    const int count = format == 0 ? a.m : a.n;
    const auto& of = format == 0 ? a.rows : a.columns;
    all.assign(size_t(count) + 1, Index(base));
    for (const auto i : of) ++all[size_t(i) + 1];
    for (int i = 0; i < count; ++i) all[size_t(i) + 1] = Index(all[size_t(i) + 1] + all[size_t(i)] - base);
    return all;
  }
  static vector<Index> minors(const Sparse<T>& a, int format, int base) {
    vector<Index> all;
    for (const size_t i : order(a, format)) all.push_back(Index((format == 1 ? a.rows : a.columns)[i] + base));
    return all;
  }
  static vector<T> numbers(const Sparse<T>& a, int format) {
    vector<T> all;
    for (const size_t i : order(a, format)) all.push_back(a.values[i]);
    return all;
  }
  Placed(const Sparse<T>& a, int format, int base) : major(majors(a, format, base)), minor(minors(a, format, base)), values(numbers(a, format)) {
    const auto it = sizeof(Index) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    const auto from = base == 0 ? CUSPARSE_INDEX_BASE_ZERO : CUSPARSE_INDEX_BASE_ONE;
    const auto nonzeros = int64_t(a.values.size());
    if (format == 0) cusparseCreateCsr(&descr, a.m, a.n, nonzeros, major.device, minor.device, values.device, it, it, from, type_of<T>());
    if (format == 1) cusparseCreateCsc(&descr, a.m, a.n, nonzeros, major.device, minor.device, values.device, it, it, from, type_of<T>());
    if (format == 2) cusparseCreateCoo(&descr, a.m, a.n, nonzeros, major.device, minor.device, values.device, it, from, type_of<T>());
  }
  ~Placed() { cusparseDestroySpMat(descr); }
};
constexpr const char* kFormats[] = {"CSR", "CSC", "COO"};
struct Shape { int m, n, kind; };
static const vector<Shape> kShapes = {{1, 1, 1}, {5, 3, 0}, {3, 5, 1}, {40, 30, 0}, {7, 9, 2}, {65, 130, 0}, {200, 33, 1}, {0, 4, 2}, {4, 0, 2}};

/// A dense matrix by columns or by rows.
template <typename T> struct Laid {
  int64_t m, n, ld;
  bool rows;
  Array<T> array;
  cusparseDnMatDescr_t descr = nullptr;
  Laid(int64_t m, int64_t n, bool rows, bool empty = false) : m(m), n(n), ld(std::max<int64_t>(rows ? n : m, 1) + 2), rows(rows), array(size_t(ld * (rows ? m : n)), false) {
    for (int64_t i = 0; i < m && !empty; ++i) for (int64_t j = 0; j < n; ++j) array.host[at(i, j)] = random_of<T>();
    array.put();
    cusparseCreateDnMat(&descr, m, n, ld, array.device, type_of<T>(), rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
  }
  ~Laid() { cusparseDestroyDnMat(descr); }
  size_t at(int64_t i, int64_t j) const { return size_t(rows ? i * ld + j : j * ld + i); }
  Dense<Wide<T>> dense() const {
    Dense<Wide<T>> to(m, n);
    for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < m; ++i) to(i, j) = wide(array.host[at(i, j)]);
    return to;
  }
  template <typename Of> void check(const std::string& name, int status, Of of) const {
    vector<Wide<T>> whole(array.host.size());
    vector<char> written(array.host.size());
    for (int64_t j = 0; j < n; ++j) for (int64_t i = 0; i < m; ++i) whole[at(i, j)] = of(i, j), written[at(i, j)] = 1;
    ::check(name, status, array, whole, written);
  }
};
