#include "common/cuda_api/libraries/cusparse/descriptors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace gpulab::cusparse {

Operand integers(const char* name, const void* pointer, cusparseIndexType_t type, std::int64_t count) {
  // Numbers of 64 bits are read as they are; the type only says how long they are.
  return vector(name, pointer, type == CUSPARSE_INDEX_64I ? CUDA_R_64F : CUDA_R_32I, count, 1);
}

std::vector<std::int64_t> load_integers(LibraryAccess& memory, const Operand& from) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(std::max<i64>(0, from.rows * from.columns)));
  if (values.empty()) return values;
  if (from.type == CUDA_R_64F) {
    memory.read(values.data(), from.address, values.size() * sizeof(std::int64_t));
    return values;
  }
  std::vector<std::int32_t> narrow(values.size());
  memory.read(narrow.data(), from.address, narrow.size() * sizeof(std::int32_t));
  std::ranges::copy(narrow, values.begin());
  return values;
}

void store_integers(LibraryAccess& memory, const Operand& to, const std::vector<std::int64_t>& values) {
  if (to.type == CUDA_R_64F) return memory.write(to.address, values.data(), values.size() * sizeof(std::int64_t));
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  memory.write(to.address, narrow.data(), narrow.size() * sizeof(std::int32_t));
}

Sparse::Sparse(const cusparseSpMatDescr& of) : d(of) {
  const char* lines = "row offsets";
  const char* places = "column indices";
  std::int64_t line_count = d.rows + 1, count = d.nonzeros, value_count = d.nonzeros;
  switch (d.format) {
    case CUSPARSE_FORMAT_CSC:
      lines = "column offsets", places = "row indices", line_count = d.columns + 1;
      break;
    case CUSPARSE_FORMAT_COO:
      lines = "row indices", line_count = d.nonzeros;
      break;
    case CUSPARSE_FORMAT_BSR:
      line_count = d.rows / d.block_rows + 1, count = d.blocks;
      break;
    case CUSPARSE_FORMAT_BLOCKED_ELL:
      line_count = 0, count = d.blocks, value_count = d.rows * d.padded;
      break;
    case CUSPARSE_FORMAT_SLICED_ELLPACK:
      lines = "slice offsets", line_count = (d.rows + d.block_rows - 1) / d.block_rows + 1;
      count = value_count = d.padded;
      break;
    default:
      break;
  }
  offsets = integers(lines, d.offsets, d.offset_type, line_count);
  indices = integers(places, d.indices, d.index_type, count);
  values = vector("values", d.values, d.type, value_count, 1);
}

namespace {

/// Blocks one after the other, each by its rows or by its columns.
template <typename W>
void add_blocks(const cusparseSpMatDescr& d, const std::vector<std::int64_t>& offsets,
                const std::vector<std::int64_t>& indices, const std::vector<W>& values, std::int64_t base,
                std::vector<Element<W>>& all) {
  std::size_t line = 0;
  for (std::int64_t block = 0; block < d.blocks; ++block) {
    while (line + 2 < offsets.size() && block >= offsets[line + 1] - base) ++line;
    const auto row = static_cast<std::int64_t>(line) * d.block_rows,
               column = (indices[static_cast<std::size_t>(block)] - base) * d.block_columns;
    for (std::int64_t k = 0; k < d.block_rows * d.block_columns; ++k) {
      const bool by_rows = d.order == CUSPARSE_ORDER_ROW;
      const std::int64_t i = by_rows ? k / d.block_columns : k % d.block_rows,
                         j = by_rows ? k % d.block_columns : k / d.block_rows;
      all.push_back(
          {row + i, column + j, values[static_cast<std::size_t>(block * d.block_rows * d.block_columns + k)]});
    }
  }
}
/// Rows of `padded` values; blocks of columns that are named -1 pad.
template <typename W>
void add_blocked_ell(const cusparseSpMatDescr& d, const std::vector<std::int64_t>& indices,
                     const std::vector<W>& values, std::int64_t base, std::vector<Element<W>>& all) {
  const std::int64_t wide = d.padded / d.block_rows;
  for (std::int64_t i = 0; i < d.rows; ++i)
    for (std::int64_t k = 0; k < d.padded; ++k) {
      const auto block = static_cast<std::size_t>(i / d.block_rows * wide + k / d.block_rows);
      if (block >= indices.size() || indices[block] < base) continue;
      all.push_back({i, (indices[block] - base) * d.block_rows + k % d.block_rows,
                     values[static_cast<std::size_t>(i * d.padded + k)]});
    }
}
/// Slices of rows, each by columns; a column that is named -1 pads.
template <typename W>
void add_slices(const cusparseSpMatDescr& d, const std::vector<std::int64_t>& offsets,
                const std::vector<std::int64_t>& indices, const std::vector<W>& values, std::int64_t base,
                std::vector<Element<W>>& all) {
  for (std::size_t slice = 0; slice + 1 < offsets.size(); ++slice) {
    const auto first = std::max<std::int64_t>(0, offsets[slice] - base),
               end = std::min(d.padded, offsets[slice + 1] - base);
    for (std::int64_t at = first; at < end; ++at) {
      const std::int64_t row = static_cast<std::int64_t>(slice) * d.block_rows + (at - first) % d.block_rows;
      const std::int64_t column = indices[static_cast<std::size_t>(at)] - base;
      if (column >= 0 && row < d.rows) all.push_back({row, column, values[static_cast<std::size_t>(at)]});
    }
  }
}

}  // namespace

template <typename W>
std::vector<Element<W>> elements(LibraryAccess& memory, const Sparse& sparse) {
  const auto& d = sparse.d;
  const auto offsets = load_integers(memory, sparse.offsets), indices = load_integers(memory, sparse.indices);
  const auto values = load<W>(memory, sparse.values);
  const std::int64_t base = d.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
  std::vector<Element<W>> all;
  all.reserve(indices.size());
  if (d.format == CUSPARSE_FORMAT_COO) {
    for (std::size_t i = 0; i < indices.size(); ++i)
      all.push_back({offsets[i] - base, indices[i] - base, values.all[i]});
    return all;
  }
  if (d.format == CUSPARSE_FORMAT_BSR) add_blocks(d, offsets, indices, values.all, base, all);
  if (d.format == CUSPARSE_FORMAT_BLOCKED_ELL) add_blocked_ell(d, indices, values.all, base, all);
  if (d.format == CUSPARSE_FORMAT_SLICED_ELLPACK) add_slices(d, offsets, indices, values.all, base, all);
  if (d.format != CUSPARSE_FORMAT_CSR && d.format != CUSPARSE_FORMAT_CSC) return all;
  for (std::size_t line = 0; line + 1 < offsets.size(); ++line) {
    const auto first = std::max<std::int64_t>(0, offsets[line] - base),
               end = std::min(d.nonzeros, offsets[line + 1] - base);
    for (std::int64_t i = first; i < end; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const auto here = static_cast<std::int64_t>(line), there = indices[at] - base;
      d.format == CUSPARSE_FORMAT_CSR ? all.push_back({here, there, values.all[at]})
                                      : all.push_back({there, here, values.all[at]});
    }
  }
  return all;
}
template std::vector<Element<double>> elements(LibraryAccess&, const Sparse&);
template std::vector<Element<Complex>> elements(LibraryAccess&, const Sparse&);
template std::vector<Element<Precise>> elements(LibraryAccess&, const Sparse&);
template std::vector<Element<PreciseComplex>> elements(LibraryAccess&, const Sparse&);

namespace {

void* behind(void* pointer, std::int64_t elements, std::int64_t bytes) {
  return static_cast<char*>(pointer) + elements * bytes;
}
std::int64_t bytes_of_index(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 8 : 4; }

}  // namespace

cusparseSpMatDescr item(cusparseSpMatDescr d, std::int64_t i) {
  d.offsets = behind(d.offsets, i * d.offsets_stride, bytes_of_index(d.offset_type));
  d.indices = behind(d.indices, i * d.indices_stride, bytes_of_index(d.index_type));
  d.values = behind(d.values, i * d.values_stride, bytes_of(d.type));
  return d;
}
cusparseDnMatDescr item(cusparseDnMatDescr d, std::int64_t i) {
  d.values = behind(d.values, d.batch > 1 ? i * d.stride : 0, bytes_of(d.type));
  return d;
}

Operand dense(const char* name, const cusparseDnMatDescr& d) {
  const bool by_rows = d.order == CUSPARSE_ORDER_ROW;
  return matrix(name, d.values, d.type, by_rows ? d.columns : d.rows, by_rows ? d.rows : d.columns, d.ld);
}
std::string shape_of(const cusparseSpMatDescr& a) {
  return fmt::format("{} x {}, {} elements", a.rows, a.columns, a.nonzeros);
}

cusparseStatus_t complain(const char* function, const std::string& what, cusparseStatus_t status) {
  (void)std::fprintf(stderr, " ** On entry to %s(): %s\n\n", function, what.c_str());
  return status;
}
const char* name_of(Type type) {
  switch (type) {
    case CUDA_R_32F:
      return "CUDA_R_32F";
    case CUDA_R_64F:
      return "CUDA_R_64F";
    case CUDA_C_32F:
      return "CUDA_C_32F";
    case CUDA_C_64F:
      return "CUDA_C_64F";
    case CUDA_R_16F:
      return "CUDA_R_16F";
    case CUDA_R_16BF:
      return "CUDA_R_16BF";
    case CUDA_R_8I:
      return "CUDA_R_8I";
    case CUDA_R_32I:
      return "CUDA_R_32I";
    default:
      return "another type";
  }
}

cusparseStatus_t Call::queue(const std::string& shape, double operations, Type type,
                             const std::vector<LibraryBuffer>& buffers, const cuda_api::LibraryWork& work,
                             bool waits) const {
  LibraryOperation operation;
  operation.function = name;
  operation.shape = shape;
  operation.operations = operations;
  operation.unit = real_of(type) == CUDA_R_64F ? LibraryUnit::fp64 : LibraryUnit::fp32;
  operation.stream = handle->stream;
  operation.caller = caller;
  operation.waits = waits;
  const cudaError_t error = runtime().queue(operation, [=](LibraryAccess& memory) {
    memory.use(buffers);
    work(memory);
  });
  return error == cudaSuccess ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_EXECUTION_FAILED;
}

}  // namespace gpulab::cusparse

namespace {

template <typename Made, typename... Values>
cusparseStatus_t create(Made** made, Values... values) {
  if (made == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new std::remove_const_t<Made>{values...};
  return CUSPARSE_STATUS_SUCCESS;
}
bool are_sizes(std::initializer_list<std::int64_t> sizes) {
  return std::ranges::all_of(sizes, [](std::int64_t one) { return one >= 0; });
}

}  // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t* handle) {
  (void)gpulab::libraries::runtime();
  return create(handle);
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int* version) {
  if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *version = CUSPARSE_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  handle->pointers = mode;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *mode = handle->pointers;
  return CUSPARSE_STATUS_SUCCESS;
}
const char* cusparseGetErrorName(cusparseStatus_t status) {
  constexpr const char* names[] = {"CUSPARSE_STATUS_SUCCESS",
                                   "CUSPARSE_STATUS_NOT_INITIALIZED",
                                   "CUSPARSE_STATUS_ALLOC_FAILED",
                                   "CUSPARSE_STATUS_INVALID_VALUE",
                                   "CUSPARSE_STATUS_ARCH_MISMATCH",
                                   "CUSPARSE_STATUS_MAPPING_ERROR",
                                   "CUSPARSE_STATUS_EXECUTION_FAILED",
                                   "CUSPARSE_STATUS_INTERNAL_ERROR",
                                   "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                   "CUSPARSE_STATUS_ZERO_PIVOT",
                                   "CUSPARSE_STATUS_NOT_SUPPORTED",
                                   "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
  return static_cast<unsigned>(status) < std::size(names) ? names[status] : "unrecognized error code";
}
const char* cusparseGetErrorString(cusparseStatus_t status) {
  constexpr const char* texts[] = {"success",
                                   "initialization error",
                                   "out of memory",
                                   "invalid value",
                                   "architecture mismatch",
                                   "mapping error",
                                   "kernel launch failure",
                                   "internal error",
                                   "matrix type not supported",
                                   "zero pivot",
                                   "operation not supported",
                                   "insufficient resources"};
  return static_cast<unsigned>(status) < std::size(texts) ? texts[status] : "unrecognized error code";
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t* descriptor) { return create(descriptor); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t descriptor, cusparseMatrixType_t type) {
  descriptor->type = type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t descriptor, cusparseIndexBase_t base) {
  descriptor->base = base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t descriptor, cusparseFillMode_t fill) {
  descriptor->fill = fill;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t descriptor, cusparseDiagType_t diagonal) {
  descriptor->diagonal = diagonal;
  return CUSPARSE_STATUS_SUCCESS;
}

#define GPULAB_DESCRIPTORS(Const, Sp, Vec, Mat, in)                                                                  \
  cusparseStatus_t cusparseCreate##Const##DnVec(cusparse##Const##DnVecDescr_t* made, int64_t size, in void* values,  \
                                                cudaDataType type) {                                                 \
    return are_sizes({size}) ? create(made, size, const_cast<void*>(values), type) : CUSPARSE_STATUS_INVALID_VALUE;  \
  }                                                                                                                  \
  cusparseStatus_t cusparseCreate##Const##DnMat(cusparse##Const##DnMatDescr_t* made, int64_t rows, int64_t columns,  \
                                                int64_t ld, in void* values, cudaDataType type,                      \
                                                cusparseOrder_t order) {                                             \
    if (!are_sizes({rows, columns}) || ld < (order == CUSPARSE_ORDER_COL ? rows : columns))                          \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                          \
    return create(made, rows, columns, ld, const_cast<void*>(values), type, order, 1, int64_t{0});                   \
  }                                                                                                                  \
  cusparseStatus_t cusparseCreate##Const##Csr(cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns,    \
                                              int64_t nonzeros, in void* offsets, in void* indices, in void* values, \
                                              cusparseIndexType_t offset_type, cusparseIndexType_t index_type,       \
                                              cusparseIndexBase_t base, cudaDataType type) {                         \
    if (!are_sizes({rows, columns, nonzeros})) return CUSPARSE_STATUS_INVALID_VALUE;                                 \
    return create(made, CUSPARSE_FORMAT_CSR, rows, columns, nonzeros, const_cast<void*>(offsets),                    \
                  const_cast<void*>(indices), const_cast<void*>(values), offset_type, index_type, base, type);       \
  }                                                                                                                  \
  cusparseStatus_t cusparseCreate##Const##Csc(cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns,    \
                                              int64_t nonzeros, in void* offsets, in void* indices, in void* values, \
                                              cusparseIndexType_t offset_type, cusparseIndexType_t index_type,       \
                                              cusparseIndexBase_t base, cudaDataType type) {                         \
    if (!are_sizes({rows, columns, nonzeros})) return CUSPARSE_STATUS_INVALID_VALUE;                                 \
    return create(made, CUSPARSE_FORMAT_CSC, rows, columns, nonzeros, const_cast<void*>(offsets),                    \
                  const_cast<void*>(indices), const_cast<void*>(values), offset_type, index_type, base, type);       \
  }                                                                                                                  \
  cusparseStatus_t cusparseCreate##Const##Coo(cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns,    \
                                              int64_t nonzeros, in void* row_indices, in void* indices,              \
                                              in void* values, cusparseIndexType_t index_type,                       \
                                              cusparseIndexBase_t base, cudaDataType type) {                         \
    if (!are_sizes({rows, columns, nonzeros})) return CUSPARSE_STATUS_INVALID_VALUE;                                 \
    return create(made, CUSPARSE_FORMAT_COO, rows, columns, nonzeros, const_cast<void*>(row_indices),                \
                  const_cast<void*>(indices), const_cast<void*>(values), index_type, index_type, base, type);        \
  }
GPULAB_DESCRIPTORS(, , , , )
GPULAB_DESCRIPTORS(Const, , , , const)

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t descriptor) {
  delete descriptor;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t d, int64_t* rows, int64_t* columns, int64_t* nonzeros) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *rows = d->rows, *columns = d->columns, *nonzeros = d->nonzeros;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t d, void* offsets, void* indices, void* values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  d->offsets = offsets, d->indices = indices, d->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t d, void* offsets, void* indices, void* values) {
  return cusparseCsrSetPointers(d, offsets, indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t d, void* rows, void* columns, void* values) {
  return cusparseCsrSetPointers(d, rows, columns, values);
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t d, void* values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  d->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t d, void* values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  d->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t d, cusparseSpMatAttribute_t which, void* value,
                                           size_t bytes) {
  if (d == nullptr || value == nullptr || bytes != sizeof d->fill) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which != CUSPARSE_SPMAT_FILL_MODE && which != CUSPARSE_SPMAT_DIAG_TYPE) return CUSPARSE_STATUS_INVALID_VALUE;
  std::memcpy(which == CUSPARSE_SPMAT_FILL_MODE ? static_cast<void*>(&d->fill) : &d->diagonal, value, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t d, cusparseSpMatAttribute_t which, void* value,
                                           size_t bytes) {
  if (d == nullptr || value == nullptr || bytes != sizeof d->fill) return CUSPARSE_STATUS_INVALID_VALUE;
  if (which != CUSPARSE_SPMAT_FILL_MODE && which != CUSPARSE_SPMAT_DIAG_TYPE) return CUSPARSE_STATUS_INVALID_VALUE;
  std::memcpy(value, which == CUSPARSE_SPMAT_FILL_MODE ? static_cast<const void*>(&d->fill) : &d->diagonal, bytes);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
