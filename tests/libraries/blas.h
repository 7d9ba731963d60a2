#pragma once
// Names of cuBLAS's by a program's type.

#include "cases.h"

inline cublasHandle_t handle;

/// The function of T among those of float, double, complex and double complex.
#define OF(s, d, c, z, ...)                                                \
  [&] {                                                                    \
    if constexpr (std::is_same_v<T, float>) return int(s(handle, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, double>) return int(d(handle, __VA_ARGS__)); \
    else if constexpr (std::is_same_v<T, C>) return int(c(handle, __VA_ARGS__)); \
    else return int(z(handle, __VA_ARGS__));                               \
  }()
#define BLAS(name, ...) OF(cublasS##name, cublasD##name, cublasC##name, cublasZ##name, __VA_ARGS__)

constexpr cublasOperation_t kOps[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
constexpr cublasFillMode_t kFills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
constexpr cublasDiagType_t kDiags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
constexpr cublasSideMode_t kSides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

/// 0, 1 or another number.
template <typename T> T scalar(int which) { return which == 2 ? random_of<T>() : T(Real<T>(which)); }
/// Pairs of such for alpha and beta.
constexpr int kScalars[][2] = {{2, 2}, {2, 0}, {1, 1}, {0, 2}, {0, 0}, {0, 1}, {1, 0}};
