// cuSPARSE against loops: SpMV and SpMM in three forms, indices from 0 and 1, conversions there and back, an index beyond the vector.
// long
// build: -lcusparse
// case: --sanitize memcheck,initcheck :: 0
// out: (?m)^SpMV 0 SpMM 0 dense 0 sparse 0 csc 0 coo 0
// out: (?m)^status 3 invalid value
// out: (?m)^SpSV 2 3 4 SpSM 2 3 4 SDDMM 6 7 15 32$
// err: \*\* On entry to cusparseSpMV\(\): type of matA \(CUDA_R_32F\), vecX \(CUDA_R_32F\), vecY \(CUDA_R_32F\), compute \(CUDA_R_32F\) is not valid when opA is CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
// err: \*\* On entry to cusparseSpSV_analysis\(\): matA only supports CSR, COO or Sliced ELLPACK storage formats, current CSC
// err: \*\* On entry to cusparseSpMM\(\): conjugate transpose \(opB\) is not valid for B data type \(CUDA_R_32F\)
// err: \*\* On entry to cusparseSDDMM\(\): sparse matrix format \(CSC\) is not supported
// err: cusparseSpMV 40 x 30, \d+ elements
// case: -- beyond :: 4
// err: out-of-bounds read of 4 bytes at 0x[0-9a-f]+ by cusparseSpMV \(4 x 4, 4 elements\): its 'vecX\[100000\]' is no memory of the device
#include <cusparse.h>

#include <cmath>
#include <cstdio>
#include <vector>

template <typename T> T* on_device(const std::vector<T>& host) {
  T* p;
  cudaMalloc(&p, host.size() * sizeof(T) + 1);
  cudaMemcpy(p, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}
template <typename T> std::vector<T> from_device(const T* p, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), p, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

/// A triangle of three rows, [2 . .; 1 2 .; . 1 2], whose upper elements are not looked at, and a product where it has elements.
static void triangles(cusparseHandle_t handle) {
  const auto N = CUSPARSE_OPERATION_NON_TRANSPOSE, H = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  const auto I = CUSPARSE_INDEX_32I;
  const auto F = CUDA_R_32F;
  int *offsets = on_device(std::vector<int>{0, 1, 3, 5}), *columns = on_device(std::vector<int>{0, 0, 1, 1, 2});
  float *values = on_device(std::vector<float>{2, 1, 2, 1, 2}), *b = on_device(std::vector<float>{4, 8, 11}), *x = on_device(std::vector<float>(3));
  cusparseSpMatDescr_t a, csc, pattern, of_columns;
  cusparseCreateCsr(&a, 3, 3, 5, offsets, columns, values, I, I, CUSPARSE_INDEX_BASE_ZERO, F);
  cusparseCreateCsc(&csc, 3, 3, 5, offsets, columns, values, I, I, CUSPARSE_INDEX_BASE_ZERO, F);
  cusparseDnVecDescr_t vb, vx;
  cusparseCreateDnVec(&vb, 3, b, F), cusparseCreateDnVec(&vx, 3, x, F);
  const float one = 1, zero = 0;
  size_t size;
  cusparseSpSVDescr_t solve;
  cusparseSpSV_createDescr(&solve);
  cusparseSpSV_bufferSize(handle, N, &one, a, vb, vx, F, CUSPARSE_SPSV_ALG_DEFAULT, solve, &size);
  cusparseSpSV_analysis(handle, N, &one, csc, vb, vx, F, CUSPARSE_SPSV_ALG_DEFAULT, solve, nullptr);  // refused
  cusparseSpSV_analysis(handle, N, &one, a, vb, vx, F, CUSPARSE_SPSV_ALG_DEFAULT, solve, nullptr);
  cusparseSpSV_solve(handle, N, &one, a, vb, vx, F, CUSPARSE_SPSV_ALG_DEFAULT, solve);
  auto got = from_device(x, 3);
  std::printf("SpSV %g %g %g ", got[0], got[1], got[2]);
  cudaMemset(x, 0, 12);
  cusparseDnMatDescr_t mb, mx, left, right;
  cusparseCreateDnMat(&mb, 3, 1, 3, b, F, CUSPARSE_ORDER_COL), cusparseCreateDnMat(&mx, 3, 1, 1, x, F, CUSPARSE_ORDER_ROW);
  cusparseSpSMDescr_t many;
  cusparseSpSM_createDescr(&many);
  cusparseSpSM_analysis(handle, N, N, &one, a, mb, mx, F, CUSPARSE_SPSM_ALG_DEFAULT, many, nullptr);
  cusparseSpSM_solve(handle, N, N, &one, a, mb, mx, F, CUSPARSE_SPSM_ALG_DEFAULT, many);
  got = from_device(x, 3);
  std::printf("SpSM %g %g %g ", got[0], got[1], got[2]);
  // [1 2; 3 4] [2 1; 2 3], where C has all four elements; 0 + those.
  float *l = on_device(std::vector<float>{1, 2, 3, 4}), *r = on_device(std::vector<float>{2, 1, 2, 3}), *c = on_device(std::vector<float>{0, 0, 1, 14});
  cusparseCreateDnMat(&left, 2, 2, 2, l, F, CUSPARSE_ORDER_ROW), cusparseCreateDnMat(&right, 2, 2, 2, r, F, CUSPARSE_ORDER_ROW);
  int *all = on_device(std::vector<int>{0, 2, 4}), *both = on_device(std::vector<int>{0, 1, 0, 1});
  cusparseCreateCsr(&pattern, 2, 2, 4, all, both, c, I, I, CUSPARSE_INDEX_BASE_ZERO, F);
  cusparseCreateCsc(&of_columns, 2, 2, 4, all, both, c, I, I, CUSPARSE_INDEX_BASE_ZERO, F);
  cusparseSDDMM(handle, N, N, &one, left, right, &one, of_columns, F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr);  // refused
  cusparseSDDMM(handle, N, N, &one, left, right, &one, pattern, F, CUSPARSE_SDDMM_ALG_DEFAULT, nullptr);
  const auto sampled = from_device(c, 4);
  std::printf("SDDMM %g %g %g %g\n", sampled[0], sampled[1], sampled[2], sampled[3] + 3);
  cusparseSpMV(handle, H, &one, a, vb, &zero, vx, F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);  // refused, and so is this
  cusparseSpMM(handle, N, H, &one, a, mb, &zero, mx, F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
}

int main(int count, char**) {
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  const float alpha = 2, beta = 0.5f, zero = 0, one = 1;
  if (count > 1) {
    int *offsets = on_device(std::vector<int>{0, 1, 2, 3, 4}), *columns = on_device(std::vector<int>{0, 1, 100000, 3});
    float *values = on_device(std::vector<float>(4, 1)), *x = on_device(std::vector<float>(4, 1)), *y = on_device(std::vector<float>(4, 1));
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t dx, dy;
    cusparseCreateCsr(&a, 4, 4, 4, offsets, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    cusparseCreateDnVec(&dx, 4, x, CUDA_R_32F);
    cusparseCreateDnVec(&dy, 4, y, CUDA_R_32F);
    cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, dx, &zero, dy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    return 0;
  }
  const int m = 40, n = 30;
  std::vector<float> dense(m * n, 0.0f);  // by columns
  for (int j = 0; j < n; ++j) for (int i = 0; i < m; ++i) if ((i * 7 + j * 5) % 6 == 0) dense[j * m + i] = float((i + 2 * j) % 9 + 1);
  float* d_dense = on_device(dense);
  // The device makes CSR of it.
  int* offsets = on_device(std::vector<int>(m + 1));
  cusparseDnMatDescr_t whole;
  cusparseSpMatDescr_t sparse;
  cusparseCreateDnMat(&whole, m, n, m, d_dense, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateCsr(&sparse, m, n, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
  size_t size;
  cusparseDenseToSparse_bufferSize(handle, whole, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &size);
  cusparseDenseToSparse_analysis(handle, whole, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
  int64_t rows, columns_count, nonzeros;
  cusparseSpMatGetSize(sparse, &rows, &columns_count, &nonzeros);
  int* columns = on_device(std::vector<int>(nonzeros));
  float* values = on_device(std::vector<float>(nonzeros));
  cusparseCsrSetPointers(sparse, offsets, columns, values);
  cusparseDenseToSparse_convert(handle, whole, sparse, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, nullptr);
  const auto h_offsets = from_device(offsets, m + 1), h_columns = from_device(columns, nonzeros);
  const auto h_values = from_device(values, nonzeros);
  int of_sparse = h_offsets[0] != 1 || h_offsets[m] != nonzeros + 1;
  for (int i = 0; i < m; ++i) for (int k = h_offsets[i] - 1; k < h_offsets[i + 1] - 1; ++k) of_sparse += dense[(h_columns[k] - 1) * m + i] != h_values[k];
  // Products.
  int of_vector = 0, of_matrix = 0;
  for (auto op : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
    const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
    const int nx = plain ? n : m, ny = plain ? m : n, wide = 3;
    std::vector<float> x(nx), y(ny), b(nx * wide), c(ny * wide);
    for (int i = 0; i < nx; ++i) x[i] = float(i % 5) - 1;
    for (int i = 0; i < ny; ++i) y[i] = float(i % 4);
    for (size_t i = 0; i < b.size(); ++i) b[i] = float(i % 7) - 3;
    float *dx = on_device(x), *dy = on_device(y), *db = on_device(b), *dc = on_device(c);
    cusparseDnVecDescr_t vx, vy;
    cusparseDnMatDescr_t mb, mc;
    cusparseCreateDnVec(&vx, nx, dx, CUDA_R_32F);
    cusparseCreateDnVec(&vy, ny, dy, CUDA_R_32F);
    cusparseCreateDnMat(&mb, nx, wide, wide, db, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    cusparseCreateDnMat(&mc, ny, wide, ny, dc, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cusparseSpMV(handle, op, &alpha, sparse, vx, &beta, vy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
    cusparseSpMM(handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, sparse, mb, &zero, mc, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, nullptr);
    const auto got = from_device(dy, ny), got_c = from_device(dc, ny * wide);
    for (int i = 0; i < ny; ++i) {
      float sum = 0, of_c[3] = {};
      for (int k = 0; k < nx; ++k) {
        const float entry = plain ? dense[k * m + i] : dense[i * m + k];
        sum += entry * x[k];
        for (int j = 0; j < wide; ++j) of_c[j] += entry * b[k * wide + j];
      }
      of_vector += got[i] != 2 * sum + 0.5f * y[i];
      for (int j = 0; j < wide; ++j) of_matrix += got_c[j * ny + i] != 2 * of_c[j];
    }
  }
  // Back, and to the other forms.
  float *again = on_device(std::vector<float>(m * n, -1.0f)), *csc_values = on_device(std::vector<float>(nonzeros));
  int *csc_offsets = on_device(std::vector<int>(n + 1)), *csc_rows = on_device(std::vector<int>(nonzeros)), *coo_rows = on_device(std::vector<int>(nonzeros));
  const auto compare = [&](cusparseSpMatDescr_t a) {
    cusparseDnMatDescr_t to;
    cusparseCreateDnMat(&to, m, n, m, again, CUDA_R_32F, CUSPARSE_ORDER_COL);
    cudaMemset(again, 0xff, m * n * 4);
    cusparseSparseToDense(handle, a, to, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr);
    const auto got = from_device(again, m * n);
    int wrong = 0;
    for (int i = 0; i < m * n; ++i) wrong += got[i] != dense[i];
    return wrong;
  };
  const int of_dense = compare(sparse);
  cusparseCsr2cscEx2(handle, m, n, int(nonzeros), values, offsets, columns, csc_values, csc_offsets, csc_rows, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC,
                     CUSPARSE_INDEX_BASE_ONE, CUSPARSE_CSR2CSC_ALG_DEFAULT, nullptr);
  cusparseXcsr2coo(handle, offsets, int(nonzeros), m, coo_rows, CUSPARSE_INDEX_BASE_ONE);
  cusparseSpMatDescr_t csc, coo;
  cusparseCreateCsc(&csc, m, n, nonzeros, csc_offsets, csc_rows, csc_values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
  cusparseCreateCoo(&coo, m, n, nonzeros, coo_rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
  const int of_csc = compare(csc), of_coo = compare(coo);
  triangles(handle);
  std::printf("SpMV %d SpMM %d dense %d sparse %d csc %d coo %d\n", of_vector, of_matrix, of_dense, of_sparse, of_csc, of_coo);
  cusparseDnVecDescr_t wrong;
  cusparseCreateDnVec(&wrong, 3, values, CUDA_R_32F);
  const auto status = cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, sparse, wrong, &zero, wrong, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, nullptr);
  std::printf("status %d %s\n", status, cusparseGetErrorString(status));
  cusparseDestroy(handle);
}
