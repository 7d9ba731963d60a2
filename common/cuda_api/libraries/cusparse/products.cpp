// Products of sparse matrices with dense vectors and matrices.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

/// An index beyond the operand is an access beside it: it faults where that lies in no allocation.
template <typename W>
W element_at(LibraryAccess& memory, const Values<W>& values, i64 index) {
  if (index >= 0 && index < static_cast<i64>(values.all.size())) return values[index];
  Operand beside = values.operand;
  beside.name += fmt::format("[{}]", index);
  beside.address += static_cast<std::uint64_t>(index * bytes_of(beside.type));
  beside.rows = beside.columns = 1;
  beside.layout = Operand::Layout::whole;
  memory.use({beside.read_only().buffer()});
  return load<W>(memory, beside)[0];
}

struct Scalars {
  Scalar alpha, beta;
};
Scalars scalars_of(const Call& call, const void* alpha, const void* beta, Type type) {
  const bool on_device = call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  return {scalar("alpha", alpha, type, on_device), scalar("beta", beta, type, on_device)};
}
bool is_fresh(const Scalars& s) { return !s.beta.on_device && s.beta.value == Complex(0); }

template <typename W>
Values<W> scaled(LibraryAccess& memory, const Operand& to, W beta) {
  if (beta == W(0)) return Values<W>(to);
  auto values = load<W>(memory, to);
  for (W& one : values.all) one *= beta;
  return values;
}

constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;

/// Of which forms an H100 has a product with a matrix.
bool takes_matrix(cusparseOperation_t op, const cusparseSpMatDescr& a) {
  switch (a.format) {
    case CUSPARSE_FORMAT_BSR:
      return op == kPlain && a.order == CUSPARSE_ORDER_ROW;
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      return false;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      return op == kPlain && !is_complex(a.type);
    default:
      return true;
  }
}

/// What cuSPARSE refuses (seen on an H100), in each function of a product's.
cusparseStatus_t check_vector(const char* function, cusparseHandle_t handle, cusparseOperation_t op,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                              Type compute) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || x == nullptr || y == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  // Blocks of one element are none; of blocks, only as they lie.
  const bool blocks = a->format == CUSPARSE_FORMAT_BSR && a->nonzeros > 0;
  if (a->format == CUSPARSE_FORMAT_BLOCKED_ELL || (a->format == CUSPARSE_FORMAT_BSR && op != kPlain) ||
      (blocks && a->block_rows == 1 && a->block_columns == 1))
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (!is_misplaced(op, a->type)) return CUSPARSE_STATUS_SUCCESS;
  return complain(function,
                  fmt::format("type of matA ({}), vecX ({}), vecY ({}), compute ({}) is not valid when opA is "
                              "CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE",
                              name_of(a->type), name_of(x->type), name_of(y->type), name_of(compute)),
                  CUSPARSE_STATUS_INVALID_VALUE);
}
cusparseStatus_t check_matrix(const char* function, cusparseHandle_t handle, cusparseOperation_t opa,
                              cusparseOperation_t opb, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              cusparseDnMatDescr_t c) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || c == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const auto says = [&](const char* which, Type type) {
    return complain(
        function, fmt::format("conjugate transpose (op{0}) is not valid for {0} data type ({1})", which, name_of(type)),
        CUSPARSE_STATUS_INVALID_VALUE);
  };
  if (!takes_matrix(opa, *a)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (is_misplaced(opa, a->type)) return says("A", a->type);
  if (is_misplaced(opb, b->type)) return says("B", b->type);
  if (opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && b->rows == 1)
    return complain(function, "opB == OPERATION_CONJUGATE_TRANSPOSE is unsupported when B is a single row",
                    CUSPARSE_STATUS_NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t multiply_vector(const Call& call, cusparseOperation_t op, const void* alpha,
                                 const cusparseSpMatDescr& a, const cusparseDnVecDescr& x, const void* beta,
                                 const cusparseDnVecDescr& y, Type compute) {
  const bool plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
  if (x.size != (plain ? a.columns : a.rows) || y.size != (plain ? a.rows : a.columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (y.size == 0) return CUSPARSE_STATUS_SUCCESS;
  const Scalars scalars = scalars_of(call, alpha, beta, compute);
  const Sparse sparse(a);
  const Operand from = vector("vecX", x.values, x.type, x.size, 1);
  const Operand whole = vector("vecY", y.values, y.type, y.size, 1);
  const Operand to = is_fresh(scalars) ? whole.written() : whole.changed();
  auto buffers = sparse.buffers();
  buffers.push_back(from.buffer());
  buffers.push_back(to.buffer());
  scalars.alpha.add_to(buffers);
  scalars.beta.add_to(buffers);
  return call.queue(shape_of(a), 2.0 * static_cast<double>(a.nonzeros), y.type, buffers, [=](LibraryAccess& memory) {
    for_type(memory, to.type, [&](auto kind) {
      using W = decltype(kind);
      const auto vector = load<W>(memory, from);
      const W by = scalars.alpha.get<W>(memory);
      auto result = scaled(memory, to, scalars.beta.get<W>(memory));
      std::vector<W> sums(result.all.size());
      for (const auto& stored : elements<W>(memory, sparse)) {
        const auto e = turned(stored, op);
        if (e.row >= 0 && e.row < static_cast<i64>(sums.size()))
          sums[static_cast<std::size_t>(e.row)] += e.value * element_at(memory, vector, e.column);
        else
          (void)element_at(memory, result, e.row);
      }
      for (std::size_t i = 0; i < sums.size(); ++i) result.all[i] += by * sums[i];
      store(memory, result);
    });
  });
}

cusparseStatus_t multiply_matrix(const Call& call, cusparseOperation_t opa, cusparseOperation_t opb, const void* alpha,
                                 const cusparseSpMatDescr& a, const cusparseDnMatDescr& b, const void* beta,
                                 const cusparseDnMatDescr& c, Type compute) {
  const bool plain_a = opa == CUSPARSE_OPERATION_NON_TRANSPOSE, plain_b = opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  const i64 m = plain_a ? a.rows : a.columns, k = plain_a ? a.columns : a.rows, n = plain_b ? b.columns : b.rows;
  if ((plain_b ? b.rows : b.columns) != k || c.rows != m || c.columns != n) return CUSPARSE_STATUS_INVALID_VALUE;
  // Of many: those of which there is one serve all.
  const i64 batch = std::max({a.batch, b.batch, c.batch});
  if ((a.batch != 1 && a.batch != batch) || (b.batch != 1 && b.batch != batch) || c.batch != batch)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (m == 0 || n == 0) return CUSPARSE_STATUS_SUCCESS;
  const Scalars scalars = scalars_of(call, alpha, beta, compute);
  struct Item {
    Sparse sparse;
    Operand from, to;
  };
  std::vector<Item> items;
  std::vector<LibraryBuffer> buffers;
  for (i64 i = 0; i < batch; ++i) {
    const Operand whole = dense("matC", item(c, i));
    items.push_back(
        {Sparse(item(a, i)), dense("matB", item(b, i)), is_fresh(scalars) ? whole.written() : whole.changed()});
    for (auto& one : items.back().sparse.buffers()) buffers.push_back(one);
    buffers.push_back(items.back().from.buffer());
    buffers.push_back(items.back().to.buffer());
  }
  scalars.alpha.add_to(buffers);
  scalars.beta.add_to(buffers);
  const bool b_by_rows = (b.order == CUSPARSE_ORDER_ROW) == plain_b, c_by_rows = c.order == CUSPARSE_ORDER_ROW;
  const double operations = 2.0 * static_cast<double>(a.nonzeros) * static_cast<double>(n) * static_cast<double>(batch);
  const std::string shape = fmt::format("{}, {} columns", shape_of(a), n);
  return call.queue(batch == 1 ? shape : fmt::format("{}, {} times", shape, batch), operations, c.type, buffers,
                    [=](LibraryAccess& memory) {
                      for_type(memory, c.type, [&](auto kind) {
                        using W = decltype(kind);
                        const W by = scalars.alpha.get<W>(memory), kept = scalars.beta.get<W>(memory);
                        for (const auto& [sparse, from, to] : items) {
                          const auto values = load<W>(memory, from);
                          auto result = scaled(memory, to, kept);
                          for (const auto& stored : elements<W>(memory, sparse)) {
                            const auto e = turned(stored, opa);
                            if (e.row < 0 || e.row >= m || e.column < 0 || e.column >= k) {
                              (void)element_at(memory, values, e.column * (b_by_rows ? n : 1));
                              continue;
                            }
                            for (i64 j = 0; j < n; ++j) {
                              const W other = b_by_rows ? values.at(j, e.column) : values.at(e.column, j);
                              const W term = by * e.value *
                                             (opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(other) : other);
                              (c_by_rows ? result.at(j, e.row) : result.at(e.row, j)) += term;
                            }
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

cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void*,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void*,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t,
                                         size_t* size) {
  *size = 8;
  return check_vector("cusparseSpMV_bufferSize", handle, op, a, x, y, compute);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op, const void*,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void*,
                                         cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t, void*) {
  return check_vector("cusparseSpMV_preprocess", handle, op, a, x, y, compute);
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                              cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void* beta,
                              cusparseDnVecDescr_t y, cudaDataType compute, cusparseSpMVAlg_t, void*) {
  const auto status = check_vector("cusparseSpMV", handle, op, a, x, y, compute);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply_vector({handle, "cusparseSpMV", __builtin_return_address(0)}, op, alpha, *a, *x, beta, *y, compute);
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t,
                                         size_t* size) {
  *size = 8;
  return check_matrix("cusparseSpMM_bufferSize", handle, opa, opb, a, b, c);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                         const void*, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         const void*, cusparseDnMatDescr_t c, cudaDataType, cusparseSpMMAlg_t, void*) {
  return check_matrix("cusparseSpMM_preprocess", handle, opa, opb, a, b, c);
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                              const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                              const void* beta, cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpMMAlg_t,
                              void*) {
  const auto status = check_matrix("cusparseSpMM", handle, opa, opb, a, b, c);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return multiply_matrix({handle, "cusparseSpMM", __builtin_return_address(0)}, opa, opb, alpha, *a, *b, beta, *c,
                         compute);
}

}  // extern "C"
