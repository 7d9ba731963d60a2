// cuSPARSE: sparse vectors, sorts, products of two sparse matrices, incomplete factorisations; each against what it is by definition.
// long
// build: -lcusparse
// case: --sanitize memcheck,initcheck :: 0
// out: (?m)^counted 5 5, rows 1, columns 1$
// out: (?m)^axpby 0 wrong, gather 0, scatter 0, rot 0, dot 0$
// out: (?m)^rows sorted 1 1, all sorted 1 1 1$
// out: (?m)^product 7 elements of 8 products, 0 wrong$
// out: (?m)^ilu 0 wrong, pivot -1 and 0; ic 0 wrong; a row without a diagonal 1: 9$
// err: cusparseSpGEMM_compute +3 x 4 x 3, 6 and 5 elements
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static cusparseHandle_t handle;

template <typename T> T* on_device(const std::vector<T>& host) {
  T* p;
  cudaMalloc(&p, host.size() * sizeof(T));
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <typename T> std::vector<T> from_device(const T* p, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}
static int wrong(const std::vector<double>& got, const std::vector<double>& expected) {
  int count = 0;
  for (size_t i = 0; i < got.size(); ++i) count += !(std::fabs(got[i] - expected[i]) <= 1e-14 * std::fabs(expected[i]));
  return count;
}

static void vectors() {
  const std::vector<int> indices{1, 4, 6};
  const std::vector<double> values{2, -3, 0.5}, full{1, 2, 3, 4, 5, 6, 7};
  auto* i = on_device(indices);
  auto *x = on_device(values), *y = on_device(full);
  cusparseSpVecDescr_t sparse;
  cusparseDnVecDescr_t dense;
  cusparseCreateSpVec(&sparse, 7, 3, i, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateDnVec(&dense, 7, y, CUDA_R_64F);
  const double alpha = 3, beta = 0.5;
  double dot = 0;
  size_t bytes;
  void* buffer;
  cusparseSpVV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, sparse, dense, &dot, CUDA_R_64F, &bytes);
  cudaMalloc(&buffer, bytes);
  cusparseSpVV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, sparse, dense, &dot, CUDA_R_64F, buffer);
  cusparseAxpby(handle, &alpha, sparse, &beta, dense);
  const int axpby = wrong(from_device(y, 7), {0.5, 7, 1.5, 2, -6.5, 3, 5});
  cusparseGather(handle, dense, sparse);
  const int gather = wrong(from_device(x, 3), {7, -6.5, 5});
  cudaMemcpy(x, values.data(), 24, cudaMemcpyHostToDevice);
  cusparseScatter(handle, sparse, dense);
  const int scatter = wrong(from_device(y, 7), {0.5, 2, 1.5, 2, -3, 3, 0.5});
  const double c = 0.6, s = 0.8;
  cudaMemcpy(y, full.data(), 56, cudaMemcpyHostToDevice);
  cusparseRot(handle, &c, &s, sparse, dense);
  const int rot = wrong(from_device(x, 3), {0.6 * 2 + 0.8 * 2, 0.6 * -3 + 0.8 * 5, 0.6 * 0.5 + 0.8 * 7}) + wrong(from_device(y, 7), {1, 0.6 * 2 - 0.8 * 2, 3, 4, 0.6 * 5 + 0.8 * 3, 6, 0.6 * 7 - 0.8 * 0.5});
  std::printf("axpby %d wrong, gather %d, scatter %d, rot %d, dot %d\n", axpby, gather, scatter, rot, dot != 2 * 2 - 3 * 5 + 0.5 * 7);
}

static void sorts() {
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  auto* offsets = on_device<int>({0, 3, 3, 5});
  auto* columns = on_device<int>({3, 0, 2, 1, 0});
  int* p;
  cudaMalloc(&p, 20);
  cusparseCreateIdentityPermutation(handle, 5, p);
  cusparseXcsrsort(handle, 3, 4, 5, description, offsets, columns, p, nullptr);
  const bool lines = from_device(columns, 5) == std::vector<int>{0, 2, 3, 0, 1}, places = from_device(p, 5) == std::vector<int>{1, 2, 0, 4, 3};
  auto *rows = on_device<int>({2, 0, 2, 1}), *others = on_device<int>({1, 3, 0, 2});
  cusparseCreateIdentityPermutation(handle, 4, p);
  cusparseXcoosortByRow(handle, 3, 4, 4, rows, others, p, nullptr);
  const bool all = from_device(rows, 4) == std::vector<int>{0, 1, 2, 2}, second = from_device(others, 4) == std::vector<int>{3, 2, 0, 1}, order = from_device(p, 4) == std::vector<int>{1, 3, 2, 0};
  std::printf("rows sorted %d %d, all sorted %d %d %d\n", lines, places, all, second, order);
}

static void product() {
  // A is 3 x 4, B is 4 x 3.
  cusparseSpMatDescr_t a, b, c;
  cusparseCreateCsr(&a, 3, 4, 6, on_device<int>({0, 2, 4, 6}), on_device<int>({0, 3, 1, 2, 0, 1}), on_device<double>({1, 2, 3, 4, 5, 6}), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  cusparseCreateCsr(&b, 4, 3, 5, on_device<int>({0, 1, 3, 4, 5}), on_device<int>({0, 1, 2, 1, 2}), on_device<double>({7, 8, 9, 10, 11}), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  int* offsets;
  cudaMalloc(&offsets, 16);
  cusparseCreateCsr(&c, 3, 3, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  const double alpha = 2, beta = 0;
  const auto n = CUSPARSE_OPERATION_NON_TRANSPOSE;
  cusparseSpGEMMDescr_t d;
  cusparseSpGEMM_createDescr(&d);
  size_t bytes = 0;
  void* buffer;
  cusparseSpGEMM_workEstimation(handle, n, n, &alpha, a, b, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, nullptr);
  cudaMalloc(&buffer, bytes);
  cusparseSpGEMM_workEstimation(handle, n, n, &alpha, a, b, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer);
  int64_t products = 0;
  cusparseSpGEMM_getNumProducts(d, &products);
  cusparseSpGEMM_compute(handle, n, n, &alpha, a, b, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, nullptr);
  cusparseSpGEMM_compute(handle, n, n, &alpha, a, b, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d, &bytes, buffer);
  int64_t rows, columns, elements;
  cusparseSpMatGetSize(c, &rows, &columns, &elements);
  auto* places = on_device(std::vector<int>(elements));
  auto* values = on_device(std::vector<double>(elements));
  cusparseCsrSetPointers(c, offsets, places, values);
  cusparseSpGEMM_copy(handle, n, n, &alpha, a, b, &beta, c, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, d);
  // Rows of A B: (7, 0, 22), (0, 24 + 40, 27), (35, 48, 54).
  const int off = wrong(from_device(values, elements), {14, 44, 128, 54, 70, 96, 108}) + (from_device(offsets, 4) != std::vector<int>{0, 2, 4, 7}) + (from_device(places, elements) != std::vector<int>{0, 2, 1, 2, 0, 1, 2});
  std::printf("product %d elements of %d products, %d wrong\n", int(elements), int(products), off);
}

static void incomplete() {
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  // 4 1 0; 1 4 1; 0 1 4: without fill-in both are exact.
  auto *offsets = on_device<int>({0, 2, 5, 7}), *columns = on_device<int>({0, 1, 0, 1, 2, 1, 2});
  const std::vector<double> matrix{4, 1, 1, 4, 1, 1, 4};
  auto* values = on_device(matrix);
  csrilu02Info_t lu;
  csric02Info_t cholesky;
  cusparseCreateCsrilu02Info(&lu), cusparseCreateCsric02Info(&cholesky);
  cusparseDcsrilu02_analysis(handle, 3, 7, description, values, offsets, columns, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  cusparseDcsrilu02(handle, 3, 7, description, values, offsets, columns, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  const int of_lu = wrong(from_device(values, 7), {4, 1, 0.25, 3.75, 1, 1 / 3.75, 4 - 1 / 3.75});
  int pivot = 5;
  const int status = cusparseXcsrilu02_zeroPivot(handle, lu, &pivot);
  cudaMemcpy(values, matrix.data(), 56, cudaMemcpyHostToDevice);
  cusparseDcsric02_analysis(handle, 3, 7, description, values, offsets, columns, cholesky, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  cusparseDcsric02(handle, 3, 7, description, values, offsets, columns, cholesky, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  const double second = std::sqrt(4 - 0.25);
  const int of_ic = wrong(from_device(values, 7), {2, 1, 0.5, second, 1, 1 / second, std::sqrt(4 - 1 / second / second)});
  int missing = -1;
  auto* none = on_device<int>({0, 1, 0, 2, 2, 1, 2});  // row 1 has no diagonal
  cusparseDcsrilu02_analysis(handle, 3, 7, description, values, offsets, none, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, nullptr);
  const int lacks = cusparseXcsrilu02_zeroPivot(handle, lu, &missing);
  std::printf("ilu %d wrong, pivot %d and %d; ic %d wrong; a row without a diagonal %d: %d\n", of_lu, pivot, status, of_ic, missing, lacks);
}

static void counts() {
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  auto* matrix = on_device<float>({1, 0, 2, 0, 0, 3, 0, 4, 5, 0, 0, 0});  // 3 x 4 by columns
  auto* of_lines = on_device<int>({9, 9, 9, 9});
  int all = 0, again = 0;
  cusparseSnnz(handle, CUSPARSE_DIRECTION_ROW, 3, 4, description, matrix, 3, of_lines, &all);
  const bool rows = from_device(of_lines, 4) == std::vector<int>{1, 1, 3, 9};
  cusparseSnnz(handle, CUSPARSE_DIRECTION_COLUMN, 3, 4, description, matrix, 3, of_lines, &again);
  std::printf("counted %d %d, rows %d, columns %d\n", all, again, rows, from_device(of_lines, 4) == std::vector<int>{2, 1, 2, 0});
}

int main() {
  cusparseCreate(&handle);
  counts();
  vectors();
  sorts();
  product();
  incomplete();
  cusparseDestroy(handle);
}
