#pragma once
// What serves cuSOLVER's names (functions.txt): one function for all types, with 64-bit sizes.

#include <cusolverDn.h>
#if __has_include(<cusolverSp.h>)
#include <cusolverSp.h>
#endif
#if __has_include(<cusolverSp_LOWLEVEL_PREVIEW.h>)
#include <cusolverSp_LOWLEVEL_PREVIEW.h>
#endif
#if __has_include(<cusolverRf.h>)
#include <cusolverRf.h>
#endif

#include <cstdint>

/// A handle of any part of the library.
struct GpulabSolver {
  cudaStream_t stream = nullptr;
  int deterministic = 1;  ///< CUSOLVER_DETERMINISTIC_RESULTS
  int math = 1;           ///< CUSOLVER_DEFAULT_MATH
};
struct cusolverDnContext : GpulabSolver {};
struct cusolverSpContext : GpulabSolver {};

namespace gpulab::cusolver {

using i64 = std::int64_t;
using In = const void*;
using Out = void*;
using Status = cusolverStatus_t;
using Type = cudaDataType_t;

struct Call {
  GpulabSolver* handle;
  const char* name;
  const char* letters;
  bool wide;
  void* caller;
};

Status potrf_size(const Call& call, cublasFillMode_t, i64, In, i64, int* size);
Status potrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info);
Status potrs(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, In a, i64 lda, Out b, i64 ldb, Out info);
Status getrf_size(const Call& call, i64 m, i64 n, In, i64 lda, int* size);
Status getrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out, Out pivots, Out info);
Status getrs(const Call& call, cublasOperation_t op, i64 n, i64 nrhs, In a, i64 lda, In pivots, Out b, i64 ldb,
             Out info);
Status potri_size(const Call& call, cublasFillMode_t fill, i64 n, In, i64 lda, int* size);
Status potri(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info);
Status lauum(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out, i64, Out info);
Status laswp(const Call& call, i64 n, Out a, i64 lda, i64 first, i64 last, In pivots, i64 step);
Status potrf_batched(const Call& call, cublasFillMode_t fill, i64 n, In a, i64 lda, Out info, i64 batch);
Status potrs_batched(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, In a, i64 lda, In b, i64 ldb, Out info,
                     i64 batch);

Status sytrf_size(const Call& call, i64 n, In, i64 lda, int* size);
Status sytrf(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out pivots, Out, i64, Out info);
Status sytri_size(const Call& call, cublasFillMode_t fill, i64 n, In, i64 lda, In, int* size);
Status sytri(const Call& call, cublasFillMode_t fill, i64 n, Out a, i64 lda, In pivots, Out, i64, Out info);
Status xsytrs_size(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In, i64 lda, In, Type other, In,
                   i64 ldb, std::size_t* device, std::size_t* host);
Status xsytrs(const Call& call, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In a, i64 lda, In pivots, Type other,
              Out b, i64 ldb, Out, std::size_t, Out, std::size_t, Out info);

Status geqrf(const Call& call, i64 m, i64 n, Out a, i64 lda, Out tau, Out, i64, Out info);
Status ormqr_size(const Call& call, cublasSideMode_t, cublasOperation_t, i64 m, i64 n, i64 k, In, i64, In, In, i64,
                  int* size);
Status ormqr(const Call& call, cublasSideMode_t side, cublasOperation_t op, i64 m, i64 n, i64 k, In a, i64 lda, In tau,
             Out c, i64 ldc, Out, i64, Out info);
Status orgqr_size(const Call& call, i64 m, i64 n, i64 k, In, i64, In, int* size);
Status orgqr(const Call& call, i64 m, i64 n, i64 k, Out a, i64 lda, In tau, Out, i64, Out info);

Status syevd_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size);
Status syevd(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out, i64,
             Out info);
Status syevdx_size(const Call& call, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t, i64 n, In, i64 lda,
                   double, double, i64, i64, int*, In, int* size);
Status syevdx(const Call& call, cusolverEigMode_t mode, cusolverEigRange_t range, cublasFillMode_t fill, i64 n, Out a,
              i64 lda, double vl, double vu, i64 il, i64 iu, int* found, Out w, Out, i64, Out info);
Status sygvd_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In,
                  i64 ldb, In, int* size);
Status sygvd(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a,
             i64 lda, Out b, i64 ldb, Out w, Out, i64, Out info);
Status sygvdx_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t, i64 n,
                   In, i64 lda, In, i64 ldb, double, double, i64, i64, int*, In, int* size);
Status sygvdx(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cusolverEigRange_t range,
              cublasFillMode_t fill, i64 n, Out a, i64 lda, Out b, i64 ldb, double vl, double vu, i64 il, i64 iu,
              int* found, Out w, Out, i64, Out info);
Status syevj_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size,
                  syevjInfo_t info);
Status syevj(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out, i64,
             Out info, syevjInfo_t jacobi);
Status sygvj_size(const Call& call, cusolverEigType_t, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In,
                  i64 ldb, In, int* size, syevjInfo_t info);
Status sygvj(const Call& call, cusolverEigType_t kind, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a,
             i64 lda, Out b, i64 ldb, Out w, Out, i64, Out info, syevjInfo_t jacobi);
Status syevj_batched_size(const Call& call, cusolverEigMode_t, cublasFillMode_t, i64 n, In, i64 lda, In, int* size,
                          syevjInfo_t info, i64 batch);
Status syevj_batched(const Call& call, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Out a, i64 lda, Out w, Out,
                     i64, Out info, syevjInfo_t jacobi, i64 batch);

Status gesvd_size(const Call& call, i64 m, i64 n, int* size);
Status gesvd(const Call& call, signed char jobu, signed char jobvt, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
             Out vt, i64 ldvt, Out, i64, Out, Out info);
Status gesvdj_size(const Call& call, cusolverEigMode_t, int, i64 m, i64 n, In, i64 lda, In, In, i64, In, i64, int* size,
                   gesvdjInfo_t info);
Status gesvdj(const Call& call, cusolverEigMode_t mode, int econ, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
              Out v, i64 ldv, Out, i64, Out info, gesvdjInfo_t jacobi);
Status gesvdj_batched_size(const Call& call, cusolverEigMode_t, i64 m, i64 n, In, i64 lda, In, In, i64, In, i64,
                           int* size, gesvdjInfo_t info, i64 batch);
Status gesvdj_batched(const Call& call, cusolverEigMode_t mode, i64 m, i64 n, Out a, i64 lda, Out s, Out u, i64 ldu,
                      Out v, i64 ldv, Out, i64, Out info, gesvdjInfo_t jacobi, i64 batch);
Status gesvda_size(const Call& call, cusolverEigMode_t, i64 rank, i64 m, i64 n, In, i64 lda, i64, In, i64, In, i64, i64,
                   In, i64, i64, int* size, i64 batch);
Status gesvda(const Call& call, cusolverEigMode_t mode, i64 rank, i64 m, i64 n, In a, i64 lda, i64 stride_a, Out s,
              i64 stride_s, Out u, i64 ldu, i64 stride_u, Out v, i64 ldv, i64 stride_v, Out, i64, Out info,
              double* residuals, i64 batch);

Status xpotrf_size(const Call& call, cusolverDnParams_t, cublasFillMode_t fill, i64 n, Type type, In, i64 lda, Type,
                   std::size_t* device, std::size_t* host);
Status xpotrf(const Call& call, cusolverDnParams_t, cublasFillMode_t fill, i64 n, Type type, Out a, i64 lda,
              Type compute, Out, std::size_t, Out, std::size_t, Out info);
Status xpotrs(const Call& call, cusolverDnParams_t, cublasFillMode_t fill, i64 n, i64 nrhs, Type type, In a, i64 lda,
              Type other, Out b, i64 ldb, Out info);
Status xgetrf_size(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, In, i64 lda, Type,
                   std::size_t* device, std::size_t* host);
Status xgetrf(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, Out a, i64 lda, Out pivots, Type compute,
              Out, std::size_t, Out, std::size_t, Out info);
Status xgetrs(const Call& call, cusolverDnParams_t, cublasOperation_t op, i64 n, i64 nrhs, Type type, In a, i64 lda,
              In pivots, Type other, Out b, i64 ldb, Out info);
Status xgeqrf_size(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, In, i64 lda, Type, In, Type,
                   std::size_t* device, std::size_t* host);
Status xgeqrf(const Call& call, cusolverDnParams_t, i64 m, i64 n, Type type, Out a, i64 lda, Type of_tau, Out tau,
              Type compute, Out, std::size_t, Out, std::size_t, Out info);
Status xsyevd_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t fill, i64 n, Type type, In,
                   i64 lda, Type, In, Type, std::size_t* device, std::size_t* host);
Status xsyevd(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n, Type type,
              Out a, i64 lda, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t, Out info);
Status xsyev_batched_size(const Call& call, cusolverDnParams_t params, cusolverEigMode_t mode, cublasFillMode_t fill,
                          i64 n, Type type, In a, i64 lda, Type of_w, In w, Type compute, std::size_t* device,
                          std::size_t* host, i64 batch);
Status xsyev_batched(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t fill, i64 n,
                     Type type, Out a, i64 lda, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t,
                     Out info, i64 batch);
Status xsyevdx_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, cusolverEigRange_t, cublasFillMode_t fill,
                    i64 n, Type type, In, i64 lda, In, In, i64, i64, std::int64_t* found, Type, In, Type,
                    std::size_t* device, std::size_t* host);
Status xsyevdx(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, cusolverEigRange_t range,
               cublasFillMode_t fill, i64 n, Type type, Out a, i64 lda, In vl, In vu, i64 il, i64 iu,
               std::int64_t* found, Type of_w, Out w, Type compute, Out, std::size_t, Out, std::size_t, Out info);
Status xgesvd_size(const Call& call, cusolverDnParams_t, signed char, signed char, i64 m, i64 n, Type type, In, i64 lda,
                   Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host);
Status xgesvd(const Call& call, cusolverDnParams_t, signed char jobu, signed char jobvt, i64 m, i64 n, Type type, Out a,
              i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out vt, i64 ldvt, Type compute, Out, std::size_t,
              Out, std::size_t, Out info);
Status xgesvdp_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, int, i64 m, i64 n, Type type, In, i64 lda,
                    Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host);
Status xgesvdp(const Call& call, cusolverDnParams_t, cusolverEigMode_t mode, int econ, i64 m, i64 n, Type type, Out a,
               i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out v, i64 ldv, Type compute, Out, std::size_t,
               Out, std::size_t, Out info, double* disturbed);
Status xgesvdr_size(const Call& call, cusolverDnParams_t, signed char, signed char, i64 m, i64 n, i64 rank, i64, i64,
                    Type type, In, i64 lda, Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device,
                    std::size_t* host);
Status xgesvdr(const Call& call, cusolverDnParams_t, signed char jobu, signed char jobv, i64 m, i64 n, i64 rank,
               i64 more, i64, Type type, Out a, i64 lda, Type of_s, Out s, Type, Out u, i64 ldu, Type, Out v, i64 ldv,
               Type compute, Out, std::size_t, Out, std::size_t, Out info);
Status xtrtri_size(const Call& call, cublasFillMode_t fill, cublasDiagType_t, i64 n, Type type, In, i64 lda,
                   std::size_t* device, std::size_t* host);
Status xtrtri(const Call& call, cublasFillMode_t fill, cublasDiagType_t diag, i64 n, Type type, Out a, i64 lda, Out,
              std::size_t, Out, std::size_t, Out info);
Status xgeev_size(const Call& call, cusolverDnParams_t, cusolverEigMode_t, cusolverEigMode_t, i64 n, Type type, In,
                  i64 lda, Type, In, Type, In, i64, Type, In, i64, Type, std::size_t* device, std::size_t* host);
Status xgeev(const Call& call, cusolverDnParams_t, cusolverEigMode_t left, cusolverEigMode_t right, i64 n, Type type,
             Out a, i64 lda, Type of_w, Out w, Type, Out, i64, Type of_vr, Out vr, i64 ldvr, Type compute, Out,
             std::size_t, Out, std::size_t, Out info);

Status gesv_size(const Call& call, i64 n, i64 nrhs, In, i64 lda, In, In, i64 ldb, In, i64 ldx, In, std::size_t* bytes);
Status gesv(const Call& call, i64 n, i64 nrhs, In a, i64 lda, Out pivots, In b, i64 ldb, Out x, i64 ldx, In,
            std::size_t, int* steps, Out info);
Status gels_size(const Call& call, i64 m, i64 n, i64 nrhs, In, i64 lda, In, i64 ldb, In, i64 ldx, In,
                 std::size_t* bytes);
Status gels(const Call& call, i64 m, i64 n, i64 nrhs, In a, i64 lda, In b, i64 ldb, Out x, i64 ldx, In, std::size_t,
            int* steps, Out info);
Status irs_gesv_size(const Call& call, cusolverDnIRSParams_t params, i64 n, i64 nrhs, std::size_t* bytes);
Status irs_gesv(const Call& call, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos, i64 n, i64 nrhs, In a,
                i64 lda, In b, i64 ldb, Out x, i64 ldx, In work, std::size_t bytes, int* steps, Out info);
Status irs_gels_size(const Call& call, cusolverDnIRSParams_t params, i64 m, i64 n, i64 nrhs, std::size_t* bytes);
Status irs_gels(const Call& call, cusolverDnIRSParams_t params, cusolverDnIRSInfos_t infos, i64 m, i64 n, i64 nrhs,
                In a, i64 lda, In b, i64 ldb, Out x, i64 ldx, In work, std::size_t bytes, int* steps, Out info);

Status lsvlu_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                  In indices, In b, double tolerance, int reorder, Out x, int* singular);
Status lsvqr_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                  In indices, In b, double tolerance, int reorder, Out x, int* singular);
Status lsvchol_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts,
                    In indices, In b, double tolerance, int reorder, Out x, int* singular);
Status lsvqr(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts, In indices,
             In b, double tolerance, int reorder, Out x, int* singular);
Status lsvchol(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In values, In starts, In indices,
               In b, double tolerance, int reorder, Out x, int* singular);
Status symrcm(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices, int* order);
Status symamd(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices, int* order);
Status metisnd(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
               const std::int64_t*, int* order);
Status is_symmetric(const Call& call, i64 m, i64 elements, cusparseMatDescr_t description, const int* starts,
                    const int* ends, const int* indices, int* symmetric);
Status perm_size(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t, In, In, In, In, std::size_t* bytes);
Status perm(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, int* starts, int* indices,
            const int* p, const int* q, int* map, In);

#if __has_include(<cusolverSp_LOWLEVEL_PREVIEW.h>)
Status lu_analysis(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                   csrluInfoHost_t info);
Status lu_sizes(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrluInfoHost_t info, std::size_t* inner,
                std::size_t* work);
Status lu_factor(const Call& call, i64, i64, cusparseMatDescr_t, In values, In, In, csrluInfoHost_t info,
                 double threshold, Out);
Status lu_pivot(const Call& call, csrluInfoHost_t info, double tolerance, int* position);
Status lu_solve(const Call& call, i64, In b, Out x, csrluInfoHost_t info, Out);
Status lu_elements(const Call& call, int* of_l, int* of_u, csrluInfoHost_t info);
Status lu_extract(const Call& call, int* p, int* q, cusparseMatDescr_t of_l, Out l, int* l_starts, int* l_indices,
                  cusparseMatDescr_t of_u, Out u, int* u_starts, int* u_indices, csrluInfoHost_t info, Out);
Status chol_analysis_host(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                          csrcholInfoHost_t info);
Status chol_sizes_host(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrcholInfoHost_t info,
                       std::size_t* inner, std::size_t* work);
Status chol_factor_host(const Call& call, i64, i64, cusparseMatDescr_t, In values, In, In, csrcholInfoHost_t info, Out);
Status chol_pivot_host(const Call& call, csrcholInfoHost_t info, double tolerance, int* position);
Status chol_solve_host(const Call& call, i64, In b, Out x, csrcholInfoHost_t info, Out);
Status chol_analysis(const Call& call, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                     csrcholInfo_t info);
Status chol_sizes(const Call& call, i64, i64, cusparseMatDescr_t, In, In, In, csrcholInfo_t info, std::size_t* inner,
                  std::size_t* work);
Status chol_factor(const Call& call, i64 n, i64 elements, cusparseMatDescr_t, In values, In, In, csrcholInfo_t info,
                   Out);
Status chol_pivot(const Call& call, csrcholInfo_t info, double tolerance, int* position);
Status chol_solve(const Call& call, i64 n, In b, Out x, csrcholInfo_t info, Out);
Status chol_diagonal(const Call& call, csrcholInfo_t info, Out diagonal);
Status qr_analysis_host(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, In starts,
                        In indices, csrqrInfoHost_t info);
Status qr_sizes_host(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, csrqrInfoHost_t info,
                     std::size_t* inner, std::size_t* work);
Status qr_factor_host(const Call& call, i64, i64, i64, In b, Out x, csrqrInfoHost_t info, Out);
Status qr_pivot_host(const Call& call, csrqrInfoHost_t info, double tolerance, int* position);
Status qr_solve_host(const Call& call, i64, i64, In b, Out x, csrqrInfoHost_t info, Out);
Status qr_analysis(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t description, In starts, In indices,
                   csrqrInfo_t info);
Status qr_sizes(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, csrqrInfo_t info, std::size_t* inner,
                std::size_t* work);
Status qr_batched_sizes(const Call& call, i64, i64, i64, cusparseMatDescr_t, In, In, In, i64 batch, csrqrInfo_t info,
                        std::size_t* inner, std::size_t* work);
Status qr_factor(const Call& call, i64 m, i64 n, i64 elements, In b, Out x, csrqrInfo_t info, Out);
Status qr_pivot(const Call& call, csrqrInfo_t info, double tolerance, int* position);
Status qr_solve(const Call& call, i64 m, i64, In b, Out x, csrqrInfo_t info, Out);
Status qr_batched(const Call& call, i64 m, i64 n, i64 elements, cusparseMatDescr_t, In values, In, In, In b, Out x,
                  i64 batch, csrqrInfo_t info, Out);
#endif

}  // namespace gpulab::cusolver
