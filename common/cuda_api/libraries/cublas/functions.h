#pragma once
// What serves cuBLAS's names (functions.txt): one function for all types, with 64-bit sizes. Parameters are in NVIDIA's
// order.

#include "common/cuda_api/libraries/cublas/call.h"
#include "common/cuda_api/libraries/cublas/legacy.h"

namespace gpulab::cublas {

using Op = cublasOperation_t;
using Fill = cublasFillMode_t;
using Side = cublasSideMode_t;
using Diag = cublasDiagType_t;
using In = const void*;
using Out = void*;

// level1.cpp, rotations.cpp
Status nrm2(const Call& call, i64 n, In x, i64 incx, Out result);
Status nrm2_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result, Type rt, Type et);
Status asum(const Call& call, i64 n, In x, i64 incx, Out result);
Status asum_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result, Type rt, Type et);
Status amax(const Call& call, i64 n, In x, i64 incx, Out result);
Status amin(const Call& call, i64 n, In x, i64 incx, Out result);
Status amax_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result);
Status amin_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out result);
Status axpy(const Call& call, i64 n, In alpha, In x, i64 incx, Out y, i64 incy);
Status axpy_ex(const Call& call, i64 n, In alpha, Type at, In x, Type xt, i64 incx, Out y, Type yt, i64 incy, Type et);
Status copy(const Call& call, i64 n, In x, i64 incx, Out y, i64 incy);
Status copy_ex(const Call& call, i64 n, In x, Type xt, i64 incx, Out y, Type yt, i64 incy);
Status swap(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy);
Status swap_ex(const Call& call, i64 n, Out x, Type xt, i64 incx, Out y, Type yt, i64 incy);
Status scal(const Call& call, i64 n, In alpha, Out x, i64 incx);
Status scal_ex(const Call& call, i64 n, In alpha, Type at, Out x, Type xt, i64 incx, Type et);
Status dot(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result);
Status dotu(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result);
Status dotc(const Call& call, i64 n, In x, i64 incx, In y, i64 incy, Out result);
Status dot_ex(const Call& call, i64 n, In x, Type xt, i64 incx, In y, Type yt, i64 incy, Out result, Type rt, Type et);
Status dotc_ex(const Call& call, i64 n, In x, Type xt, i64 incx, In y, Type yt, i64 incy, Out result, Type rt, Type et);
Status rot(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy, In c, In s);
Status rot_ex(const Call& call, i64 n, Out x, Type xt, i64 incx, Out y, Type yt, i64 incy, In c, In s, Type cst,
              Type et);
Status rotg(const Call& call, Out a, Out b, Out c, Out s);
Status rotm(const Call& call, i64 n, Out x, i64 incx, Out y, i64 incy, In param);
Status rotmg(const Call& call, Out d1, Out d2, Out x1, In y1, Out param);

// level2.cpp: products and solves; level2_updates.cpp
Status gemv(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy);
Status gbmv(const Call& call, Op op, i64 m, i64 n, i64 kl, i64 ku, In alpha, In a, i64 lda, In x, i64 incx, In beta,
            Out y, i64 incy);
Status symv(const Call& call, Fill fill, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy);
Status hemv(const Call& call, Fill fill, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y, i64 incy);
Status sbmv(const Call& call, Fill fill, i64 n, i64 k, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y,
            i64 incy);
Status hbmv(const Call& call, Fill fill, i64 n, i64 k, In alpha, In a, i64 lda, In x, i64 incx, In beta, Out y,
            i64 incy);
Status spmv(const Call& call, Fill fill, i64 n, In alpha, In ap, In x, i64 incx, In beta, Out y, i64 incy);
Status hpmv(const Call& call, Fill fill, i64 n, In alpha, In ap, In x, i64 incx, In beta, Out y, i64 incy);
Status trmv(const Call& call, Fill fill, Op op, Diag diag, i64 n, In a, i64 lda, Out x, i64 incx);
Status tbmv(const Call& call, Fill fill, Op op, Diag diag, i64 n, i64 k, In a, i64 lda, Out x, i64 incx);
Status tpmv(const Call& call, Fill fill, Op op, Diag diag, i64 n, In ap, Out x, i64 incx);
Status trsv(const Call& call, Fill fill, Op op, Diag diag, i64 n, In a, i64 lda, Out x, i64 incx);
Status tbsv(const Call& call, Fill fill, Op op, Diag diag, i64 n, i64 k, In a, i64 lda, Out x, i64 incx);
Status tpsv(const Call& call, Fill fill, Op op, Diag diag, i64 n, In ap, Out x, i64 incx);
Status ger(const Call& call, i64 m, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda);
Status gerc(const Call& call, i64 m, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda);
Status syr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out a, i64 lda);
Status her(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out a, i64 lda);
Status spr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out ap);
Status hpr(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, Out ap);
Status syr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda);
Status her2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out a, i64 lda);
Status spr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out ap);
Status hpr2(const Call& call, Fill fill, i64 n, In alpha, In x, i64 incx, In y, i64 incy, Out ap);

// level3.cpp, level3_triangles.cpp, extensions.cpp
Status symm(const Call& call, Side side, Fill fill, i64 m, i64 n, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc);
Status hemm(const Call& call, Side side, Fill fill, i64 m, i64 n, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc);
Status syrk(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In beta, Out c, i64 ldc);
Status syrk_ex(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, Type of_a, i64 lda, In beta, Out c,
               Type of_c, i64 ldc);
Status herk_ex(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, Type of_a, i64 lda, In beta, Out c,
               Type of_c, i64 ldc);
Status herk(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In beta, Out c, i64 ldc);
Status syr2k(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc);
Status her2k(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc);
Status syrkx(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc);
Status herkx(const Call& call, Fill fill, Op op, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta, Out c,
             i64 ldc);
Status trmm(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda, In b,
            i64 ldb, Out c, i64 ldc);
Status trsm(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda, Out b,
            i64 ldb);
Status geam(const Call& call, Op opa, Op opb, i64 m, i64 n, In alpha, In a, i64 lda, In beta, In b, i64 ldb, Out c,
            i64 ldc);
Status dgmm(const Call& call, Side side, i64 m, i64 n, In a, i64 lda, In x, i64 incx, Out c, i64 ldc);
Status tpttr(const Call& call, Fill fill, i64 n, In ap, Out a, i64 lda);
Status trttp(const Call& call, Fill fill, i64 n, In a, i64 lda, Out ap);

// gemm.cpp
Status gemm(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb, In beta,
            Out c, i64 ldc);
Status gemm_types(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b,
                  Type bt, i64 ldb, In beta, Out c, Type ct, i64 ldc);
Status gemm_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b, Type bt,
               i64 ldb, In beta, Out c, Type ct, i64 ldc, cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
Status gemm_strided(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, i64 sa, In b,
                    i64 ldb, i64 sb, In beta, Out c, i64 ldc, i64 sc, i64 batch);
Status gemm_strided_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, i64 sa,
                       In b, Type bt, i64 ldb, i64 sb, In beta, Out c, Type ct, i64 ldc, i64 sc, i64 batch,
                       cublasComputeType_t compute, cublasGemmAlgo_t algorithm);
Status gemm_batched(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, i64 lda, In b, i64 ldb,
                    In beta, In c, i64 ldc, i64 batch);
Status gemm_batched_ex(const Call& call, Op opa, Op opb, i64 m, i64 n, i64 k, In alpha, In a, Type at, i64 lda, In b,
                       Type bt, i64 ldb, In beta, In c, Type ct, i64 ldc, i64 batch, cublasComputeType_t compute,
                       cublasGemmAlgo_t algorithm);

// batched.cpp, factorisations.cpp
Status gemm_grouped(const Call& call, const Op* opa, const Op* opb, In m, In n, In k, In alpha, In a, In lda, In b,
                    In ldb, In beta, In c, In ldc, i64 groups, In sizes);
Status gemm_grouped_ex(const Call& call, const Op* opa, const Op* opb, In m, In n, In k, In alpha, In a, Type at,
                       In lda, In b, Type bt, In ldb, In beta, In c, Type ct, In ldc, i64 groups, In sizes,
                       cublasComputeType_t compute);
Status gemv_batched(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, In x, i64 incx, In beta, In y,
                    i64 incy, i64 batch);
Status gemv_strided(const Call& call, Op op, i64 m, i64 n, In alpha, In a, i64 lda, i64 sa, In x, i64 incx, i64 sx,
                    In beta, Out y, i64 incy, i64 sy, i64 batch);
Status trsm_batched(const Call& call, Side side, Fill fill, Op op, Diag diag, i64 m, i64 n, In alpha, In a, i64 lda,
                    In b, i64 ldb, i64 batch);
Status getrf_batched(const Call& call, i64 n, In a, i64 lda, Out pivots, Out info, i64 batch);
Status getri_batched(const Call& call, i64 n, In a, i64 lda, In pivots, In c, i64 ldc, Out info, i64 batch);
Status getrs_batched(const Call& call, Op op, i64 n, i64 nrhs, In a, i64 lda, In pivots, In b, i64 ldb, Out info,
                     i64 batch);
Status matinv_batched(const Call& call, i64 n, In a, i64 lda, In inverse, i64 ld_inverse, Out info, i64 batch);
Status geqrf_batched(const Call& call, i64 m, i64 n, In a, i64 lda, In tau, Out info, i64 batch);
Status gels_batched(const Call& call, Op op, i64 m, i64 n, i64 nrhs, In a, i64 lda, In c, i64 ldc, Out info,
                    Out dev_info, i64 batch);

}  // namespace gpulab::cublas
