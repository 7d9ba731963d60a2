// Systems of three or five diagonals: one matrix with several right sides, many at a stride, or many interleaved.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cusparse/descriptors.h"
#include "common/cuda_api/libraries/sparse/lu.h"

namespace gpulab::cusparse {
namespace {

struct Bands {
  std::vector<const void*> diagonals;  ///< from the lowest to the highest
  void* x;
  i64 m, count;
  i64 step, stride;      ///< of the diagonals' elements: from row to row, from system to system
  i64 x_step, x_stride;  ///< of the right sides', which become the solutions
  bool changes = false;  ///< the diagonals, too, where the real one overwrites them
  [[nodiscard]] i64 elements(i64 by, i64 far) const { return (m - 1) * by + (count - 1) * far + 1; }
};

cusparseStatus_t solve(const Call& call, const Bands& bands, Type type) {
  if (call.handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const i64 m = bands.m, count = bands.count;
  if (m < 0 || count < 0 || bands.stride < 0 || bands.x_stride < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (m == 0 || count == 0) return CUSPARSE_STATUS_SUCCESS;
  constexpr const char* names[] = {"ds", "dl", "d", "du", "dw"};
  const i64 beside = static_cast<i64>(bands.diagonals.size()) / 2;
  std::vector<Operand> all;
  std::vector<LibraryBuffer> buffers;
  for (std::size_t i = 0; i < bands.diagonals.size(); ++i) {
    all.push_back(vector(names[i + static_cast<std::size_t>(2 - beside)], bands.diagonals[i], type,
                         bands.elements(bands.step, bands.stride), 1));
    buffers.push_back((bands.changes ? all.back().changed() : all.back()).buffer());
  }
  const Operand to = vector("x", bands.x, type, bands.elements(bands.x_step, bands.x_stride), 1).changed();
  buffers.push_back(to.buffer());
  return call.queue(
      fmt::format("{} rows, {} times", m, count), 20.0 * static_cast<double>(m) * static_cast<double>(count), type,
      buffers, [=](LibraryAccess& memory) {
        for_type(memory, type, [&](auto kind) {
          using W = decltype(kind);
          std::vector<Values<W>> diagonals;
          for (const auto& one : all) diagonals.push_back(load<W>(memory, one));
          auto x = load<W>(memory, to);
          std::vector<i64> order(static_cast<std::size_t>(m));
          for (i64 i = 0; i < m; ++i) order[static_cast<std::size_t>(i)] = i;
          for (i64 system = 0; system < count; ++system) {
            Pattern pattern{m, m, {0}, {}};
            std::vector<W> values, side(static_cast<std::size_t>(m));
            for (i64 i = 0; i < m; ++i) {
              for (i64 k = -beside; k <= beside; ++k) {
                if (i + k < 0 || i + k >= m) continue;
                pattern.indices.push_back(i + k);
                values.push_back(
                    diagonals[static_cast<std::size_t>(k + beside)][i * bands.step + system * bands.stride]);
              }
              pattern.starts.push_back(static_cast<i64>(pattern.indices.size()));
              side[static_cast<std::size_t>(i)] = x[i * bands.x_step + system * bands.x_stride];
            }
            factorise_sparse(pattern, values, order, 1).solve(side);
            for (i64 i = 0; i < m; ++i)
              x[i * bands.x_step + system * bands.x_stride] = side[static_cast<std::size_t>(i)];
          }
          store(memory, x);
        });
      });
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

#define GPULAB_BANDS(L, T, type)                                                                                       \
  cusparseStatus_t cusparse##L##gpsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int, int, const T*,        \
                                                                   const T*, const T*, const T*, const T*, const T*,   \
                                                                   int, size_t* bytes) {                               \
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                     \
    *bytes = 8;                                                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##L##gpsvInterleavedBatch(cusparseHandle_t handle, int algorithm, int m, T* ds, T* dl,      \
                                                     T* d, T* du, T* dw, T* x, int count, void*) {                     \
    if (algorithm != 0) return CUSPARSE_STATUS_INVALID_VALUE; /* an H100 says success, and leaves x as it was */       \
    if (m > 0 && count == 0) return CUSPARSE_STATUS_EXECUTION_FAILED;                                                  \
    return solve({handle, "cusparse" #L "gpsvInterleavedBatch", __builtin_return_address(0)},                          \
                 {{ds, dl, d, du, dw}, x, m, count, count, 1, count, 1, true}, type);                                  \
  }                                                                                                                    \
  cusparseStatus_t cusparse##L##gtsvInterleavedBatch_bufferSizeExt(cusparseHandle_t handle, int, int, const T*,        \
                                                                   const T*, const T*, const T*, int, size_t* bytes) { \
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                     \
    *bytes = 8;                                                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##L##gtsvInterleavedBatch(cusparseHandle_t handle, int algorithm, int m, T* dl, T* d,       \
                                                     T* du, T* x, int count, void*) {                                  \
    if (algorithm < 0 || algorithm > 2) return CUSPARSE_STATUS_INVALID_VALUE;                                          \
    return solve({handle, "cusparse" #L "gtsvInterleavedBatch", __builtin_return_address(0)},                          \
                 {{dl, d, du}, x, m, count, count, 1, count, 1, true}, type);                                          \
  }
#define GPULAB_TRIDIAGONAL(L, T, type, Name)                                                                          \
  cusparseStatus_t cusparse##L##Name##_bufferSizeExt(cusparseHandle_t handle, int, int, const T*, const T*, const T*, \
                                                     const T*, int, size_t* bytes) {                                  \
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                    \
    *bytes = 8;                                                                                                       \
    return CUSPARSE_STATUS_SUCCESS;                                                                                   \
  }                                                                                                                   \
  cusparseStatus_t cusparse##L##Name(cusparseHandle_t handle, int m, int n, const T* dl, const T* d, const T* du,     \
                                     T* b, int ldb, void*) {                                                          \
    if (handle != nullptr && m >= 0 && n == 0) return CUSPARSE_STATUS_SUCCESS;                                        \
    if (m < 3 || ldb < m) return CUSPARSE_STATUS_INVALID_VALUE;                                                       \
    return solve({handle, "cusparse" #L#Name, __builtin_return_address(0)}, {{dl, d, du}, b, m, n, 1, 0, 1, ldb},     \
                 type);                                                                                               \
  }
#define GPULAB_STRIDED(L, T, type)                                                                                \
  cusparseStatus_t cusparse##L##gtsv2StridedBatch_bufferSizeExt(cusparseHandle_t handle, int, const T*, const T*, \
                                                                const T*, const T*, int, int, size_t* bytes) {    \
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;                                                \
    *bytes = 8;                                                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                                               \
  }                                                                                                               \
  cusparseStatus_t cusparse##L##gtsv2StridedBatch(cusparseHandle_t handle, int m, const T* dl, const T* d,        \
                                                  const T* du, T* x, int count, int stride, void*) {              \
    if (m < 3 || stride < m || count < 1) return CUSPARSE_STATUS_INVALID_VALUE;                                   \
    return solve({handle, "cusparse" #L "gtsv2StridedBatch", __builtin_return_address(0)},                        \
                 {{dl, d, du}, x, m, count, 1, stride, 1, stride}, type);                                         \
  }
#define GPULAB_ALL(L, T, type)                  \
  GPULAB_BANDS(L, T, type)                      \
  GPULAB_TRIDIAGONAL(L, T, type, gtsv2)         \
  GPULAB_TRIDIAGONAL(L, T, type, gtsv2_nopivot) \
  GPULAB_STRIDED(L, T, type)
GPULAB_ALL(S, float, CUDA_R_32F)
GPULAB_ALL(D, double, CUDA_R_64F)
GPULAB_ALL(C, cuComplex, CUDA_C_32F)
GPULAB_ALL(Z, cuDoubleComplex, CUDA_C_64F)
#undef GPULAB_ALL
#undef GPULAB_BANDS
#undef GPULAB_TRIDIAGONAL
#undef GPULAB_STRIDED

}  // extern "C"
