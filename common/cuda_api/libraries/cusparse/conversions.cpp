// From one form of a matrix to another.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

std::string shape_of(i64 rows, i64 columns) { return fmt::format("{} x {}", rows, columns); }

Operand dense_matrix(const cusparseDnMatDescr& d) {
  const bool by_rows = d.order == CUSPARSE_ORDER_ROW;
  return matrix("dense matrix", d.values, d.type, by_rows ? d.columns : d.rows, by_rows ? d.rows : d.columns, d.ld);
}

/// How many elements stand before each line (row or column), and after all.
std::vector<i64> counted(const std::vector<i64>& lines, i64 count, i64 base) {
  std::vector<i64> offsets(static_cast<std::size_t>(count + 1), 0);
  for (const i64 line : lines)
    if (line >= 0 && line < count) ++offsets[static_cast<std::size_t>(line + 1)];
  offsets[0] = base;
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  return offsets;
}

/// Elements that are not 0, line by line of the sparse form.
template <typename W>
std::vector<Element<W>> found(LibraryAccess& memory, const cusparseDnMatDescr& from, cusparseFormat_t format) {
  const auto values = load<W>(memory, dense_matrix(from));
  const bool by_rows = from.order == CUSPARSE_ORDER_ROW, by_columns = format == CUSPARSE_FORMAT_CSC;
  std::vector<Element<W>> all;
  for (i64 line = 0; line < (by_columns ? from.columns : from.rows); ++line)
    for (i64 k = 0; k < (by_columns ? from.rows : from.columns); ++k) {
      const i64 i = by_columns ? k : line, j = by_columns ? line : k;
      const W one = by_rows ? values.at(j, i) : values.at(i, j);
      if (one != W(0)) all.push_back({i, j, one});
    }
  return all;
}

/// Blocks that the columns of the sparse form name already: their values.
cusparseStatus_t fill_blocks(const Call& call, const cusparseDnMatDescr& a, const cusparseSpMatDescr& b) {
  const Sparse sparse(b);
  const Operand from = dense_matrix(a), to = sparse.values.written();
  return call.queue(
      shape_of(a.rows, a.columns), 0, a.type, {from.buffer(), sparse.indices.buffer(), to.buffer()},
      [=](LibraryAccess& memory) {
        for_type(a.type, [&](auto kind) {
          using W = decltype(kind);
          const auto values = load<W>(memory, from);
          const auto blocks = load_integers(memory, sparse.indices);
          const i64 base = b.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0, wide = b.padded / b.block_rows;
          Values<W> made(to);
          for (i64 i = 0; i < b.rows; ++i)
            for (i64 k = 0; k < b.padded; ++k) {
              const i64 block = blocks[static_cast<std::size_t>(i / b.block_rows * wide + k / b.block_rows)] - base;
              const i64 j = block * b.block_rows + k % b.block_rows;
              if (block >= 0 && j < b.columns)
                made[i * b.padded + k] = a.order == CUSPARSE_ORDER_ROW ? values.at(j, i) : values.at(i, j);
            }
          store(memory, made);
        });
      });
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t,
                                                  cusparseDnMatDescr_t, cusparseSparseToDenseAlg_t, size_t* size) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *size = 8;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void*) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || a->rows != b->rows || a->columns != b->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  const Sparse sparse(*a);
  const Operand to = dense_matrix(*b).written();
  const bool by_rows = b->order == CUSPARSE_ORDER_ROW;
  auto buffers = sparse.buffers();
  buffers.push_back(to.buffer());
  const Call call{handle, "cusparseSparseToDense", __builtin_return_address(0)};
  return call.queue(shape_of(a->rows, a->columns), 0, a->type, buffers, [=](LibraryAccess& memory) {
    for_type(to.type, [&](auto kind) {
      using W = decltype(kind);
      Values<W> made(to);
      for (const auto& e : elements<W>(memory, sparse))
        if (e.row >= 0 && e.row < sparse.d.rows && e.column >= 0 && e.column < sparse.d.columns)
          (by_rows ? made.at(e.column, e.row) : made.at(e.row, e.column)) = e.value;
      store(memory, made);
    });
  });
}

cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t,
                                                  cusparseSpMatDescr_t, cusparseDenseToSparseAlg_t, size_t* size) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *size = 8;
  return CUSPARSE_STATUS_SUCCESS;
}
/// The number of elements is the descriptor's then, and the offsets are written.
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || a->rows != b->rows || a->columns != b->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (b->format == CUSPARSE_FORMAT_BLOCKED_ELL) return CUSPARSE_STATUS_SUCCESS;  // its columns are the program's
  const bool listed = b->format == CUSPARSE_FORMAT_COO;
  const Operand offsets = Sparse(*b).offsets.written(), from = dense_matrix(*a);
  std::vector<gpulab::libraries::LibraryBuffer> buffers{from.buffer()};
  if (!listed) buffers.push_back(offsets.buffer());
  const Call call{handle, "cusparseDenseToSparse_analysis", __builtin_return_address(0)};
  return call.queue(shape_of(a->rows, a->columns), 0, a->type, buffers,
                    [=, a = *a](gpulab::libraries::LibraryAccess& memory) {
                      gpulab::libraries::for_type(a.type, [&](auto kind) {
                        const auto all = found<decltype(kind)>(memory, a, b->format);
                        b->nonzeros = static_cast<std::int64_t>(all.size());
                        if (listed) return;
                        std::vector<std::int64_t> lines;
                        for (const auto& e : all) lines.push_back(b->format == CUSPARSE_FORMAT_CSC ? e.column : e.row);
                        store_integers(memory, offsets,
                                       counted(lines, b->format == CUSPARSE_FORMAT_CSC ? b->columns : b->rows,
                                               b->base == CUSPARSE_INDEX_BASE_ONE));
                      });
                    });
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void*) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (a == nullptr || b == nullptr || a->rows != b->rows || a->columns != b->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (b->format == CUSPARSE_FORMAT_BLOCKED_ELL)
    return fill_blocks({handle, "cusparseDenseToSparse_convert", __builtin_return_address(0)}, *a, *b);
  const Sparse sparse(*b);
  const bool listed = b->format == CUSPARSE_FORMAT_COO;
  const Operand from = dense_matrix(*a);
  std::vector<gpulab::libraries::LibraryBuffer> buffers{from.buffer(), sparse.indices.written().buffer(),
                                                        sparse.values.written().buffer()};
  if (listed) buffers.push_back(sparse.offsets.written().buffer());
  const Call call{handle, "cusparseDenseToSparse_convert", __builtin_return_address(0)};
  return call.queue(shape_of(a->rows, a->columns), 0, a->type, buffers,
                    [=, a = *a](gpulab::libraries::LibraryAccess& memory) {
                      gpulab::libraries::for_type(a.type, [&](auto kind) {
                        using W = decltype(kind);
                        const std::int64_t base = sparse.d.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
                        std::vector<std::int64_t> rows, columns;
                        gpulab::libraries::Values<W> values(sparse.values);
                        std::size_t at = 0;
                        for (const auto& e : found<W>(memory, a, sparse.d.format)) {
                          if (at == values.all.size()) break;
                          rows.push_back(e.row + base);
                          columns.push_back(e.column + base);
                          values.all[at++] = e.value;
                        }
                        store_integers(memory, sparse.indices, sparse.d.format == CUSPARSE_FORMAT_CSC ? rows : columns);
                        if (listed) store_integers(memory, sparse.offsets, rows);
                        store(memory, values);
                      });
                    });
}

cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t handle, int, int, int, const void*, const int*,
                                               const int*, void*, int*, int*, cudaDataType, cusparseAction_t,
                                               cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t* size) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  *size = 8;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t handle, int m, int n, int nonzeros, const void* values,
                                    const int* offsets, const int* columns, void* to_values, int* to_offsets,
                                    int* to_rows, cudaDataType type, cusparseAction_t action, cusparseIndexBase_t base,
                                    cusparseCsr2CscAlg_t, void*) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0 || nonzeros < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool with_values = action == CUSPARSE_ACTION_NUMERIC;
  const auto narrow = CUSPARSE_INDEX_32I;
  const Sparse from({CUSPARSE_FORMAT_CSR, m, n, nonzeros, const_cast<int*>(offsets), const_cast<int*>(columns),
                     const_cast<void*>(values), narrow, narrow, base, type});
  const Sparse to({CUSPARSE_FORMAT_CSC, m, n, nonzeros, to_offsets, to_rows, to_values, narrow, narrow, base, type});
  std::vector<gpulab::libraries::LibraryBuffer> buffers{from.offsets.buffer(), from.indices.buffer(),
                                                        to.offsets.written().buffer(), to.indices.written().buffer()};
  if (with_values) buffers.push_back(from.values.buffer());
  if (with_values) buffers.push_back(to.values.written().buffer());
  const Call call{handle, "cusparseCsr2cscEx2", __builtin_return_address(0)};
  return call.queue(shape_of(m, n), 0, type, buffers, [=](gpulab::libraries::LibraryAccess& memory) {
    gpulab::libraries::for_type(type, [&](auto kind) {
      using W = decltype(kind);
      auto all = with_values ? elements<W>(memory, from) : std::vector<Element<W>>();
      if (!with_values) {
        const auto starts = load_integers(memory, from.offsets), places = load_integers(memory, from.indices);
        for (std::size_t row = 0; row + 1 < starts.size(); ++row)
          for (auto i = starts[row] - base; i < starts[row + 1] - base && i < nonzeros; ++i)
            all.push_back({static_cast<std::int64_t>(row),
                           places[static_cast<std::size_t>(std::max<std::int64_t>(0, i))] - base, W(0)});
      }
      std::ranges::stable_sort(all, {}, &Element<W>::column);
      std::vector<std::int64_t> lines, rows;
      gpulab::libraries::Values<W> made(to.values);
      for (std::size_t i = 0; i < all.size(); ++i) {
        lines.push_back(all[i].column);
        rows.push_back(all[i].row + base);
        made.all[i] = all[i].value;
      }
      store_integers(memory, to.offsets, counted(lines, n, base));
      store_integers(memory, to.indices, rows);
      if (with_values) store(memory, made);
    });
  });
}

cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int* rows, int nonzeros, int m, int* offsets,
                                  cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nonzeros < 0 || m < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (m == 0) return CUSPARSE_STATUS_SUCCESS;  // nothing is written then
  const Operand from = integers("cooRowInd", rows, CUSPARSE_INDEX_32I, nonzeros);
  const Operand to = integers("csrRowPtr", offsets, CUSPARSE_INDEX_32I, std::int64_t{m} + 1).written();
  const Call call{handle, "cusparseXcoo2csr", __builtin_return_address(0)};
  return call.queue(fmt::format("{} rows", m), 0, CUDA_R_32F, {from.buffer(), to.buffer()},
                    [=](gpulab::libraries::LibraryAccess& memory) {
                      auto lines = load_integers(memory, from);
                      for (auto& line : lines) line -= base;
                      store_integers(memory, to, counted(lines, m, base));
                    });
}

cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int* offsets, int nonzeros, int m, int* rows,
                                  cusparseIndexBase_t base) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (nonzeros < 0 || m < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  const Operand from = integers("csrRowPtr", offsets, CUSPARSE_INDEX_32I, std::int64_t{m} + 1);
  const Operand to = integers("cooRowInd", rows, CUSPARSE_INDEX_32I, nonzeros).written();
  const Call call{handle, "cusparseXcsr2coo", __builtin_return_address(0)};
  return call.queue(fmt::format("{} rows", m), 0, CUDA_R_32F, {from.buffer(), to.buffer()},
                    [=](gpulab::libraries::LibraryAccess& memory) {
                      const auto starts = load_integers(memory, from);
                      std::vector<std::int64_t> made(static_cast<std::size_t>(nonzeros), 0);
                      for (std::size_t row = 0; row + 1 < starts.size(); ++row)
                        for (auto i = std::max<std::int64_t>(0, starts[row] - base);
                             i < std::min<std::int64_t>(nonzeros, starts[row + 1] - base); ++i)
                          made[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(row) + base;
                      store_integers(memory, to, made);
                    });
}

}  // extern "C"
