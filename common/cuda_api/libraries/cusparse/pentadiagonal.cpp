// Many systems of five diagonals (or three), interleaved: element i of system j lies at i * count + j.

#include <fmt/format.h>

#include "common/cuda_api/libraries/cusparse/descriptors.h"
#include "common/cuda_api/libraries/sparse/lu.h"

namespace gpulab::cusparse {
namespace {

struct Bands {
  std::vector<const void*> diagonals;  ///< from the lowest to the highest
  void* x;
  i64 m, count;
};

cusparseStatus_t solve(const Call& call, const Bands& bands, Type type) {
  if (call.handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const i64 m = bands.m, count = bands.count;
  if (m < 0 || count < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (m == 0 || count == 0) return CUSPARSE_STATUS_SUCCESS;
  constexpr const char* names[] = {"ds", "dl", "d", "du", "dw"};
  const i64 beside = static_cast<i64>(bands.diagonals.size()) / 2;
  std::vector<Operand> all;
  std::vector<LibraryBuffer> buffers;
  for (std::size_t i = 0; i < bands.diagonals.size(); ++i) {
    all.push_back(vector(names[i + static_cast<std::size_t>(2 - beside)], bands.diagonals[i], type, m * count, 1));
    buffers.push_back(all.back().changed().buffer());  // the real one overwrites them
  }
  const Operand to = vector("x", bands.x, type, m * count, 1).changed();
  buffers.push_back(to.buffer());
  return call.queue(fmt::format("{} rows, {} times", m, count),
                    20.0 * static_cast<double>(m) * static_cast<double>(count), type, buffers,
                    [=](LibraryAccess& memory) {
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
                              values.push_back(diagonals[static_cast<std::size_t>(k + beside)][i * count + system]);
                            }
                            pattern.starts.push_back(static_cast<i64>(pattern.indices.size()));
                            side[static_cast<std::size_t>(i)] = x[i * count + system];
                          }
                          factorise_sparse(pattern, values, order, 1).solve(side);
                          for (i64 i = 0; i < m; ++i) x[i * count + system] = side[static_cast<std::size_t>(i)];
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
    if (algorithm != 0) return CUSPARSE_STATUS_INVALID_VALUE;                                                          \
    return solve({handle, "cusparse" #L "gpsvInterleavedBatch", __builtin_return_address(0)},                          \
                 {{ds, dl, d, du, dw}, x, m, count}, type);                                                            \
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
                 {{dl, d, du}, x, m, count}, type);                                                                    \
  }
GPULAB_BANDS(S, float, CUDA_R_32F)
GPULAB_BANDS(D, double, CUDA_R_64F)
GPULAB_BANDS(C, cuComplex, CUDA_C_32F)
GPULAB_BANDS(Z, cuDoubleComplex, CUDA_C_64F)
#undef GPULAB_BANDS

}  // extern "C"
