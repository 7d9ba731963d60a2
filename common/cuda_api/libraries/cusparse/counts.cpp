// How many elements of a dense matrix are not 0: of each row or column, and of all.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

struct Counted {
  cusparseDirection_t direction;
  int m, n;
  const void* a;
  int lda;
  int *of_lines, *of_all;
};

cusparseStatus_t count(const Call& call, cusparseMatDescr_t description, const Counted& c, Type type) {
  if (call.handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const bool by_rows = c.direction == CUSPARSE_DIRECTION_ROW;
  if (c.m < 0 || c.n < 0 || c.lda < std::max(1, c.m) || description == nullptr || c.of_all == nullptr ||
      (!by_rows && c.direction != CUSPARSE_DIRECTION_COLUMN))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (c.m == 0 || c.n == 0) return CUSPARSE_STATUS_SUCCESS;  // and no count is written, as on an H100
  const bool on_device = call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  const Operand from = matrix("A", c.a, type, c.m, c.n, c.lda);
  const Operand lines = integers("nnzPerRowColumn", c.of_lines, CUSPARSE_INDEX_32I, by_rows ? c.m : c.n).written();
  const Operand all = integers("nnzTotalDevHostPtr", c.of_all, CUSPARSE_INDEX_32I, 1).written();
  std::vector<LibraryBuffer> buffers{from.buffer(), lines.buffer()};
  if (on_device) buffers.push_back(all.buffer());
  const auto work = [=](LibraryAccess& memory) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(lines.rows), 0);
    std::int64_t sum = 0;
    for_type(type, [&](auto kind) {
      using W = decltype(kind);
      const auto values = load<W>(memory, from);
      for (i64 j = 0; j < c.n; ++j)
        for (i64 i = 0; i < c.m; ++i)
          if (values.at(i, j) != W(0)) ++counts[static_cast<std::size_t>(by_rows ? i : j)], ++sum;
    });
    store_integers(memory, lines, counts);
    if (on_device)
      store_integers(memory, all, {sum});
    else
      *c.of_all = static_cast<int>(sum);
  };
  return call.queue(fmt::format("{} x {}", c.m, c.n), 0, type, buffers, work, !on_device);
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

#define GPULAB_COUNT(L, T, type)                                                                                 \
  cusparseStatus_t cusparse##L##nnz(cusparseHandle_t handle, cusparseDirection_t direction, int m, int n,        \
                                    cusparseMatDescr_t description, const T* a, int lda, int* lines, int* all) { \
    return count({handle, "cusparse" #L "nnz", __builtin_return_address(0)}, description,                        \
                 {direction, m, n, a, lda, lines, all}, type);                                                   \
  }
GPULAB_COUNT(S, float, CUDA_R_32F)
GPULAB_COUNT(D, double, CUDA_R_64F)
GPULAB_COUNT(C, cuComplex, CUDA_C_32F)
GPULAB_COUNT(Z, cuDoubleComplex, CUDA_C_64F)
#undef GPULAB_COUNT

}  // extern "C"
