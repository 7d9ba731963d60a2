// cuBLAS as courses use it: a handle, vectors and matrices that come and go by cublasSet and cublasGet, saxpy, sgemm.
// build: -lcublas
// case:  :: 0
// out: (?m)^4 7 10
// out: sum 21, largest at 3, dot 138
// out: C 19 22 43 50
// out: (?m)^ \*\* On entry to SGEMM  parameter number 8 had an illegal value$
// out: status 7 CUBLAS_STATUS_INVALID_VALUE: an invalid value was used as an argument
// err: cublasSaxpy n = 3 1 6
// err: cublasSgemm 2 x 2 x 2 1 16 48
// err: library, estimated
#include <cublas_v2.h>

#include <cstdio>
#include <cstring>
#include <vector>

int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  const float x[] = {1, 2, 3};
  float y[] = {2, 3, 4};
  float *dx, *dy;
  cudaMalloc(&dx, sizeof x);
  cudaMalloc(&dy, sizeof y);
  cublasSetVector(3, sizeof(float), x, 1, dx, 1);
  cublasSetVector(3, sizeof(float), y, 1, dy, 1);
  const float two = 2;
  cublasSaxpy(handle, 3, &two, dx, 1, dy, 1);
  cublasGetVector(3, sizeof(float), dy, 1, y, 1);
  std::printf("%g %g %g\n", y[0], y[1], y[2]);
  float sum, dot;
  int largest;
  cublasSasum(handle, 3, dy, 1, &sum);
  cublasIsamax(handle, 3, dy, 1, &largest);
  cublasSdot(handle, 3, dy, 1, dy, 1, &dot);
  std::printf("sum %g, largest at %d, dot %g\n", sum, largest, dot - 27);
  // Row by row, so that cuBLAS sees both transposed: C^T = B^T A^T.
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4], *da, *db, *dc;
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dc, sizeof c);
  cublasSetMatrix(2, 2, sizeof(float), a, 2, da, 2);
  cublasSetMatrix(2, 2, sizeof(float), b, 2, db, 2);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, db, 2, da, 2, &zero, dc, 2);
  cublasGetMatrix(2, 2, sizeof(float), dc, 2, c, 2);
  std::printf("C %g %g %g %g\n", c[0], c[1], c[2], c[3]);
  const auto status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, db, 1, da, 2, &zero, dc, 2);
  std::printf("status %d %s: %s\n", status, cublasGetStatusName(status), cublasGetStatusString(status));
  for (float* p : {dx, dy, da, db, dc}) cudaFree(p);
  return cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS ? 0 : 1;
}
