// Sparse vectors: their descriptors, and what is done with them and dense ones.

#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/libraries/cusparse/descriptors.h"

namespace gpulab::cusparse {
namespace {

/// A sparse vector's operands.
struct SparseVector {
  explicit SparseVector(const cusparseSpVecDescr& of) : d(of) {
    indices = integers("vecX indices", d.indices, d.index_type, d.nonzeros);
    values = vector("vecX values", d.values, d.type, d.nonzeros, 1);
  }
  /// Where its elements stand in a dense one of `size`; what points outside of it is left out.
  [[nodiscard]] std::vector<i64> places(LibraryAccess& memory, i64 size) const {
    auto all = load_integers(memory, indices);
    for (i64& one : all) {
      one -= d.base == CUSPARSE_INDEX_BASE_ONE ? 1 : 0;
      if (one < 0 || one >= size) one = -1;
    }
    return all;
  }
  [[nodiscard]] std::string shape() const { return fmt::format("{} of {} elements", d.nonzeros, d.size); }
  Operand indices, values;
  cusparseSpVecDescr d;
};

Operand dense_vector(const cusparseDnVecDescr& d) { return vector("vecY", d.values, d.type, d.size, 1); }

cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (x == nullptr || y == nullptr || x->size != y->size || x->type != y->type) return CUSPARSE_STATUS_INVALID_VALUE;
  return CUSPARSE_STATUS_SUCCESS;
}

Scalar number(cusparseHandle_t handle, const char* name, const void* pointer, Type type) {
  return scalar(name, pointer, type, handle->pointers == CUSPARSE_POINTER_MODE_DEVICE);
}

cusparseStatus_t make(cusparseSpVecDescr** made, const cusparseSpVecDescr& of) {
  if (made == nullptr || of.size < 0 || of.nonzeros < 0 || of.nonzeros > of.size) return CUSPARSE_STATUS_INVALID_VALUE;
  *made = new cusparseSpVecDescr(of);
  return CUSPARSE_STATUS_SUCCESS;
}

/// The dot product, into the host's or the device's memory.
cusparseStatus_t dot(const Call& call, cusparseOperation_t op, const SparseVector& x, const Operand& y, void* result,
                     Type compute) {
  const bool on_device = call.handle->pointers == CUSPARSE_POINTER_MODE_DEVICE;
  Operand to = vector("result", result, compute, 1, 1).written();
  std::vector<LibraryBuffer> buffers{x.indices.buffer(), x.values.buffer(), y.buffer()};
  if (on_device) buffers.push_back(to.buffer());
  const auto work = [=](LibraryAccess& memory) {
    for_type(memory, compute, [&](auto kind) {
      using W = decltype(kind);
      const auto values = load<W>(memory, x.values), others = load<W>(memory, y);
      const auto places = x.places(memory, y.rows);
      W sum(0);
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] >= 0)
          sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(values.all[i]) : values.all[i]) *
                 others[places[i]];
      Values<W> made(to);
      made.all[0] = sum;
      on_device ? store(memory, made) : encode(compute, made.all.data(), result, 1);
    });
  };
  return call.queue(x.shape(), 2.0 * static_cast<double>(x.d.nonzeros), compute, buffers, work, !on_device);
}

}  // namespace
}  // namespace gpulab::cusparse

using namespace gpulab::cusparse;

extern "C" {

cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t* made, int64_t size, int64_t nonzeros, void* indices,
                                     void* values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type) {
  return make(made, {size, nonzeros, indices, values, index_type, base, type});
}
cusparseStatus_t cusparseCreateConstSpVec(cusparseConstSpVecDescr_t* made, int64_t size, int64_t nonzeros,
                                          const void* indices, const void* values, cusparseIndexType_t index_type,
                                          cusparseIndexBase_t base, cudaDataType type) {
  return make(const_cast<cusparseSpVecDescr**>(made),
              {size, nonzeros, const_cast<void*>(indices), const_cast<void*>(values), index_type, base, type});
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t d) {
  delete d;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGet(cusparseSpVecDescr_t d, int64_t* size, int64_t* nonzeros, void** indices,
                                  void** values, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                                  cudaDataType* type) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = d->size, *nonzeros = d->nonzeros, *indices = d->indices, *values = d->values;
  *index_type = d->index_type, *base = d->base, *type = d->type;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t d, cusparseIndexBase_t* base) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *base = d->base;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t d, void** values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *values = d->values;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t d, void* values) {
  if (d == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  d->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}

/// y = alpha x + beta y
cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t vec_x,
                               const void* beta, cusparseDnVecDescr_t vec_y) {
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (alpha == nullptr || beta == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const SparseVector x(*vec_x);
  const Operand y = dense_vector(*vec_y).changed();
  const Scalar by = number(handle, "alpha", alpha, y.type), of = number(handle, "beta", beta, y.type);
  std::vector<LibraryBuffer> buffers{x.indices.buffer(), x.values.buffer(), y.buffer()};
  by.add_to(buffers), of.add_to(buffers);
  const Call call{handle, "cusparseAxpby", __builtin_return_address(0)};
  return call.queue(x.shape(), static_cast<double>(2 * x.d.nonzeros + x.d.size), y.type, buffers,
                    [=](LibraryAccess& memory) {
                      for_type(memory, y.type, [&](auto kind) {
                        using W = decltype(kind);
                        const auto values = load<W>(memory, x.values);
                        auto result = load<W>(memory, y);
                        const W a = by.get<W>(memory), b = of.get<W>(memory);
                        for (W& one : result.all) one = b == W(0) ? W(0) : b * one;
                        const auto places = x.places(memory, y.rows);
                        for (std::size_t i = 0; i < places.size(); ++i)
                          if (places[i] >= 0) result[places[i]] += a * values.all[i];
                        store(memory, result);
                      });
                    });
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t vec_y, cusparseSpVecDescr_t vec_x) {
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const SparseVector x(*vec_x);
  const Operand y = dense_vector(*vec_y), to = x.values.written();
  const Call call{handle, "cusparseGather", __builtin_return_address(0)};
  return call.queue(x.shape(), 0, y.type, {x.indices.buffer(), y.buffer(), to.buffer()}, [=](LibraryAccess& memory) {
    for_type(y.type, [&](auto kind) {
      using W = decltype(kind);
      const auto from = load<W>(memory, y);
      Values<W> made(to);
      const auto places = x.places(memory, y.rows);
      for (std::size_t i = 0; i < places.size(); ++i)
        if (places[i] >= 0) made.all[i] = from[places[i]];
      store(memory, made);
    });
  });
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t vec_x, cusparseDnVecDescr_t vec_y) {
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  const SparseVector x(*vec_x);
  const Operand y = dense_vector(*vec_y).changed();
  const Call call{handle, "cusparseScatter", __builtin_return_address(0)};
  return call.queue(x.shape(), 0, y.type, {x.indices.buffer(), x.values.buffer(), y.buffer()},
                    [=](LibraryAccess& memory) {
                      for_type(y.type, [&](auto kind) {
                        using W = decltype(kind);
                        const auto values = load<W>(memory, x.values);
                        auto made = load<W>(memory, y);
                        const auto places = x.places(memory, y.rows);
                        for (std::size_t i = 0; i < places.size(); ++i)
                          if (places[i] >= 0) made[places[i]] = values.all[i];
                        store(memory, made);
                      });
                    });
}
/// x = c x + s y, y = c y - s x, where x has elements.
cusparseStatus_t cusparseRot(cusparseHandle_t handle, const void* c_coeff, const void* s_coeff,
                             cusparseSpVecDescr_t vec_x, cusparseDnVecDescr_t vec_y) {
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (c_coeff == nullptr || s_coeff == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  const SparseVector x(*vec_x);
  const Operand y = dense_vector(*vec_y).changed(), changed = x.values.changed();
  const Scalar cosine = number(handle, "c_coeff", c_coeff, y.type), sine = number(handle, "s_coeff", s_coeff, y.type);
  std::vector<LibraryBuffer> buffers{x.indices.buffer(), changed.buffer(), y.buffer()};
  cosine.add_to(buffers), sine.add_to(buffers);
  const Call call{handle, "cusparseRot", __builtin_return_address(0)};
  return call.queue(x.shape(), 6.0 * static_cast<double>(x.d.nonzeros), y.type, buffers, [=](LibraryAccess& memory) {
    for_type(memory, y.type, [&](auto kind) {
      using W = decltype(kind);
      auto sparse = load<W>(memory, changed), full = load<W>(memory, y);
      const W c = cosine.get<W>(memory), s = sine.get<W>(memory);
      const auto places = x.places(memory, y.rows);
      for (std::size_t i = 0; i < places.size(); ++i) {
        if (places[i] < 0) continue;
        const W one = sparse.all[i], other = full[places[i]];
        sparse.all[i] = c * one + s * other;
        full[places[i]] = c * other - s * one;
      }
      store(memory, sparse);
      store(memory, full);
    });
  });
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op,
                                         cusparseConstSpVecDescr_t vec_x, cusparseConstDnVecDescr_t vec_y, const void*,
                                         cudaDataType, size_t* size) {
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *size = 8;
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  return is_misplaced(op, vec_x->type) ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t op, cusparseConstSpVecDescr_t vec_x,
                              cusparseConstDnVecDescr_t vec_y, void* result, cudaDataType compute, void*) {
  if (const auto wrong = check(handle, vec_x, vec_y); wrong != CUSPARSE_STATUS_SUCCESS) return wrong;
  if (result == nullptr || is_misplaced(op, vec_x->type)) return CUSPARSE_STATUS_INVALID_VALUE;
  return dot({handle, "cusparseSpVV", __builtin_return_address(0)}, op, SparseVector(*vec_x), dense_vector(*vec_y),
             result, compute);
}

}  // extern "C"
