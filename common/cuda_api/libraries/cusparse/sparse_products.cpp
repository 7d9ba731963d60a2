// A product of two sparse matrices (CSR): its pattern and values are made by _compute, and written by _copy.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

struct cusparseSpGEMMDescr {
  std::vector<std::int64_t> offsets, columns;  ///< of the product
  std::vector<gpulab::libraries::PreciseComplex> values;
  std::int64_t products = 0;  ///< of two elements
};

namespace gpulab::cusparse {
namespace {

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                       cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c,
                       cusparseSpGEMMDescr_t d) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || c == nullptr || d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (opa != CUSPARSE_OPERATION_NON_TRANSPOSE || opb != CUSPARSE_OPERATION_NON_TRANSPOSE)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  for (const auto* one : {a, b, c})
    if (one->format != CUSPARSE_FORMAT_CSR) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (a->columns != b->rows || c->rows != a->rows || c->columns != b->columns) return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

/// Row by row, sums in the order of A's elements.
template <typename W>
void multiply(LibraryAccess& memory, const Sparse& a, const Sparse& b, const Scalar& alpha, cusparseSpGEMMDescr& to) {
  std::vector<std::vector<Element<W>>> rows(static_cast<std::size_t>(b.d.rows));
  for (const auto& e : elements<W>(memory, b))
    if (e.row >= 0 && e.row < b.d.rows && e.column >= 0 && e.column < b.d.columns)
      rows[static_cast<std::size_t>(e.row)].push_back(e);
  std::vector<std::map<i64, W>> made(static_cast<std::size_t>(a.d.rows));
  to = {};
  for (const auto& e : elements<W>(memory, a)) {
    if (e.row < 0 || e.row >= a.d.rows || e.column < 0 || e.column >= a.d.columns) continue;
    for (const auto& other : rows[static_cast<std::size_t>(e.column)]) {
      made[static_cast<std::size_t>(e.row)][other.column] += e.value * other.value;
      ++to.products;
    }
  }
  const W by = alpha.get<W>(memory);
  to.offsets.push_back(0);
  for (const auto& row : made) {
    for (const auto& [column, value] : row) {
      to.columns.push_back(column);
      to.values.push_back(PreciseComplex(by * value));
    }
    to.offsets.push_back(static_cast<i64>(to.columns.size()));
  }
}

template <typename W>
W narrowed(const PreciseComplex& value) {
  if constexpr (kIsComplex<W>)
    return {static_cast<RealOf<W>>(value.real()), static_cast<RealOf<W>>(value.imag())};
  else
    return static_cast<W>(value.real());
}

/// Queues the product; `name`: of the function, for the report.
cusparseStatus_t queue_product(const Call& call, const void* alpha, const cusparseSpMatDescr& a,
                               const cusparseSpMatDescr& b, cusparseSpMatDescr_t c, Type compute,
                               cusparseSpGEMMDescr_t d) {
  const Scalar by = scalar("alpha", alpha, compute, call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE);
  const Sparse left(a), right(b);
  auto buffers = left.buffers();
  for (auto& one : right.buffers()) buffers.push_back(one);
  by.add_to(buffers);
  const std::string shape =
      fmt::format("{} x {} x {}, {} and {} elements", a.rows, a.columns, b.columns, a.nonzeros, b.nonzeros);
  const double each_row = static_cast<double>(b.nonzeros) / static_cast<double>(std::max<i64>(1, b.rows));
  return call.queue(
      shape, 2 * each_row * static_cast<double>(a.nonzeros), compute, buffers, [=](LibraryAccess& memory) {
        for_type(memory, compute, [&](auto kind) { multiply<decltype(kind)>(memory, left, right, by, *d); });
        c->nonzeros = static_cast<std::int64_t>(d->columns.size());
      });
}

/// Counts the products of two elements.
cusparseStatus_t queue_count(const Call& call, const cusparseSpMatDescr& a, const cusparseSpMatDescr& b,
                             cusparseSpGEMMDescr_t d) {
  const Operand columns = integers("csrColInd of A", a.indices, a.index_type, a.nonzeros),
                offsets = integers("csrRowOffsets of B", b.offsets, b.offset_type, b.rows + 1);
  const i64 from = a.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
  return call.queue(fmt::format("{} x {} x {}", a.rows, a.columns, b.columns), 0, a.type,
                    {columns.buffer(), offsets.buffer()}, [=](LibraryAccess& memory) {
                      const auto starts = load_integers(memory, offsets);
                      d->products = 0;
                      for (const i64 column : load_integers(memory, columns))
                        if (const i64 row = column - from; row >= 0 && row + 1 < static_cast<i64>(starts.size()))
                          d->products +=
                              starts[static_cast<std::size_t>(row + 1)] - starts[static_cast<std::size_t>(row)];
                    });
}

std::vector<std::int64_t> raised(std::vector<std::int64_t> all, cusparseIndexBase_t base) {
  for (auto& one : all) one += base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
  return all;
}

/// Values of the product, and with `beta` what C's were.
template <typename W>
void store_values(LibraryAccess& memory, const Operand& to, const cusparseSpGEMMDescr& d, W beta) {
  const auto before = beta == W(0) ? Values<W>(to) : load<W>(memory, to);
  Values<W> made(to);
  for (std::size_t i = 0; i < made.all.size() && i < d.values.size(); ++i)
    made.all[i] = narrowed<W>(d.values[i]) + (beta == W(0) ? W(0) : beta * before.all[i]);
  store(memory, made);
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t* d) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *d = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t d) {
  delete d;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opa,
                                               cusparseOperation_t opb, const void*, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void*, cusparseSpMatDescr_t c,
                                               cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d, size_t* size,
                                               void* buffer) {
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  const auto wrong = check(handle, opa, opb, a, b, c, d);
  if (wrong != CUSPARSE_STATUS_SUCCESS || buffer == nullptr) return wrong;
  return queue_count({handle, "cusparseSpGEMM_workEstimation", __builtin_return_address(0)}, *a, *b, d);
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t d, int64_t* products) {
  if (d == nullptr || products == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *products = d->products;
  return CUSPARSE_STATUS_SUCCESS;
}
/// With a buffer: the number of the product's elements is C's then.
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                        const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void* beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d, size_t* size, void* buffer) {
  if (const auto wrong = check(handle, opa, opb, a, b, c, d); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (size == nullptr || alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  if (buffer == nullptr) return CUSPARSE_STATUS_SUCCESS;
  const bool on_device = handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  const Scalar of = scalar("beta", beta, compute, on_device);
  if (of.on_device || of.value != Complex(0))
    gpulab::libraries::refuse("cusparseSpGEMM with a beta that is not 0", __builtin_return_address(0));
  return queue_product({handle, "cusparseSpGEMM_compute", __builtin_return_address(0)}, alpha, *a, *b, c, compute, d);
}
cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t handle, cusparseOperation_t opa,
                                               cusparseOperation_t opb, const void*, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void*, cusparseSpMatDescr_t c,
                                               cudaDataType, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d, float,
                                               size_t* size, void* buffer, size_t* of_compute) {
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  if (buffer != nullptr && of_compute != nullptr) *of_compute = 8;
  return check(handle, opa, opb, a, b, c, d);
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                     const void*, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void*,
                                     cusparseSpMatDescr_t c, cudaDataType, cusparseSpGEMMAlg_t,
                                     cusparseSpGEMMDescr_t d) {
  if (const auto wrong = check(handle, opa, opb, a, b, c, d); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (d->offsets.empty()) return CUSPARSE_STATUS_INVALID_VALUE;
  const Sparse to(*c);
  const Operand offsets = to.offsets.written(), columns = to.indices.written(), values = to.values.written();
  const Call call{handle, "cusparseSpGEMM_copy", __builtin_return_address(0)};
  return call.queue(gpulab::cusparse::shape_of(*c), 0, c->type, {offsets.buffer(), columns.buffer(), values.buffer()},
                    [=](LibraryAccess& memory) {
                      store_integers(memory, offsets, raised(d->offsets, to.d.base));
                      if (d->columns.empty()) return;
                      store_integers(memory, columns, raised(d->columns, to.d.base));
                      for_type(to.d.type, [&](auto kind) { store_values(memory, values, *d, decltype(kind)(0)); });
                    });
}

// The same with a pattern that is used again: values are made by _compute, as often as the program likes.
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t handle, cusparseOperation_t opa,
                                                    cusparseOperation_t opb, cusparseConstSpMatDescr_t a,
                                                    cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                                                    cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d, size_t* size, void*) {
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  return check(handle, opa, opb, a, b, c, d);
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                         cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d,
                                         size_t* size2, void*, size_t* size3, void*, size_t* size4, void* buffer) {
  if (const auto wrong = check(handle, opa, opb, a, b, c, d); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (size2 == nullptr || size3 == nullptr || size4 == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size2 = *size3 = *size4 = 8;
  if (buffer == nullptr) return CUSPARSE_STATUS_SUCCESS;
  // The pattern is that of any values: those that are there now.
  const double one[2] = {1, 0};
  const auto mode = handle->pointers;
  handle->pointers = CUSPARSE_POINTER_MODE_HOST;
  const auto status = queue_product({handle, "cusparseSpGEMMreuse_nnz", __builtin_return_address(0)}, one, *a, *b, c,
                                    is_complex(c->type) ? CUDA_C_64F : CUDA_R_64F, d);
  handle->pointers = mode;
  return status;
}
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                          cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                          cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d,
                                          size_t* size, void* buffer) {
  if (const auto wrong = check(handle, opa, opb, a, b, c, d); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  if (buffer == nullptr) return CUSPARSE_STATUS_SUCCESS;
  if (d->offsets.empty()) return CUSPARSE_STATUS_INVALID_VALUE;
  const Sparse to(*c);
  const Operand offsets = to.offsets.written(), columns = to.indices.written();
  const Call call{handle, "cusparseSpGEMMreuse_copy", __builtin_return_address(0)};
  return call.queue(gpulab::cusparse::shape_of(*c), 0, c->type, {offsets.buffer(), columns.buffer()},
                    [=](LibraryAccess& memory) {
                      store_integers(memory, offsets, raised(d->offsets, to.d.base));
                      if (!d->columns.empty()) store_integers(memory, columns, raised(d->columns, to.d.base));
                    });
}
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                             const void* alpha, cusparseConstSpMatDescr_t a,
                                             cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                                             cudaDataType compute, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t d) {
  if (const auto wrong = check(handle, opa, opb, a, b, c, d); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (alpha == nullptr || beta == nullptr || d->offsets.empty()) return CUSPARSE_STATUS_INVALID_VALUE;
  const Call call{handle, "cusparseSpGEMMreuse_compute", __builtin_return_address(0)};
  const auto status = queue_product(call, alpha, *a, *b, c, compute, d);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const Scalar kept = scalar("beta", beta, compute, handle->pointers == CUSPARSE_POINTER_MODE_DEVICE);
  const Operand values = Sparse(*c).values.changed();
  std::vector<LibraryBuffer> buffers{values.buffer()};
  kept.add_to(buffers);
  return call.queue(gpulab::cusparse::shape_of(*c), 0, c->type, buffers, [=, type = c->type](LibraryAccess& memory) {
    for_type(type, [&](auto kind) {
      using W = decltype(kind);
      store_values(memory, values, *d, kept.get<W>(memory));
    });
  });
}

}  // extern "C"
