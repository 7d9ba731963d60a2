// Incomplete factorisations without fill-in, in place: A ~ L U (csrilu02) and A ~ L L^H (csric02), CSR with ascending
// columns.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {

/// What analyses and factorisations found: a row, as the program counts, whose pivot is 0 or not there; -1: none.
struct Pivots {
  std::int64_t structural = -1, numerical = -1;
  bool analysed = false;
  [[nodiscard]] std::int64_t first() const { return structural >= 0 ? structural : numerical; }
};

}  // namespace gpulab::cusparse

struct csrilu02Info {
  gpulab::cusparse::Pivots pivots;
};
struct csric02Info {
  gpulab::cusparse::Pivots pivots;
};

namespace gpulab::cusparse {
namespace {

/// A square matrix as these functions get it.
struct Square {
  cusparseHandle_t handle;
  const char* name;
  void* caller;
  int m, nonzeros;
  cusparseMatDescr_t d;
  const void* values;
  const int *offsets, *columns;
  Type type;

  [[nodiscard]] cusparseStatus_t check(const void* info) const {
    if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (m < 0 || nonzeros < 0 || (m > 0 && nonzeros == 0) || d == nullptr || info == nullptr)
      return CUSPARSE_STATUS_INVALID_VALUE;
    return CUSPARSE_STATUS_SUCCESS;
  }
  [[nodiscard]] Sparse sparse() const {
    return Sparse({CUSPARSE_FORMAT_CSR, m, m, nonzeros, const_cast<int*>(offsets), const_cast<int*>(columns),
                   const_cast<void*>(values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, d->base, type});
  }
  [[nodiscard]] i64 base() const { return d->base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0; }
};

/// A row's elements, by their places; columns and starts from 0, within the matrix.
struct Rows {
  std::vector<i64> starts, columns;

  Rows(LibraryAccess& memory, const Sparse& sparse, i64 base)
      : starts(load_integers(memory, sparse.offsets)), columns(load_integers(memory, sparse.indices)) {
    const auto all = static_cast<i64>(columns.size());
    for (i64& one : starts) one = std::clamp<i64>(one - base, 0, all);
    for (i64& one : columns) one -= base;
  }
  [[nodiscard]] i64 count() const { return static_cast<i64>(starts.size()) - 1; }
  [[nodiscard]] i64 start(i64 row) const { return starts[static_cast<std::size_t>(row)]; }
  [[nodiscard]] i64 end(i64 row) const { return starts[static_cast<std::size_t>(row) + 1]; }
  [[nodiscard]] i64 column(i64 place) const { return columns[static_cast<std::size_t>(place)]; }
  /// Of a row's element in that column; -1: there is none.
  [[nodiscard]] i64 find(i64 row, i64 column) const {
    for (i64 place = start(row); place < end(row); ++place)
      if (columns[static_cast<std::size_t>(place)] == column) return place;
    return -1;
  }
};

/// Row by row: what stands left of the diagonal is divided by its pivot, and taken off what its row has in common.
template <typename W>
i64 factorise_lu(const Rows& rows, std::vector<W>& a) {
  const auto at = [&](i64 place) -> W& { return a[static_cast<std::size_t>(place)]; };
  i64 wrong = -1;
  for (i64 i = 0; i < rows.count(); ++i) {
    for (i64 place = rows.start(i); place < rows.end(i); ++place) {
      const i64 k = rows.column(place);
      if (k < 0 || k >= i) continue;
      const i64 pivot = rows.find(k, k);
      if (pivot < 0) continue;
      at(place) = at(place) / at(pivot);
      for (i64 other = rows.start(k); other < rows.end(k); ++other) {
        if (rows.column(other) <= k) continue;
        const i64 to = rows.find(i, rows.column(other));
        if (to >= 0) at(to) -= at(place) * at(other);
      }
    }
    const i64 pivot = rows.find(i, i);
    if (wrong < 0 && pivot >= 0 && at(pivot) == W(0)) wrong = i;
  }
  return wrong;
}

/// Row by row, of the lower triangle alone.
template <typename W>
i64 factorise_cholesky(const Rows& rows, std::vector<W>& a) {
  const auto at = [&](i64 place) -> W& { return a[static_cast<std::size_t>(place)]; };
  i64 wrong = -1;
  for (i64 i = 0; i < rows.count(); ++i)
    for (i64 place = rows.start(i); place < rows.end(i); ++place) {
      const i64 k = rows.column(place);
      if (k < 0 || k > i) continue;
      W sum = at(place);
      for (i64 left = rows.start(i); left < rows.end(i); ++left) {
        if (rows.column(left) >= k) continue;
        const i64 other = rows.find(k, rows.column(left));
        if (other >= 0) sum -= at(left) * conjugate(at(other));
      }
      if (k < i) {
        const i64 pivot = rows.find(k, k);
        if (pivot >= 0) at(place) = sum / at(pivot);
        continue;
      }
      if (wrong < 0 && !(real_part(sum) > 0)) wrong = i;
      at(place) = W(std::sqrt(real_part(sum)));
    }
  return wrong;
}

cusparseStatus_t buffer_size(const Square& a, const void* info, auto* size) {
  if (const auto wrong = a.check(info); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t analyse(const Square& a, Pivots* pivots) {
  if (const auto wrong = a.check(pivots); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const Sparse sparse = a.sparse();
  const Call call{a.handle, a.name, a.caller};
  return call.queue(shape_of(sparse.d), 0, a.type, {sparse.offsets.buffer(), sparse.indices.buffer()},
                    [=, base = a.base()](LibraryAccess& memory) {
                      const Rows rows(memory, sparse, base);
                      *pivots = {-1, -1, true};
                      for (i64 i = 0; i < rows.count() && pivots->structural < 0; ++i)
                        if (rows.find(i, i) < 0) pivots->structural = i + base;
                    });
}

cusparseStatus_t factorise(const Square& a, Pivots* pivots, bool cholesky) {
  if (const auto wrong = a.check(pivots); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const Sparse sparse = a.sparse();
  const Operand values = sparse.values.changed();
  const double each_row = static_cast<double>(a.nonzeros) / std::max(1, a.m);
  const Call call{a.handle, a.name, a.caller};
  return call.queue(shape_of(sparse.d), each_row * static_cast<double>(a.nonzeros), a.type,
                    {sparse.offsets.buffer(), sparse.indices.buffer(), values.buffer()},
                    [=, base = a.base()](LibraryAccess& memory) {
                      const Rows rows(memory, sparse, base);
                      for_type(memory, values.type, [&](auto kind) {
                        auto all = load<decltype(kind)>(memory, values);
                        const i64 wrong = cholesky ? factorise_cholesky(rows, all.all) : factorise_lu(rows, all.all);
                        pivots->numerical = wrong < 0 ? -1 : wrong + base;
                        store(memory, all);
                      });
                    });
}

/// Where the first pivot was 0; waits for it.
cusparseStatus_t zero_pivot(cusparseHandle_t handle, const Pivots* pivots, int* position) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (pivots == nullptr || position == nullptr || !pivots->analysed) return CUSPARSE_STATUS_INVALID_VALUE;
  *position = static_cast<int>(pivots->first());
  return pivots->first() < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

// These functions are deprecated since CUDA 12, and so are their types; programs call them.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define GPULAB_SQUARE(name, type) \
  Square { handle, name, __builtin_return_address(0), m, nonzeros, d, values, offsets, columns, type }
#define GPULAB_PIVOTS (info == nullptr ? nullptr : &info->pivots)

#define GPULAB_INCOMPLETE(letter, In, type, kind, cholesky)                                                           \
  cusparseStatus_t cusparse##letter##kind##_bufferSize(cusparseHandle_t handle, int m, int nonzeros,                  \
                                                       const cusparseMatDescr_t d, In* values, const int* offsets,    \
                                                       const int* columns, kind##Info_t info, int* size) {            \
    return buffer_size(GPULAB_SQUARE("", type), info, size);                                                          \
  }                                                                                                                   \
  cusparseStatus_t cusparse##letter##kind##_bufferSizeExt(cusparseHandle_t handle, int m, int nonzeros,               \
                                                          const cusparseMatDescr_t d, In* values, const int* offsets, \
                                                          const int* columns, kind##Info_t info, size_t* size) {      \
    return buffer_size(GPULAB_SQUARE("", type), info, size);                                                          \
  }                                                                                                                   \
  cusparseStatus_t cusparse##letter##kind##_analysis(                                                                 \
      cusparseHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t d, const In* values, const int* offsets, \
      const int* columns, kind##Info_t info, cusparseSolvePolicy_t, void*) {                                          \
    return analyse(GPULAB_SQUARE("cusparse" #letter #kind "_analysis", type), GPULAB_PIVOTS);                         \
  }                                                                                                                   \
  cusparseStatus_t cusparse##letter##kind(cusparseHandle_t handle, int m, int nonzeros, const cusparseMatDescr_t d,   \
                                          In* values, const int* offsets, const int* columns, kind##Info_t info,      \
                                          cusparseSolvePolicy_t, void*) {                                             \
    return factorise(GPULAB_SQUARE("cusparse" #letter #kind, type), GPULAB_PIVOTS, cholesky);                         \
  }
#define GPULAB_INFO(Kind, kind)                                                                       \
  cusparseStatus_t cusparseCreate##Kind##Info(kind##Info_t* info) {                                   \
    if (info == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                        \
    *info = new kind##Info;                                                                           \
    return CUSPARSE_STATUS_SUCCESS;                                                                   \
  }                                                                                                   \
  cusparseStatus_t cusparseDestroy##Kind##Info(kind##Info_t info) {                                   \
    delete info;                                                                                      \
    return CUSPARSE_STATUS_SUCCESS;                                                                   \
  }                                                                                                   \
  cusparseStatus_t cusparseX##kind##_zeroPivot(cusparseHandle_t handle, kind##Info_t info, int* at) { \
    return zero_pivot(handle, GPULAB_PIVOTS, at);                                                     \
  }

extern "C" {

GPULAB_INFO(Csrilu02, csrilu02)
GPULAB_INFO(Csric02, csric02)
GPULAB_INCOMPLETE(S, float, CUDA_R_32F, csrilu02, false)
GPULAB_INCOMPLETE(D, double, CUDA_R_64F, csrilu02, false)
GPULAB_INCOMPLETE(C, cuComplex, CUDA_C_32F, csrilu02, false)
GPULAB_INCOMPLETE(Z, cuDoubleComplex, CUDA_C_64F, csrilu02, false)
GPULAB_INCOMPLETE(S, float, CUDA_R_32F, csric02, true)
GPULAB_INCOMPLETE(D, double, CUDA_R_64F, csric02, true)
GPULAB_INCOMPLETE(C, cuComplex, CUDA_C_32F, csric02, true)
GPULAB_INCOMPLETE(Z, cuDoubleComplex, CUDA_C_64F, csric02, true)

}  // extern "C"
