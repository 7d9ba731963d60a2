#pragma once
// What cuSPARSE's handles and descriptors stand for; their names are NVIDIA's.

#include <cusparse.h>

#include <cstdint>
#include <string>
#include <utility>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/operands.h"

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointers = CUSPARSE_POINTER_MODE_HOST;
};

struct cusparseMatDescr {
  cusparseMatrixType_t type = CUSPARSE_MATRIX_TYPE_GENERAL;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
};

struct cusparseDnVecDescr {
  std::int64_t size;
  void* values;
  cudaDataType type;
};

struct cusparseSpVecDescr {
  std::int64_t size, nonzeros;
  void *indices, *values;
  cusparseIndexType_t index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
};

struct cusparseDnMatDescr {
  std::int64_t rows, columns, ld;
  void* values;
  cudaDataType type;
  cusparseOrder_t order;
  int batch;
  std::int64_t stride;
};

struct cusparseSpMatDescr {
  cusparseFormat_t format;
  std::int64_t rows, columns, nonzeros;
  void *offsets, *indices, *values;  ///< of COO: rows, columns
  cusparseIndexType_t offset_type, index_type;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;  ///< of solves
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
  // Of blocks: their sizes, how many there are, and how each is stored; of sliced ELL: rows of a slice, and values with
  // those that pad; of blocked ELL: columns that each row keeps.
  std::int64_t block_rows = 1, block_columns = 1, blocks = 0, padded = 0;
  cusparseOrder_t order = CUSPARSE_ORDER_ROW;
  // Of many: how many, and elements from one to the next.
  int batch = 1;
  std::int64_t offsets_stride = 0, indices_stride = 0, values_stride = 0;
};

namespace gpulab::cusparse {

/// The i-th of many.
[[nodiscard]] cusparseSpMatDescr item(cusparseSpMatDescr d, std::int64_t i);
[[nodiscard]] cusparseDnMatDescr item(cusparseDnMatDescr d, std::int64_t i);

using namespace gpulab::libraries;

/// A sparse matrix's operands.
struct Sparse {
  explicit Sparse(const cusparseSpMatDescr& d);
  [[nodiscard]] std::vector<LibraryBuffer> buffers() const {
    return {offsets.buffer(), indices.buffer(), values.buffer()};
  }
  Operand offsets, indices, values;
  cusparseSpMatDescr d;
};

/// Its elements in the order in which they are stored, indices from 0.
template <typename W>
struct Element {
  std::int64_t row, column;
  W value;
};
template <typename W>
[[nodiscard]] std::vector<Element<W>> elements(LibraryAccess& memory, const Sparse& sparse);

/// (row, column) and value of op(A).
template <typename W>
Element<W> turned(Element<W> e, cusparseOperation_t op) {
  if (op != CUSPARSE_OPERATION_NON_TRANSPOSE) std::swap(e.row, e.column);
  if (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE) e.value = conjugate(e.value);
  return e;
}

/// A dense matrix as an operand: by rows it is stored as its transposed.
[[nodiscard]] Operand dense(const char* name, const cusparseDnMatDescr& d);
[[nodiscard]] std::string shape_of(const cusparseSpMatDescr& a);

/// What cuSPARSE says on standard error of a call that it does not take. Returns the status.
cusparseStatus_t complain(const char* function, const std::string& what, cusparseStatus_t status);
/// Real matrices have no conjugated transposed ones, for cuSPARSE.
[[nodiscard]] inline bool is_misplaced(cusparseOperation_t op, Type type) {
  return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !is_complex(type);
}
[[nodiscard]] const char* name_of(Type type);  ///< "CUDA_R_32F"

/// 32- or 64-bit numbers of memory.
[[nodiscard]] std::vector<std::int64_t> load_integers(LibraryAccess& memory, const Operand& from);
void store_integers(LibraryAccess& memory, const Operand& to, const std::vector<std::int64_t>& values);
[[nodiscard]] Operand integers(const char* name, const void* pointer, cusparseIndexType_t type, std::int64_t count);

struct Call {
  cusparseHandle_t handle;
  const char* name;
  void* caller;
  /// `waits`: the host has its result when this returns.
  cusparseStatus_t queue(const std::string& shape, double operations, Type type,
                         const std::vector<LibraryBuffer>& buffers, const cuda_api::LibraryWork& work,
                         bool waits = false) const;
};

}  // namespace gpulab::cusparse
