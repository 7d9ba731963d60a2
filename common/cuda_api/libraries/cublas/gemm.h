#pragma once
// A product of matrices as its caller asked for it, in any form.

#include "common/cuda_api/libraries/cublas/pointer_arrays.h"
#include "common/cuda_api/libraries/cublas/products.h"

namespace gpulab::cublas {

struct Gemm {
  Op opa, opb;
  i64 m, n, k;
  In a, b;  ///< or arrays of pointers
  Out c;
  i64 lda, ldb, ldc;
  Type at, bt, ct;
  i64 batch = 1, sa = 0, sb = 0, sc = 0;
};

/// Where parameters stand, for the message about a wrong one. `first_type` not 0: of a form with types.
struct GemmNumbers {
  int lda, ldb, ldc, batch = 0, first_type = 0;
};
[[nodiscard]] Status check(const Call& call, const Gemm& g, const GemmNumbers& numbers);
/// The table of cublasGemmEx.
[[nodiscard]] bool is_supported(const Gemm& g, cublasComputeType_t compute);
/// Of alpha and beta.
[[nodiscard]] Type scalar_type_of(cublasComputeType_t compute, Type c);
[[nodiscard]] inline LibraryUnit unit_for(const Call& call, cublasComputeType_t compute, Type a) {
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32 && real_of(a) == CUDA_R_32F) return LibraryUnit::tf32_tensor;
  if (compute == CUBLAS_COMPUTE_32F_FAST_16F || compute == CUBLAS_COMPUTE_32F_FAST_16BF)
    return LibraryUnit::half_tensor;
  return unit_of(call, a);
}
/// After check().
[[nodiscard]] Status queue(const Call& call, const Gemm& g, In alpha, In beta, Type scalars_type, LibraryUnit unit);
/// The same where A, B and C are arrays of pointers in the device's memory.
[[nodiscard]] Status queue_pointers(const Call& call, const Gemm& g, In alpha, In beta, Type scalars_type,
                                    LibraryUnit unit);

}  // namespace gpulab::cublas
