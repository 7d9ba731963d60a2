// Several copies by one call (CUDA Runtime API: cudaMemcpyBatchAsync, cudaMemcpy3DBatchAsync), as so many calls: in
// their order, which a GPU need not keep.

#include <cuda_runtime_api.h>

#include "common/cuda_api/runtime/session.h"

#if CUDART_VERSION >= 13000

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// One side of a copy: rows and layers are given in elements, which are bytes where no array takes part.
bool take_side(const cudaMemcpy3DOperand& side, const cudaExtent& box, std::size_t element, cudaArray_t& array,
               cudaPitchedPtr& pointer, cudaPos& at) {
  if (side.type == cudaMemcpyOperandTypeArray) {
    array = side.op.array.array;
    at = {side.op.array.offset.x, side.op.array.offset.y, side.op.array.offset.z};
    return array != nullptr;
  }
  if (side.type != cudaMemcpyOperandTypePointer) return false;
  const std::size_t row = side.op.ptr.rowLength == 0 ? box.width : side.op.ptr.rowLength;
  const std::size_t height = side.op.ptr.layerHeight == 0 ? box.height : side.op.ptr.layerHeight;
  pointer = {side.op.ptr.ptr, row * element, row * element, height};
  return true;
}

std::size_t element_of(Session& s, const cudaMemcpy3DOperand& side) {
  if (side.type != cudaMemcpyOperandTypeArray) return 1;
  const ArrayEntry* array = s.textures.array(side.op.array.array);
  return array == nullptr ? 1 : array->format.bytes();
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attributes, size_t* first, size_t groups, cudaStream_t stream) {
  return call("cudaMemcpyBatchAsync", Waits::no, [&](Session&) {
    // The default stream cannot take a batch (CUDA Runtime API).
    if (stream == nullptr || stream == cudaStreamLegacy) return cudaErrorInvalidValue;
    if (to == nullptr || from == nullptr || sizes == nullptr || count == 0) return cudaErrorInvalidValue;
    if (attributes == nullptr || first == nullptr || groups == 0 || groups > count || first[0] != 0)
      return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i)
      if (const auto e = cudaMemcpyAsync(to[i], from[i], sizes[i], cudaMemcpyDefault, stream); e != cudaSuccess)
        return e;
    return cudaSuccess;
  });
}

cudaError_t cudaMemcpy3DBatchAsync(size_t count, cudaMemcpy3DBatchOp* operations, unsigned long long flags,
                                   cudaStream_t stream) {
  return call("cudaMemcpy3DBatchAsync", Waits::no, [&](Session& s) {
    if (stream == nullptr || stream == cudaStreamLegacy) return cudaErrorInvalidValue;
    if (operations == nullptr || count == 0 || flags != 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const cudaMemcpy3DBatchOp& one = operations[i];
      const std::size_t element = std::max(element_of(s, one.src), element_of(s, one.dst));
      cudaMemcpy3DParms copy{};
      copy.extent = one.extent;
      copy.kind = cudaMemcpyDefault;
      if (!take_side(one.src, one.extent, element, copy.srcArray, copy.srcPtr, copy.srcPos) ||
          !take_side(one.dst, one.extent, element, copy.dstArray, copy.dstPtr, copy.dstPos))
        return cudaErrorInvalidValue;
      if (const auto e = cudaMemcpy3DAsync(&copy, stream); e != cudaSuccess) return e;
    }
    return cudaSuccess;
  });
}

}  // extern "C"

#endif
