// What cuSOLVER, cuSPARSE and cuBLASLt say of wrong arguments, as an H100 did (driver 580, CUDA 13.0): odd statuses of theirs are here, too.
// Where theirs says success for nonsense, a finding says what is wrong, and nothing is written but info.
// build: -lcusolver -lcusparse -lcublasLt
// case: -- refused :: 0
// out: (?m)^gesv size n 13, lda 13, gels size wide 13, right 0$
// out: (?m)^Xsyevd size n 0, lda 0; the solver itself 3$
// out: (?m)^Xgeev left vectors 7, real values of a complex matrix 3, right 0$
// out: (?m)^nnz of nothing 0 0 0 0: all -7, each -7 -7 -7 -7$
// out: (?m)^cublasLt: ids of types that do not go together 15, one of them 15, none asked for 7 and 0; number set 7; pointers 0: 0, emulated 0: 0, next 7$
// case: -- taken :: 1
// out: (?m)^Xgetrf of -4 x 4: 0, info 0; lda 3: 0, info -4; computed in half: 0, info 0, 8 and -1$
// out: (?m)^sytri lda 3: 0, info -777; nothing is written: 1$
// err: cusolverDnXgetrf: a matrix of -4 x 4; a GPU's library says CUSOLVER_STATUS_SUCCESS and solves nothing \(called by library_refusals\.cu:@HERE: rows@
// err: cusolverDnXgetrf: its 'lda' is 3, less than m, which is 4; a GPU's library says CUSOLVER_STATUS_SUCCESS and solves nothing
// err: cusolverDnSsytri: its 'lda' is 3, less than n, which is 4; a GPU's library says CUSOLVER_STATUS_SUCCESS and solves nothing
// case: -- transform :: 3
// err: unsupported: cublasLtMatrixTransform, called by library_refusals\.cu:@HERE: transform@
// case: -- planar :: 3
// out: (?m)^heuristic 15$
// err: unsupported: cublasLtMatmul with this order, plane offset or batch mode of a layout, called by library_refusals\.cu:@HERE: planar@
#include <cublasLt.h>
#include <cusolverDn.h>
#include <cusparse.h>

#include <cstdio>
#include <string>
#include <vector>

static cusolverDnHandle_t solver;
static cusolverDnParams_t params;
static float *a, *b, *w;
static int* info;

static int told() {
  int now = 0;
  cudaMemcpy(&now, info, 4, cudaMemcpyDeviceToHost);
  const int before = -777;
  cudaMemcpy(info, &before, 4, cudaMemcpyHostToDevice);
  return now;
}

static void sizes() {
  size_t bytes = 0, host = 0;
  const int n = cusolverDnSSgesv_bufferSize(solver, -4, 1, a, 4, nullptr, b, 4, w, 4, nullptr, &bytes);
  const int lda = cusolverDnSSgesv_bufferSize(solver, 4, 1, a, 3, nullptr, b, 4, w, 4, nullptr, &bytes);
  const int wide = cusolverDnSSgels_bufferSize(solver, 3, 4, 1, a, 4, b, 4, w, 4, nullptr, &bytes);
  const int right = cusolverDnSSgels_bufferSize(solver, 4, 3, 1, a, 4, b, 4, w, 4, nullptr, &bytes);
  std::printf("gesv size n %d, lda %d, gels size wide %d, right %d\n", n, lda, wide, right);
  const auto F = CUDA_R_32F, C = CUDA_C_32F;
  const auto values = CUSOLVER_EIG_MODE_NOVECTOR, vectors = CUSOLVER_EIG_MODE_VECTOR;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const int few = cusolverDnXsyevd_bufferSize(solver, params, values, lower, -4, F, a, 4, F, w, F, &bytes, &host);
  const int narrow = cusolverDnXsyevd_bufferSize(solver, params, values, lower, 4, F, a, 3, F, w, F, &bytes, &host);
  const int itself = cusolverDnXsyevd(solver, params, values, lower, 4, F, a, 3, F, w, F, b, 0, nullptr, 0, info);
  std::printf("Xsyevd size n %d, lda %d; the solver itself %d\n", few, narrow, itself);
  const auto geev = [&](auto left, auto type, auto of_values) {
    return int(cusolverDnXgeev_bufferSize(solver, params, left, vectors, 4, type, a, 4, of_values, w, type, b, 4, type, b, 4, type, &bytes, &host));
  };
  std::printf("Xgeev left vectors %d, real values of a complex matrix %d, right %d\n", geev(vectors, F, C), geev(values, C, F), geev(values, F, F));
}

static void counts() {
  cusparseHandle_t sparse;
  cusparseCreate(&sparse);
  cusparseMatDescr_t description;
  cusparseCreateMatDescr(&description);
  std::vector<int> each(4, -7);
  int *lines, all = -7;
  cudaMalloc(&lines, 16);
  cudaMemcpy(lines, each.data(), 16, cudaMemcpyHostToDevice);
  std::printf("nnz of nothing");
  for (const auto direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN})
    for (const int rows : {0, 4}) std::printf(" %d", cusparseSnnz(sparse, direction, rows, 4 - rows, description, a, 4, lines, &all));
  cudaMemcpy(each.data(), lines, 16, cudaMemcpyDeviceToHost);
  std::printf(": all %d, each %d %d %d %d\n", all, each[0], each[1], each[2], each[3]);
}

static void algorithms() {
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  cublasLtMatmulAlgo_t algorithm;
  const auto F = CUDA_R_32F;
  int ids[4], found = -7, none = -7;
  const int together = cublasLtMatmulAlgoGetIds(lt, CUBLAS_COMPUTE_64F, F, F, F, F, F, 4, ids, &found);
  const int one = cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_64F, F, F, F, F, F, 0, &algorithm);
  const int zero = cublasLtMatmulAlgoGetIds(lt, CUBLAS_COMPUTE_32F, F, F, F, F, F, 0, ids, &none);
  cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_32F, F, F, F, F, F, 0, &algorithm);
  const int id = 2;
  const int set = cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id);
  int can[3] = {-7, -7, -7}, status[3];
  for (int i = 0; i < 3; ++i) status[i] = cublasLtMatmulAlgoCapGetAttribute(&algorithm, cublasLtMatmulAlgoCapAttributes_t(21 + i), &can[i], 4, nullptr);
  std::printf("cublasLt: ids of types that do not go together %d, one of them %d, none asked for %d and %d; number set %d; pointers %d: %d, emulated %d: %d, next %d\n",
              together, one, zero, none, set, status[0], can[0], status[1], can[1], status[2]);
}

static void taken() {
  const auto F = CUDA_R_32F;
  long long* pivots;
  cudaMalloc(&pivots, 64);
  const int rows = cusolverDnXgetrf(solver, params, -4, 4, F, a, 4, (int64_t*)pivots, F, b, 64, nullptr, 0, info);  // HERE: rows
  const int of_rows = told();
  const int narrow = cusolverDnXgetrf(solver, params, 4, 4, F, a, 3, (int64_t*)pivots, F, b, 64, nullptr, 0, info);
  const int of_narrow = told();
  const float two[] = {8, 4, 2, 0};  // 8 2, 4 0 by rows
  cudaMemcpy(a, two, sizeof two, cudaMemcpyHostToDevice);
  const int half = cusolverDnXgetrf(solver, params, 2, 2, F, a, 2, (int64_t*)pivots, CUDA_R_16F, b, 64, nullptr, 0, info);
  const int of_half = told();
  float factor[4];
  cudaMemcpy(factor, a, sizeof factor, cudaMemcpyDeviceToHost);
  std::printf("Xgetrf of -4 x 4: %d, info %d; lda 3: %d, info %d; computed in half: %d, info %d, %g and %g\n", rows, of_rows, narrow, of_narrow, half, of_half, factor[0], factor[3]);
  float before[16], after[16];
  cudaMemcpy(before, a, 64, cudaMemcpyDeviceToHost);
  const int sytri = cusolverDnSsytri(solver, CUBLAS_FILL_MODE_LOWER, 4, a, 3, (int*)pivots, b, 64, info);
  cudaMemcpy(after, a, 64, cudaMemcpyDeviceToHost);
  bool same = true;
  for (int i = 0; i < 16; ++i) same = same && before[i] == after[i];
  std::printf("sytri lda 3: %d, info %d; nothing is written: %d\n", sytri, told(), same);
}

/// What is not here: tiles of 32 columns, and real and imaginary parts apart.
static void missing(bool planar) {
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  cublasLtMatrixLayout_t plain, special;
  const auto type = planar ? CUDA_C_32F : CUDA_R_8I;
  cublasLtMatrixLayoutCreate(&plain, type, 32, 32, 32);
  cublasLtMatrixLayoutCreate(&special, type, 32, 32, planar ? 32 : 32 * 32);
  const float one[] = {1, 0}, zero[] = {0, 0};
  const int64_t plane = 32 * 32 * 4;
  const auto order = CUBLASLT_ORDER_COL32;
  if (!planar) {
    cublasLtMatrixLayoutSetAttribute(special, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    cublasLtMatrixTransformDesc_t turn;
    cublasLtMatrixTransformDescCreate(&turn, CUDA_R_32F);
    cublasLtMatrixTransform(lt, turn, one, a, plain, zero, nullptr, nullptr, b, special, 0);  // HERE: transform
  }
  cublasLtMatrixLayoutSetAttribute(special, CUBLASLT_MATRIX_LAYOUT_PLANE_OFFSET, &plane, sizeof plane);
  cublasLtMatmulDesc_t product;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_C_32F);
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulHeuristicResult_t found;
  int count = 0;
  std::printf("heuristic %d\n", cublasLtMatmulAlgoGetHeuristic(lt, product, special, plain, plain, plain, preference, 1, &found, &count));
  cublasLtMatmul(lt, product, one, a, special, b, plain, zero, w, plain, w, plain, nullptr, nullptr, 0, 0);  // HERE: planar
}

int main(int, char** words) {
  cusolverDnCreate(&solver);
  cusolverDnCreateParams(&params);
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 4096);
  cudaMalloc(&w, 4096);
  cudaMalloc(&info, 4);
  cudaMemset(a, 0, 4096);
  told();
  const std::string what = words[1];
  if (what == "taken") taken();
  if (what == "refused") sizes(), counts(), algorithms();
  if (what == "transform" || what == "planar") missing(what == "planar");
}
