#pragma once
// cuBLAS, the yardstick of labs that move or multiply matrices: loaded at run time, so that the binary builds and
// starts without it. GPU only. Matrices are row-major here, as in the labs.

#include <cstdint>
#include <string>

#include "common/scalar.h"

namespace gpulab::cublas {

/// "cuBLAS cannot be loaded: libcublas.so.13: cannot open …", or nothing. For Vendor::lack.
[[nodiscard]] std::string lack();

/// Creates the library's handle, which takes milliseconds and memory: before anything is timed.
void prepare();

/// out[c][r] = in[r][c]; f32 and f64.
void transpose(Scalar type, const void* in, void* out, std::int32_t rows, std::int32_t cols);

/// y = a x + y, for n elements; f32 (a is rounded to it) and f64.
void axpy(Scalar type, std::int32_t n, double a, const void* x, void* y);

/// c = a b for a of m x k and b of k x n; f16 and bf16 (sums in f32), f32 (no TF32: the sums of an FP32 unit) and f64.
void multiply(Scalar type, const void* a, const void* b, void* c, std::int32_t m, std::int32_t n, std::int32_t k);

/// The same for floats of which the first 19 bits count (TF32), on tensor cores.
void multiply_tf32(const void* a, const void* b, void* c, std::int32_t m, std::int32_t n, std::int32_t k);

}  // namespace gpulab::cublas
