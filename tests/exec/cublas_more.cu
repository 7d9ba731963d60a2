// cuBLAS beyond one product: half, bf16 and int8, many matrices, numbers in the device's memory, LU, transposes, and cublasLt's epilogues.
// long
// build: -lcublas -lcublasLt
// case: --sanitize memcheck,initcheck,streamcheck :: 0
// out: (?m)^half 0 bf16 0 int8 0
// out: (?m)^strided 0 pointers 0
// out: (?m)^device scalars 0, dot 4 on the device
// out: (?m)^LU info 0 pivots 2 2 inverse 0
// out: (?m)^transposed 1 4 2 5 3 6
// out: (?m)^Lt bias and ReLU 0, GELU 0, mask f
// out: (?m)^heuristic 1 status 0
// out: (?m)^algorithms 1: id 0, 1 of tiles, splits 1 then 4, stages 2 bytes: 7, no id 7, status 0
// out: (?m)^unsupported types: status 15
// out: (?m)^Xt 0 0 0, blocks of 64: 0 wrong
// out: (?m)^ \*\* On entry to SGER   parameter number 9 had an illegal value\n \*\* On entry to STRMM parameter number 13 had an illegal value\nrefused 7 7 7 0, 15$
// out: (?m)^extremes 2 0, norm 0
// out: (?m)^least squares 1 2, info 0 0, refused 15 7 -6
// out: (?m)^NaN of an alpha of 0: symv 1 and 1, sbmv 1 and 0, symm 1, gemv 0, gemm 0
// err: cublasLtMatmul 4 x 3 x 5 2 240
#include <cublasLt.h>
#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

template <typename T>
T* on_device(const std::vector<T>& host) {
  T* device;
  cudaMalloc(&device, host.size() * sizeof(T));
  cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}
template <typename T>
std::vector<T> from_device(const T* device, size_t count) {
  std::vector<T> host(count);
  cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}
static float float_of(__half x) { return __half2float(x); }
static float float_of(__nv_bfloat16 x) { return __bfloat162float(x); }
static float float_of(signed char x) { return x; }

static cublasHandle_t handle;

/// Small whole numbers: exact in every type.
template <typename T, typename R>
int wrong_products(cudaDataType type, cudaDataType result, cublasComputeType_t compute) {
  const int m = 5, n = 7, k = 9;
  std::vector<T> a, b;
  for (int i = 0; i < m * k; ++i) a.push_back(T(float(i % 7 - 3)));
  for (int i = 0; i < k * n; ++i) b.push_back(T(float(i % 5 - 2)));
  T *da = on_device(a), *db = on_device(b);
  R* dc = on_device(std::vector<R>(m * n));
  const float one = 1, zero = 0;
  const int whole_one = 1, whole_zero = 0;
  const bool whole = compute == CUBLAS_COMPUTE_32I;
  const auto status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, whole ? (const void*)&whole_one : &one, da, type, m, db, type, k,
                                   whole ? (const void*)&whole_zero : &zero, dc, result, m, compute, CUBLAS_GEMM_DEFAULT);
  if (status != CUBLAS_STATUS_SUCCESS) return -status;
  const auto c = from_device(dc, m * n);
  int wrong = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l) sum += float_of(a[l * m + i]) * float_of(b[j * k + l]);
      wrong += float(c[j * m + i]) != sum;
    }
  cudaFree(da), cudaFree(db), cudaFree(dc);
  return wrong;
}

static void batches() {
  const int n = 3, count = 4;
  std::vector<float> a(n * n * count), b(n * n * count);
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(i % 11), b[i] = float(i % 4);
  float *da = on_device(a), *db = on_device(b), *dc = on_device(std::vector<float>(a.size())), *dd = on_device(std::vector<float>(a.size()));
  const float one = 1, zero = 0;
  cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, da, n, n * n, db, n, n * n, &zero, dc, n, n * n, count);
  std::vector<float*> pa, pb, pd;
  for (int i = 0; i < count; ++i) pa.push_back(da + i * n * n), pb.push_back(db + i * n * n), pd.push_back(dd + i * n * n);
  float **qa = on_device(pa), **qb = on_device(pb), **qd = on_device(pd);
  cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, qa, n, qb, n, &zero, qd, n, count);
  const auto c = from_device(dc, a.size()), d = from_device(dd, a.size());
  int of_strided = 0, of_pointers = 0;
  for (int which = 0; which < count; ++which)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int l = 0; l < n; ++l) sum += a[which * n * n + l * n + i] * b[which * n * n + l * n + j];
        of_strided += c[which * n * n + j * n + i] != sum;
        of_pointers += d[which * n * n + j * n + i] != sum;
      }
  std::printf("strided %d pointers %d\n", of_strided, of_pointers);
}

static void numbers_of_the_device() {
  float* numbers = on_device(std::vector<float>{2, 0, 0});  // alpha, beta, a result
  float *x = on_device(std::vector<float>{1, 1, 1, 1}), *y = on_device(std::vector<float>(4, NAN));
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
  cublasSgemv(handle, CUBLAS_OP_N, 2, 2, numbers, x, 2, x, 1, numbers + 1, y, 1);
  cublasSdot(handle, 4, x, 1, x, 1, numbers + 2);
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  const auto sums = from_device(y, 2);
  std::printf("device scalars %d, dot %g on the device\n", (sums[0] != 4) + (sums[1] != 4), from_device(numbers, 3)[2]);
}

static void factors() {
  const std::vector<double> a{1, 4, 2, 2};  // columns
  double *da = on_device(a), *dc = on_device(std::vector<double>(4));
  double **pa = on_device(std::vector<double*>{da}), **pc = on_device(std::vector<double*>{dc});
  int *pivots = on_device(std::vector<int>(2)), *info = on_device(std::vector<int>(1));
  cublasDgetrfBatched(handle, 2, pa, 2, pivots, info, 1);
  cublasDgetriBatched(handle, 2, pa, 2, pivots, pc, 2, info, 1);
  const auto inverse = from_device(dc, 4);
  int wrong = 0;
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 2; ++i) wrong += std::fabs(a[i] * inverse[2 * j] + a[2 + i] * inverse[2 * j + 1] - (i == j)) > 1e-14;
  const auto p = from_device(pivots, 2);
  std::printf("LU info %d pivots %d %d inverse %d\n", from_device(info, 1)[0], p[0], p[1], wrong);
  const float one = 1, zero = 0;
  float *rows = on_device(std::vector<float>{1, 2, 3, 4, 5, 6}), *columns = on_device(std::vector<float>(6));
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 2, 3, &one, rows, 3, &zero, columns, 2, columns, 2);
  const auto t = from_device(columns, 6);
  std::printf("transposed %g %g %g %g %g %g\n", t[0], t[1], t[2], t[3], t[4], t[5]);
}

static void epilogues() {
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  const int m = 4, n = 3, k = 5;
  std::vector<float> a(m * k), b(k * n), bias{-20, 0, 1, 20};
  for (int i = 0; i < m * k; ++i) a[i] = float(i % 5) - 2;
  for (int i = 0; i < k * n; ++i) b[i] = float(i % 4) - 1;
  float *da = on_device(a), *db = on_device(b), *dd = on_device(std::vector<float>(m * n)), *dbias = on_device(bias);
  cublasLtMatmulDesc_t product;
  cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  auto epilogue = CUBLASLT_EPILOGUE_RELU_AUX_BIAS;
  unsigned char* mask = on_device(std::vector<unsigned char>(16 * n));
  const int64_t mask_ld = 128;
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &dbias, sizeof dbias);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &mask, sizeof mask);
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &mask_ld, sizeof mask_ld);
  cublasLtMatrixLayout_t la, lb, ld;
  cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, m, k, m);
  cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, k, n, k);
  cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, m, n, m);
  const float one = 1, zero = 0;
  cublasLtMatmul(lt, product, &one, da, la, db, lb, &zero, dd, ld, dd, ld, nullptr, nullptr, 0, 0);
  const auto relu = from_device(dd, m * n);
  const auto bits = from_device(mask, 16 * n);
  epilogue = CUBLASLT_EPILOGUE_GELU;
  cublasLtMatmulDescSetAttribute(product, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue);
  cublasLtMatmul(lt, product, &one, da, la, db, lb, &zero, dd, ld, dd, ld, nullptr, nullptr, 0, 0);
  const auto gelu = from_device(dd, m * n);
  int of_relu = 0, of_gelu = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i) {
      double sum = 0;
      for (int l = 0; l < k; ++l) sum += a[l * m + i] * b[j * k + l];
      of_relu += relu[j * m + i] != std::fmax(sum + bias[i], 0.0);
      of_relu += (bits[16 * j] >> i & 1) != (sum + bias[i] > 0);
      of_gelu += std::fabs(gelu[j * m + i] - 0.5 * sum * (1 + std::tanh(0.7978845608 * (sum + 0.044715 * sum * sum * sum)))) > 1e-5;
    }
  std::printf("Lt bias and ReLU %d, GELU %d, mask %s\n", of_relu, of_gelu, of_relu == 0 ? "f" : "?");
  cublasLtMatmulPreference_t preference;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulHeuristicResult_t found[4];
  int count = 0;
  const auto status = cublasLtMatmulAlgoGetHeuristic(lt, product, la, lb, ld, ld, preference, 4, found, &count);
  std::printf("heuristic %d status %d\n", count, status);
  cublasLtDestroy(lt);
}

/// Matrices of the host, inside of larger ones.
static void of_the_host() {
  cublasXtHandle_t xt;
  int device = 0, block = 0, wrong = 0;
  const int created = cublasXtCreate(&xt), selected = cublasXtDeviceSelect(xt, 1, &device);
  cublasXtSetBlockDim(xt, 64);
  cublasXtGetBlockDim(xt, &block);
  const int m = 3, n = 4, k = 5, lda = 6, ldb = 7, ldc = 8;
  std::vector<double> a(lda * m), b(ldb * n), c(ldc * n, 1), before = c;
  for (size_t i = 0; i < a.size(); ++i) a[i] = double(i % 7) - 3;
  for (size_t i = 0; i < b.size(); ++i) b[i] = double(i % 5) - 2;
  const double two = 2, three = 3;
  const int multiplied = cublasXtDgemm(xt, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &two, a.data(), lda, b.data(), ldb, &three, c.data(), ldc);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < ldc; ++i) {
      double sum = 0;
      for (int l = 0; l < k && i < m; ++l) sum += a[i * lda + l] * b[j * ldb + l];
      wrong += c[j * ldc + i] != (i < m ? 2 * sum + 3 : 1);
    }
  std::printf("Xt %d %d %d, blocks of %d: %d wrong\n", created, selected, multiplied, block, wrong);
  cublasXtDestroy(xt);
}

/// As on an H100: what is refused in which words, or none, and what increments below 1 and NaN do.
static void refusals() {
  float one = 1, *p, host[] = {NAN, 2, 1}, norm = 7;
  cudaMalloc(&p, 64);
  cudaMemset(p, 0, 64);
  const auto ger = cublasSger(handle, 4, 4, &one, p, 1, p, 1, p, 3);
  const auto trmm = cublasStrmm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 4, &one, p, 4, p, 4, p, 3);
  const auto gemv = cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, p, 3, p, 1, &one, p, 1);
  const auto nothing = cublasSgemv(handle, CUBLAS_OP_N, -1, 4, &one, p, 0, p, 1, &one, p, 1);
  const auto type = cublasNrm2Ex(handle, 1, p, CUDA_R_32F, 1, &norm, CUDA_R_32F, CUDA_R_64F);
  std::printf("refused %d %d %d %d, %d\n", ger, trmm, gemv, nothing, type);
  int most = 7, none = 7;
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  cublasIsamax(handle, 3, p, 1, &most), cublasIsamax(handle, 3, p, -1, &none), cublasSnrm2(handle, 3, p, 0, &norm);
  std::printf("extremes %d %d, norm %g\n", most, none, norm);
}

/// Three equations for two unknowns, which they all hold for.
static void least_squares() {
  double* const a = on_device<double>({1, 0, 1, 0, 1, 1});
  double* const b = on_device<double>({1, 2, 3});
  double** const as = on_device<double*>({a});
  double** const bs = on_device<double*>({b});
  int info = 5, few = 5, *const infos = on_device<int>({5});
  cublasDgelsBatched(handle, CUBLAS_OP_N, 3, 2, 1, as, 3, bs, 3, &info, infos, 1);
  const auto x = from_device(b, 2);
  const int turned = cublasDgelsBatched(handle, CUBLAS_OP_T, 3, 2, 1, as, 3, bs, 3, &few, infos, 1);
  const int narrow = cublasDgelsBatched(handle, CUBLAS_OP_N, 3, 2, 1, as, 2, bs, 3, &few, infos, 1);
  std::printf("least squares %.12g %.12g, info %d %d, refused %d %d %d\n", x[0], x[1], info, from_device(infos, 1)[0], turned, narrow, few);
}
/// An alpha of 0: symmetric products multiply by it (seen on an H100), general ones do not read.
static void not_a_number() {
  const float zero = 0, half = 0.5f, one = 1;
  float* const a = on_device<float>({NAN});
  const auto y = [] { return on_device<float>({4}); };
  const auto is_nan = [](const float* p) { return int(std::isnan(from_device(p, 1)[0])); };
  const auto upper = CUBLAS_FILL_MODE_UPPER;
  float *r[7] = {y(), y(), y(), y(), y(), y(), y()};
  cublasSsymv(handle, upper, 1, &zero, a, 1, a, 1, &half, r[0], 1);
  cublasSsymv(handle, upper, 1, &zero, a, 1, a, 1, &one, r[1], 1);
  cublasSsbmv(handle, upper, 1, 0, &zero, a, 1, a, 1, &half, r[2], 1);
  cublasSsbmv(handle, upper, 1, 0, &zero, a, 1, a, 1, &one, r[3], 1);
  cublasSsymm(handle, CUBLAS_SIDE_LEFT, upper, 1, 1, &zero, a, 1, a, 1, &half, r[4], 1);
  cublasSgemv(handle, CUBLAS_OP_N, 1, 1, &zero, a, 1, a, 1, &half, r[5], 1);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &zero, a, 1, a, 1, &half, r[6], 1);
  std::printf("NaN of an alpha of 0: symv %d and %d, sbmv %d and %d, symm %d, gemv %d, gemm %d\n", is_nan(r[0]), is_nan(r[1]), is_nan(r[2]), is_nan(r[3]), is_nan(r[4]), is_nan(r[5]), is_nan(r[6]));
}

/// As programs do that try all algorithms.
static void algorithms() {
  cublasLtHandle_t lt;
  cublasLtCreate(&lt);
  int ids[8], count = 0, id = -1, splits = 0, more = 4;
  cublasLtMatmulAlgoGetIds(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 8, ids, &count);
  cublasLtMatmulAlgo_t algorithm;
  const int made = cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ids[0], &algorithm);
  size_t bytes = 0;
  cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_TILE_IDS, nullptr, 0, &bytes);
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, nullptr);
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &splits, sizeof splits, nullptr);
  cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &more, sizeof more);
  cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &more, sizeof more, nullptr);
  const int narrow = cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_STAGES_ID, &more, 2);
  const int none = cublasLtMatmulAlgoInit(lt, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 9999, &algorithm);
  std::printf("algorithms %d: id %d, %d of tiles, splits %d then %d, stages 2 bytes: %d, no id %d, status %d\n", count, id, int(bytes / 4), splits, more, narrow, none, made);
  cublasLtDestroy(lt);
}

int main() {
  cublasCreate(&handle);
  algorithms();
  const int half = wrong_products<__half, __half>(CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  const int bf16 = wrong_products<__nv_bfloat16, float>(CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  const int int8 = wrong_products<signed char, int>(CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I);
  std::printf("half %d bf16 %d int8 %d\n", half, bf16, int8);
  batches();
  numbers_of_the_device();
  factors();
  epilogues();
  of_the_host();
  refusals();
  least_squares();
  not_a_number();
  float one = 1;
  const auto status = cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &one, CUDA_R_16F, 1, &one, CUDA_R_32F, 1, &one, &one, CUDA_R_32F, 1,
                                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  std::printf("unsupported types: status %d\n", status);
  cublasDestroy(handle);
}
