// Products of dense matrices where a sparse one has elements: C = alpha (op(A) op(B)) there + beta C.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

cusparseStatus_t check(const char* function, cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                       cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseSpMatDescr_t c) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || c == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto says = [&](const char* which, Type type) {
    return complain(
        function, fmt::format("conjugate transpose (op{0}) is not valid for {0} data type ({1})", which, name_of(type)),
        CUSPARSE_STATUS_INVALID_VALUE);
  };
  if (is_misplaced(opa, a->type)) return says("A", a->type);
  if (is_misplaced(opb, b->type)) return says("B", b->type);
  if (c->format != CUSPARSE_FORMAT_CSR && c->format != CUSPARSE_FORMAT_BSR)
    return complain(
        function,
        fmt::format("sparse matrix format ({}) is not supported", c->format == CUSPARSE_FORMAT_COO ? "COO" : "CSC"),
        CUSPARSE_STATUS_NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t multiply(const Call& call, cusparseOperation_t opa, cusparseOperation_t opb, const void* alpha,
                          const cusparseDnMatDescr& a, const cusparseDnMatDescr& b, const void* beta,
                          const cusparseSpMatDescr& c, Type compute) {
  const bool plain_a = opa == CUSPARSE_OPERATION_NON_TRANSPOSE, plain_b = opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  const i64 m = plain_a ? a.rows : a.columns, k = plain_a ? a.columns : a.rows, n = plain_b ? b.columns : b.rows;
  if (m != c.rows || n != c.columns || (plain_b ? b.rows : b.columns) != k) return CUSPARSE_STATUS_INVALID_VALUE;
  if (c.nonzeros == 0) return CUSPARSE_STATUS_SUCCESS;
  const bool on_device = call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  const Scalar by = scalar("alpha", alpha, compute, on_device), kept = scalar("beta", beta, compute, on_device);
  const i64 batch = std::max({a.batch, b.batch, c.batch});
  if ((a.batch != 1 && a.batch != batch) || (b.batch != 1 && b.batch != batch) || c.batch != batch)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const bool fresh = !on_device && kept.value == Complex(0);
  struct Item {
    Sparse sparse;
    Operand left, right;
  };
  std::vector<Item> items;
  std::vector<LibraryBuffer> buffers;
  for (i64 i = 0; i < batch; ++i) {
    items.push_back({Sparse(item(c, i)), dense("A", item(a, i)), dense("B", item(b, i))});
    const auto& [sparse, left, right] = items.back();
    for (const auto& one :
         {left, right, sparse.offsets, sparse.indices, fresh ? sparse.values.written() : sparse.values.changed()})
      buffers.push_back(one.buffer());
  }
  by.add_to(buffers);
  kept.add_to(buffers);
  const double operations = 2.0 * static_cast<double>(c.nonzeros) * static_cast<double>(k) * static_cast<double>(batch);
  // Element (i, p) of op(A) lies at (i, p) of what is stored, or at (p, i).
  const bool turn_a = plain_a == (a.order == CUSPARSE_ORDER_ROW), turn_b = plain_b == (b.order == CUSPARSE_ORDER_ROW);
  const std::string shape = fmt::format("{}, depth {}", shape_of(c), k);
  return call.queue(batch == 1 ? shape : fmt::format("{}, {} times", shape, batch), operations, c.type, buffers,
                    [=](LibraryAccess& memory) {
                      for_type(memory, c.type, [&](auto kind) {
                        using W = decltype(kind);
                        const W alpha_now = by.get<W>(memory), beta_now = kept.get<W>(memory);
                        for (const auto& [sparse, left, right] : items) {
                          const auto x = load<W>(memory, left), y = load<W>(memory, right);
                          Values<W> result(sparse.values);
                          std::size_t at = 0;
                          for (const auto& e : elements<W>(memory, sparse)) {
                            const bool inside = e.row >= 0 && e.row < m && e.column >= 0 && e.column < n;
                            W sum = 0;
                            for (i64 p = 0; p < k && inside; ++p) {
                              const W one = turn_a ? x.at(p, e.row) : x.at(e.row, p);
                              const W other = turn_b ? y.at(e.column, p) : y.at(p, e.column);
                              sum += (opa == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(one) : one) *
                                     (opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(other) : other);
                            }
                            if (at == result.all.size()) break;
                            result.all[at++] = alpha_now * sum + (beta_now == W(0) ? W(0) : beta_now * e.value);
                          }
                          store(memory, result);
                        }
                      });
                    });
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                          const void*, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void*, cusparseSpMatDescr_t c, cudaDataType, cusparseSDDMMAlg_t,
                                          size_t* size) {
  if (size != nullptr) *size = 8;
  return check("cusparseSDDMM_bufferSize", handle, opa, opb, a, b, c);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                          const void*, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                                          const void*, cusparseSpMatDescr_t c, cudaDataType, cusparseSDDMMAlg_t,
                                          void*) {
  return check("cusparseSDDMM_preprocess", handle, opa, opb, a, b, c);
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                               const void* alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b,
                               const void* beta, cusparseSpMatDescr_t c, cudaDataType compute, cusparseSDDMMAlg_t,
                               void*) {
  const auto status = check("cusparseSDDMM", handle, opa, opb, a, b, c);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply({handle, "cusparseSDDMM", __builtin_return_address(0)}, opa, opb, alpha, *a, *b, beta, *c, compute);
}

}  // extern "C"
