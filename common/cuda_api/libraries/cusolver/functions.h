#pragma once
// What serves cuSOLVER's names (functions.txt): one function for all types, with 64-bit sizes.

#include <cusolverDn.h>
#if __has_include(<cusolverSp.h>)  // whose functions are refused by name, for programs that name them
#include <cusolverSp.h>
#endif

#include <cstdint>

struct cusolverDnContext {
  cudaStream_t stream = nullptr;
};

namespace gpulab::cusolver {

using i64 = std::int64_t;
using In = const void*;
using Out = void*;
using Status = cusolverStatus_t;

struct Call {
  cusolverDnHandle_t handle;
  const char* name;
  const char* letters;
  bool wide;
  void* caller;
};

Status potrf_size(const Call& call, cublasFillMode_t fill, i64 n, In a, i64 lda, int* size);
Status potrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out work, i64 size, Out info);
Status potrs(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, In a, i64 lda, Out b, i64 ldb, Out info);
Status getrf_size(const Call& call, i64 m, i64 n, In a, i64 lda, int* size);
Status getrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out work, Out pivots, Out info);
Status getrs(const Call& call, cublasOperation_t op, i64 n, i64 nrhs, In a, i64 lda, In pivots, Out b, i64 ldb,
             Out info);
Status geqrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out tau, Out work, i64 size, Out info);
Status ormqr_size(const Call& call, cublasSideMode_t side, cublasOperation_t op, i64 m, i64 n, i64 k, In a, i64 lda,
                  In tau, In c, i64 ldc, int* size);
Status ormqr(const Call& call, cublasSideMode_t side, cublasOperation_t op, i64 m, i64 n, i64 k, In a, i64 lda, In tau,
             Out c, i64 ldc, Out work, i64 size, Out info);
Status orgqr_size(const Call& call, i64 m, i64 n, i64 k, In a, i64 lda, In tau, int* size);
Status orgqr(const Call& call, i64 m, i64 n, i64 k, Out a, i64 lda, In tau, Out work, i64 size, Out info);
Status syevd_size(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, In a, i64 lda, In w,
                  int* size);
Status syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out work,
             i64 size, Out info);
Status gesvd_size(const Call& call, i64 m, i64 n, int* size);
Status gesvd(const Call& call, signed char jobu, signed char jobvt, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
             Out vt, i64 ldvt, Out work, i64 size, Out rwork, Out info);

}  // namespace gpulab::cusolver
