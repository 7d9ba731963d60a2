// Elements put in the order of their rows and columns, with a permutation that says where each was.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

/// Sorts places [first, end) by `key`, ties as they are.
void sort_places(std::vector<std::size_t>& places, std::size_t first, std::size_t end, const auto& key) {
  std::stable_sort(places.begin() + static_cast<std::ptrdiff_t>(first),
                   places.begin() + static_cast<std::ptrdiff_t>(end),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
}
std::vector<i64> moved(const std::vector<i64>& values, const std::vector<std::size_t>& places) {
  std::vector<i64> made;
  for (const std::size_t place : places) made.push_back(values[place]);
  return made;
}
std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), 0);
  return places;
}
Operand ints(const char* name, const int* pointer, i64 count) {
  return integers(name, pointer, CUSPARSE_INDEX_32I, count);
}
std::string shape_of(int m, int n, int nonzeros) { return fmt::format("{} x {}, {} elements", m, n, nonzeros); }

cusparseStatus_t check(cusparseHandle_t handle, int m, int n, int nonzeros) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  return m < 0 || n < 0 || nonzeros < 0 ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_SUCCESS;
}

/// Of each line its indices in ascending order. `permutation` may be null.
cusparseStatus_t sort_lines(const Call& call, int lines, const std::string& shape, int nonzeros, i64 base,
                            const int* offsets, int* indices, int* permutation) {
  const Operand starts = ints("offsets", offsets, i64{lines} + 1),
                sorted = ints("indices", indices, nonzeros).changed(),
                order = ints("P", permutation, nonzeros).changed();
  std::vector<LibraryBuffer> buffers{starts.buffer(), sorted.buffer()};
  if (permutation != nullptr) buffers.push_back(order.buffer());
  return call.queue(shape, 0, CUDA_R_32F, buffers, [=](LibraryAccess& memory) {
    const auto ends = load_integers(memory, starts), keys = load_integers(memory, sorted);
    auto places = in_order(keys.size());
    for (std::size_t line = 0; line + 1 < ends.size(); ++line) {
      const i64 first = std::clamp<i64>(ends[line] - base, 0, nonzeros),
                end = std::clamp<i64>(ends[line + 1] - base, first, nonzeros);
      sort_places(places, static_cast<std::size_t>(first), static_cast<std::size_t>(end),
                  [&](std::size_t i) { return keys[i]; });
    }
    store_integers(memory, sorted, moved(keys, places));
    if (permutation != nullptr) store_integers(memory, order, moved(load_integers(memory, order), places));
  });
}

/// By row and column, or by column and row.
cusparseStatus_t sort_all(const Call& call, const std::string& shape, int nonzeros, int* first, int* second,
                          int* permutation) {
  const Operand major = ints("first indices", first, nonzeros).changed(),
                minor = ints("second indices", second, nonzeros).changed(),
                order = ints("P", permutation, nonzeros).changed();
  std::vector<LibraryBuffer> buffers{major.buffer(), minor.buffer()};
  if (permutation != nullptr) buffers.push_back(order.buffer());
  return call.queue(shape, 0, CUDA_R_32F, buffers, [=](LibraryAccess& memory) {
    const auto a = load_integers(memory, major), b = load_integers(memory, minor);
    auto places = in_order(a.size());
    sort_places(places, 0, places.size(), [&](std::size_t i) { return std::pair(a[i], b[i]); });
    store_integers(memory, major, moved(a, places));
    store_integers(memory, minor, moved(b, places));
    if (permutation != nullptr) store_integers(memory, order, moved(load_integers(memory, order), places));
  });
}

cusparseStatus_t small_buffer(cusparseStatus_t status, std::size_t* size) {
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  return status;
}
i64 base_of(cusparseMatDescr_t d) { return d->base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0; }

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n, int* p) {
  if (const auto wrong = check(handle, 0, 0, n); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const Operand to = ints("p", p, n).written();
  const Call call{handle, "cusparseCreateIdentityPermutation", __builtin_return_address(0)};
  return call.queue(fmt::format("{}", n), 0, CUDA_R_32F, {to.buffer()}, [=](LibraryAccess& memory) {
    std::vector<std::int64_t> made(static_cast<std::size_t>(n));
    std::iota(made.begin(), made.end(), 0);
    store_integers(memory, to, made);
  });
}
cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nonzeros, const int*,
                                                const int*, size_t* size) {
  return small_buffer(check(handle, m, n, nonzeros), size);
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nonzeros, const cusparseMatDescr_t d,
                                  const int* offsets, int* columns, int* p, void*) {
  if (const auto wrong = check(handle, m, n, nonzeros); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return sort_lines({handle, "cusparseXcsrsort", __builtin_return_address(0)}, m, shape_of(m, n, nonzeros), nonzeros,
                    base_of(d), offsets, columns, p);
}
cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nonzeros, const int*,
                                                const int*, size_t* size) {
  return small_buffer(check(handle, m, n, nonzeros), size);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nonzeros, const cusparseMatDescr_t d,
                                  const int* offsets, int* rows, int* p, void*) {
  if (const auto wrong = check(handle, m, n, nonzeros); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return sort_lines({handle, "cusparseXcscsort", __builtin_return_address(0)}, n, shape_of(m, n, nonzeros), nonzeros,
                    base_of(d), offsets, rows, p);
}
cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n, int nonzeros, const int*,
                                                const int*, size_t* size) {
  return small_buffer(check(handle, m, n, nonzeros), size);
}
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nonzeros, int* rows, int* columns,
                                       int* p, void*) {
  if (const auto wrong = check(handle, m, n, nonzeros); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  return sort_all({handle, "cusparseXcoosortByRow", __builtin_return_address(0)}, shape_of(m, n, nonzeros), nonzeros,
                  rows, columns, p);
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n, int nonzeros, int* rows, int* columns,
                                          int* p, void*) {
  if (const auto wrong = check(handle, m, n, nonzeros); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  return sort_all({handle, "cusparseXcoosortByColumn", __builtin_return_address(0)}, shape_of(m, n, nonzeros), nonzeros,
                  columns, rows, p);
}

}  // extern "C"
