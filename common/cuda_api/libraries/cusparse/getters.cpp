// What programs ask descriptors, and descriptors of blocks, of padded rows and of many matrices.

#include <cstring>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace {

using gpulab::cusparse::i64;

template <typename To, typename From>
void tell(To* to, From value) {
  if (to != nullptr) *to = value;
}
/// Offsets, indices and values of a format with both.
template <typename P>
cusparseStatus_t get(const cusparseSpMatDescr* d, cusparseFormat_t format, int64_t* rows, int64_t* columns,
                     int64_t* nonzeros, P** offsets, P** indices, P** values, cusparseIndexType_t* offset_type,
                     cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {
  if (d == nullptr || d->format != format) return CUSPARSE_STATUS_INVALID_VALUE;
  tell(rows, d->rows), tell(columns, d->columns), tell(nonzeros, d->nonzeros);
  tell(offsets, static_cast<P*>(d->offsets)), tell(indices, static_cast<P*>(d->indices));
  tell(values, static_cast<P*>(d->values));
  tell(offset_type, d->offset_type), tell(index_type, d->index_type), tell(base, d->base), tell(type, d->type);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t make(cusparseSpMatDescr_t* made, const cusparseSpMatDescr& from) {
  if (made == nullptr || from.rows < 0 || from.columns < 0 || from.nonzeros < 0 || from.block_rows < 1 ||
      from.block_columns < 1 || from.padded < 0 || from.blocks < 0)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new cusparseSpMatDescr(from);
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseSpMatDescr described(cusparseFormat_t format, int64_t rows, int64_t columns, int64_t nonzeros,
                             const void* offsets, const void* indices, const void* values,
                             cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                             cudaDataType type) {
  return {format,
          rows,
          columns,
          nonzeros,
          const_cast<void*>(offsets),
          const_cast<void*>(indices),
          const_cast<void*>(values),
          offset_type,
          index_type,
          base,
          type};
}
cusparseStatus_t repeat(cusparseSpMatDescr_t d, int batch, int64_t offsets, int64_t indices, int64_t values) {
  if (d == nullptr || batch < 1 || offsets < 0 || indices < 0 || values < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  d->batch = batch, d->offsets_stride = offsets, d->indices_stride = indices, d->values_stride = values;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cusparseMatrixType_t cusparseGetMatType(cusparseMatDescr_t d) { return d->type; }
cusparseIndexBase_t cusparseGetMatIndexBase(cusparseMatDescr_t d) { return d->base; }
cusparseFillMode_t cusparseGetMatFillMode(cusparseMatDescr_t d) { return d->fill; }
cusparseDiagType_t cusparseGetMatDiagType(cusparseMatDescr_t d) { return d->diagonal; }

#define GPULAB_FORMATS(Const, in)                                                                                      \
  cusparseStatus_t cusparseCreate##Const##Bsr(                                                                         \
      cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t blocks, int64_t block_rows,          \
      int64_t block_columns, in void* offsets, in void* indices, in void* values, cusparseIndexType_t offset_type,     \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type, cusparseOrder_t order) {            \
    auto d =                                                                                                           \
        described(CUSPARSE_FORMAT_BSR, rows * block_rows, columns * block_columns,                                     \
                  blocks * block_rows * block_columns, offsets, indices, values, offset_type, index_type, base, type); \
    d.block_rows = block_rows, d.block_columns = block_columns, d.blocks = blocks, d.order = order;                    \
    return make(const_cast<cusparseSpMatDescr_t*>(made), d);                                                           \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##Const##BlockedEll(cusparse##Const##SpMatDescr_t* made, int64_t rows,                \
                                                     int64_t columns, int64_t block, int64_t width, in void* indices,  \
                                                     in void* values, cusparseIndexType_t index_type,                  \
                                                     cusparseIndexBase_t base, cudaDataType type) {                    \
    if (block < 1 || rows % block != 0 || columns % block != 0 || width % block != 0 || width > columns)               \
      return CUSPARSE_STATUS_INVALID_VALUE;                                                                            \
    auto d = described(CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, rows * width, nullptr, indices, values, index_type, \
                       index_type, base, type);                                                                        \
    d.block_rows = d.block_columns = block, d.padded = width, d.blocks = rows / block * (width / block);               \
    return make(const_cast<cusparseSpMatDescr_t*>(made), d);                                                           \
  }                                                                                                                    \
  cusparseStatus_t cusparseCreate##Const##SlicedEll(                                                                   \
      cusparse##Const##SpMatDescr_t* made, int64_t rows, int64_t columns, int64_t nonzeros, int64_t padded,            \
      int64_t slice, in void* offsets, in void* indices, in void* values, cusparseIndexType_t offset_type,             \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {                                   \
    auto d = described(CUSPARSE_FORMAT_SLICED_ELLPACK, rows, columns, nonzeros, offsets, indices, values, offset_type, \
                       index_type, base, type);                                                                        \
    d.block_rows = slice, d.padded = padded;                                                                           \
    return make(const_cast<cusparseSpMatDescr_t*>(made), d);                                                           \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##CsrGet(cusparse##Const##SpMatDescr_t d, int64_t* rows, int64_t* columns,           \
                                           int64_t* nonzeros, in void** offsets, in void** indices, in void** values,  \
                                           cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,          \
                                           cusparseIndexBase_t* base, cudaDataType* type) {                            \
    return get(d, CUSPARSE_FORMAT_CSR, rows, columns, nonzeros, offsets, indices, values, offset_type, index_type,     \
               base, type);                                                                                            \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##CscGet(cusparse##Const##SpMatDescr_t d, int64_t* rows, int64_t* columns,           \
                                           int64_t* nonzeros, in void** offsets, in void** indices, in void** values,  \
                                           cusparseIndexType_t* offset_type, cusparseIndexType_t* index_type,          \
                                           cusparseIndexBase_t* base, cudaDataType* type) {                            \
    return get(d, CUSPARSE_FORMAT_CSC, rows, columns, nonzeros, offsets, indices, values, offset_type, index_type,     \
               base, type);                                                                                            \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##CooGet(cusparse##Const##SpMatDescr_t d, int64_t* rows, int64_t* columns,           \
                                           int64_t* nonzeros, in void** row_indices, in void** indices,                \
                                           in void** values, cusparseIndexType_t* index_type,                          \
                                           cusparseIndexBase_t* base, cudaDataType* type) {                            \
    return get(d, CUSPARSE_FORMAT_COO, rows, columns, nonzeros, row_indices, indices, values,                          \
               static_cast<cusparseIndexType_t*>(nullptr), index_type, base, type);                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##BlockedEllGet(cusparse##Const##SpMatDescr_t d, int64_t* rows, int64_t* columns,    \
                                                  int64_t* block, int64_t* width, in void** indices, in void** values, \
                                                  cusparseIndexType_t* index_type, cusparseIndexBase_t* base,          \
                                                  cudaDataType* type) {                                                \
    const auto status = get(d, CUSPARSE_FORMAT_BLOCKED_ELL, rows, columns, static_cast<int64_t*>(nullptr),             \
                            static_cast<in void**>(nullptr), indices, values,                                          \
                            static_cast<cusparseIndexType_t*>(nullptr), index_type, base, type);                       \
    if (status == CUSPARSE_STATUS_SUCCESS) tell(block, d->block_rows), tell(width, d->padded);                         \
    return status;                                                                                                     \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##SpMatGetValues(cusparse##Const##SpMatDescr_t d, in void** values) {                \
    if (d == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                       \
    *values = d->values;                                                                                               \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnVecGet(cusparse##Const##DnVecDescr_t d, int64_t* size, in void** values,         \
                                             cudaDataType* type) {                                                     \
    if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                                            \
    tell(size, d->size), tell(values, static_cast<in void*>(d->values)), tell(type, d->type);                          \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnVecGetValues(cusparse##Const##DnVecDescr_t d, in void** values) {                \
    if (d == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                       \
    *values = d->values;                                                                                               \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnMatGet(cusparse##Const##DnMatDescr_t d, int64_t* rows, int64_t* columns,         \
                                             int64_t* ld, in void** values, cudaDataType* type,                        \
                                             cusparseOrder_t* order) {                                                 \
    if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                                            \
    tell(rows, d->rows), tell(columns, d->columns), tell(ld, d->ld), tell(type, d->type), tell(order, d->order);       \
    tell(values, static_cast<in void*>(d->values));                                                                    \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }                                                                                                                    \
  cusparseStatus_t cusparse##Const##DnMatGetValues(cusparse##Const##DnMatDescr_t d, in void** values) {                \
    if (d == nullptr || values == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;                                       \
    *values = d->values;                                                                                               \
    return CUSPARSE_STATUS_SUCCESS;                                                                                    \
  }
GPULAB_FORMATS(, )
GPULAB_FORMATS(Const, const)
#undef GPULAB_FORMATS

cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t d, void* values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  d->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t d, cusparseFormat_t* format) {
  if (d == nullptr || format == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *format = d->format;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t d, cusparseIndexBase_t* base) {
  if (d == nullptr || base == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = d->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t d, int batch, int64_t offsets, int64_t indices,
                                            int64_t values) {
  return repeat(d, batch, offsets, indices, values);
}
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t d, int batch, int64_t offsets, int64_t elements) {
  return repeat(d, batch, offsets, elements, elements);
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t d, int batch, int64_t elements) {
  return repeat(d, batch, elements, elements, elements);
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t d, int* batch) {
  if (d == nullptr || batch == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *batch = d->batch;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t d, int batch, int64_t stride) {
  if (d == nullptr || batch < 1 || stride < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  d->batch = batch, d->stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t d, int* batch, int64_t* stride) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  tell(batch, d->batch), tell(stride, d->stride);
  return CUSPARSE_STATUS_SUCCESS;
}

}  // extern "C"
