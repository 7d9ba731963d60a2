#pragma once
// cuBLAS's first interface (cublas.h): one handle for the process, letters for enumerations, and a status that is kept
// until it is asked for.

#include "common/cuda_api/libraries/cublas/call.h"

namespace gpulab::cublas::legacy {

/// Null before cublasInit.
[[nodiscard]] cublasHandle_t handle();
/// The last that is not success.
void keep(Status status);

/// 'N', 'T', 'C'; 'U', 'L'; 'L', 'R'; 'U', 'N', small ones, too. Others are no value of it.
template <typename Enum>
[[nodiscard]] Enum letter(char c);
template <>
cublasOperation_t letter(char c);
template <>
cublasFillMode_t letter(char c);
template <>
cublasSideMode_t letter(char c);
template <>
cublasDiagType_t letter(char c);

}  // namespace gpulab::cublas::legacy
