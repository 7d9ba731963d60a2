// Solves by a sparse triangle: what op(A) makes alpha b of, for a vector (SpSV) or a dense matrix (SpSM).

#include <fmt/format.h>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

/// NVIDIA's names. What an analysis finds out here is that it was made.
struct cusparseSpSVDescr {
  bool analysed = false;
};
struct cusparseSpSMDescr {
  bool analysed = false;
};

namespace gpulab::cusparse {
namespace {

cusparseStatus_t check(const char* function, cusparseHandle_t handle, cusparseOperation_t op,
                       cusparseConstSpMatDescr_t a, bool others) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || !others || a->rows != a->columns) return CUSPARSE_STATUS_INVALID_VALUE;
  if (is_misplaced(op, a->type))
    return complain(
        function,
        fmt::format("conjugate transpose (opA) is not valid for matA data type, current -> {}", name_of(a->type)),
        CUSPARSE_STATUS_INVALID_VALUE);
  if (a->format == CUSPARSE_FORMAT_CSC)
    return complain(function, "matA only supports CSR, COO or Sliced ELLPACK storage formats, current CSC",
                    CUSPARSE_STATUS_NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

/// A triangle of op(A), row by row, and its diagonal.
template <typename W>
struct Rows {
  std::vector<std::vector<std::pair<i64, W>>> beside;
  std::vector<W> diagonal;
  bool descending;

  Rows(const std::vector<Element<W>>& all, const cusparseSpMatDescr& a, cusparseOperation_t op)
      : beside(static_cast<std::size_t>(a.rows)), diagonal(static_cast<std::size_t>(a.rows)) {
    const bool upper = a.fill == CUSPARSE_FILL_MODE_UPPER, unit = a.diagonal == CUSPARSE_DIAG_TYPE_UNIT;
    descending = upper == (op == CUSPARSE_OPERATION_NON_TRANSPOSE);
    if (unit) diagonal.assign(diagonal.size(), W(1));
    for (const auto& stored : all) {
      if (stored.row < 0 || stored.row >= a.rows || stored.column < 0 || stored.column >= a.columns) continue;
      const auto e = turned(stored, op);
      const auto row = static_cast<std::size_t>(e.row);
      if (stored.row == stored.column) {
        if (!unit) diagonal[row] += e.value;
      } else if (upper == (stored.column > stored.row)) {
        beside[row].emplace_back(e.column, e.value);
      }
    }
  }
  /// In place; elements `apart` from each other.
  void solve(W* x, i64 apart) const {
    const auto n = static_cast<i64>(diagonal.size());
    for (i64 step = 0; step < n; ++step) {
      const i64 i = descending ? n - 1 - step : step;
      W rest = x[i * apart];
      for (const auto& [j, value] : beside[static_cast<std::size_t>(i)]) rest -= value * x[j * apart];
      x[i * apart] = rest / diagonal[static_cast<std::size_t>(i)];
    }
  }
};

/// `columns` right sides in `from`, of which (i, j) lies where `from_at` says; the solutions go to `to`.
template <typename At>
cusparseStatus_t solve(const Call& call, cusparseOperation_t op, const void* alpha, const cusparseSpMatDescr& a,
                       const Operand& from, const At& from_at, bool conjugated, const Operand& to, const At& to_at,
                       i64 columns, Type compute) {
  if (a.rows == 0 || columns == 0) return CUSPARSE_STATUS_SUCCESS;
  const Scalar by = scalar("alpha", alpha, compute, call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE);
  const Sparse sparse(a);
  auto buffers = sparse.buffers();
  buffers.push_back(from.buffer());
  buffers.push_back(to.written().buffer());
  by.add_to(buffers);
  const double operations = 2.0 * static_cast<double>(a.nonzeros) * static_cast<double>(columns);
  return call.queue(shape_of(a), operations, to.type, buffers, [=](LibraryAccess& memory) {
    for_type(memory, to.type, [&](auto kind) {
      using W = decltype(kind);
      const Rows<W> rows(elements<W>(memory, sparse), a, op);
      const auto right = load<W>(memory, from);
      const W factor = by.get<W>(memory);
      Values<W> solved(to);
      std::vector<W> x(static_cast<std::size_t>(a.rows));
      for (i64 j = 0; j < columns; ++j) {
        for (i64 i = 0; i < a.rows; ++i) {
          const W one = right[from_at(i, j)];
          x[static_cast<std::size_t>(i)] = factor * (conjugated ? conjugate(one) : one);
        }
        rows.solve(x.data(), 1);
        for (i64 i = 0; i < a.rows; ++i) solved[to_at(i, j)] = x[static_cast<std::size_t>(i)];
      }
      store(memory, solved);
    });
  });
}

/// Where element (i, j) of op(M) is among the values of M as they are loaded.
struct Place {
  bool turned;
  i64 high;  ///< rows of what is stored
  i64 operator()(i64 i, i64 j) const { return turned ? i * high + j : j * high + i; }
};
Place place_of(const cusparseDnMatDescr& d, cusparseOperation_t op) {
  const bool by_rows = d.order == CUSPARSE_ORDER_ROW, plain = op == CUSPARSE_OPERATION_NON_TRANSPOSE;
  return {by_rows == plain, by_rows ? d.columns : d.rows};
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t* made) {
  if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new cusparseSpSVDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                         cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
                                         cusparseDnVecDescr_t y, cudaDataType, cusparseSpSVAlg_t,
                                         cusparseSpSVDescr_t descriptor, size_t* size) {
  if (size != nullptr) *size = 8;
  return check("cusparseSpSV_bufferSize", handle, op, a,
               alpha != nullptr && x != nullptr && y != nullptr && descriptor);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                       cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                       cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t descriptor, void*) {
  const auto status = check("cusparseSpSV_analysis", handle, op, a,
                            alpha != nullptr && x != nullptr && y != nullptr && descriptor != nullptr);
  if (status == CUSPARSE_STATUS_SUCCESS) descriptor->analysed = true;
  return status;
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t op, const void* alpha,
                                    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                    cudaDataType compute, cusparseSpSVAlg_t, cusparseSpSVDescr_t descriptor) {
  const auto status = check("cusparseSpSV_solve", handle, op, a,
                            alpha != nullptr && x != nullptr && y != nullptr && descriptor != nullptr);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!descriptor->analysed || x->size != a->rows || y->size != a->rows) return CUSPARSE_STATUS_INVALID_VALUE;
  const Call call{handle, "cusparseSpSV_solve", __builtin_return_address(0)};
  const Place whole{false, a->rows};
  return solve(call, op, alpha, *a, vector("vecX", x->values, x->type, x->size, 1), whole, false,
               vector("vecY", y->values, y->type, y->size, 1), whole, 1, compute);
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t* made) {
  if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new cusparseSpSMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t,
                                         const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                         cusparseDnMatDescr_t c, cudaDataType, cusparseSpSMAlg_t,
                                         cusparseSpSMDescr_t descriptor, size_t* size) {
  if (size != nullptr) *size = 8;
  return check("cusparseSpSM_bufferSize", handle, op, a,
               alpha != nullptr && b != nullptr && c != nullptr && descriptor);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t,
                                       const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                       cusparseDnMatDescr_t c, cudaDataType, cusparseSpSMAlg_t,
                                       cusparseSpSMDescr_t descriptor, void*) {
  const auto status = check("cusparseSpSM_analysis", handle, op, a,
                            alpha != nullptr && b != nullptr && c != nullptr && descriptor != nullptr);
  if (status == CUSPARSE_STATUS_SUCCESS) descriptor->analysed = true;
  return status;
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t op, cusparseOperation_t opb,
                                    const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                    cusparseDnMatDescr_t c, cudaDataType compute, cusparseSpSMAlg_t,
                                    cusparseSpSMDescr_t descriptor) {
  const auto status = check("cusparseSpSM_solve", handle, op, a,
                            alpha != nullptr && b != nullptr && c != nullptr && descriptor != nullptr);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  const bool plain = opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  const auto rows = plain ? b->rows : b->columns, columns = plain ? b->columns : b->rows;
  if (!descriptor->analysed || rows != a->rows || c->rows != a->rows || c->columns != columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Call call{handle, "cusparseSpSM_solve", __builtin_return_address(0)};
  return solve(call, op, alpha, *a, dense("matB", *b), place_of(*b, opb), opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
               dense("matC", *c), place_of(*c, CUSPARSE_OPERATION_NON_TRANSPOSE), columns, compute);
}

}  // extern "C"
