#include "common/cuda_api/driver/graph_words.h"

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/memory/array_formats.h"

namespace gpulab::cuda_api {

namespace {

/// One side of a copy; the other API counts texels, where one is an array.
struct Side {
  cudaArray_t array = nullptr;
  cudaPitchedPtr pointer{};
  cudaPos at{};
};
Side side_of(CUmemorytype type, CUarray array, const void* host, CUdeviceptr device, std::size_t pitch,
             std::size_t height, const cudaPos& at) {
  if (type == CU_MEMORYTYPE_ARRAY) return {as_runtime(array), {}, at};
  void* const base = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_of(device);
  return {nullptr, {base, pitch, pitch, height}, at};
}

}  // namespace

cudaKernelNodeParams in_words_of_runtime(const CUDA_KERNEL_NODE_PARAMS& p) {
  cudaKernelNodeParams node{};
  node.func = p.func != nullptr ? static_cast<void*>(p.func) : static_cast<void*>(p.kern);
  node.gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ};
  node.blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ};
  node.sharedMemBytes = p.sharedMemBytes;
  node.kernelParams = p.kernelParams;
  node.extra = p.extra;
  return node;
}

std::optional<cudaMemcpy3DParms> in_words_of_runtime(Session& s, const CUDA_MEMCPY3D& p) {
  cudaMemcpy3DParms copy{};
  const std::size_t rows = p.Height;
  const auto height = [&](std::size_t given) { return given == 0 ? rows : given; };
  const auto pitch = [&](std::size_t given) { return given == 0 ? p.WidthInBytes : given; };
  const Side to = side_of(p.dstMemoryType, p.dstArray, p.dstHost, p.dstDevice, pitch(p.dstPitch), height(p.dstHeight),
                          {p.dstXInBytes, p.dstY, p.dstZ});
  const Side from = side_of(p.srcMemoryType, p.srcArray, p.srcHost, p.srcDevice, pitch(p.srcPitch), height(p.srcHeight),
                            {p.srcXInBytes, p.srcY, p.srcZ});
  std::size_t texel = 1;
  if (const auto handle = to.array != nullptr ? to.array : from.array; handle != nullptr) {
    const ArrayEntry* array = s.textures.array(handle);
    if (array == nullptr) return std::nullopt;
    texel = array->format.bytes();
  }
  copy.dstArray = to.array;
  copy.dstPtr = to.pointer;
  copy.dstPos = {to.at.x / texel, to.at.y, to.at.z};
  copy.srcArray = from.array;
  copy.srcPtr = from.pointer;
  copy.srcPos = {from.at.x / texel, from.at.y, from.at.z};
  copy.extent = {p.WidthInBytes / texel, p.Height, p.Depth};
  const bool to_host = p.dstMemoryType == CU_MEMORYTYPE_HOST, from_host = p.srcMemoryType == CU_MEMORYTYPE_HOST;
  copy.kind = p.dstMemoryType == CU_MEMORYTYPE_UNIFIED || p.srcMemoryType == CU_MEMORYTYPE_UNIFIED ? cudaMemcpyDefault
              : to_host ? (from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost)
                        : (from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice);
  return copy;
}

cudaMemsetParams in_words_of_runtime(const CUDA_MEMSET_NODE_PARAMS& p) {
  return {pointer_of(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}

#if CUDA_VERSION >= 13000
std::optional<cudaGraphNodeParams> in_words_of_runtime(Session& s, const CUgraphNodeParams& p) {
  cudaGraphNodeParams node{};
  node.type = static_cast<cudaGraphNodeType>(p.type);
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      node.kernel.func =
          p.kernel.func != nullptr ? static_cast<void*>(p.kernel.func) : static_cast<void*>(p.kernel.kern);
      node.kernel.gridDim = {p.kernel.gridDimX, p.kernel.gridDimY, p.kernel.gridDimZ};
      node.kernel.blockDim = {p.kernel.blockDimX, p.kernel.blockDimY, p.kernel.blockDimZ};
      node.kernel.sharedMemBytes = p.kernel.sharedMemBytes;
      node.kernel.kernelParams = p.kernel.kernelParams;
      node.kernel.extra = p.kernel.extra;
      return node;
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (const auto copy = in_words_of_runtime(s, p.memcpy.copyParams)) {
        node.memcpy.copyParams = *copy;
        return node;
      }
      return std::nullopt;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      node.memset.dst = pointer_of(p.memset.dst);
      node.memset.pitch = p.memset.pitch;
      node.memset.value = p.memset.value;
      node.memset.elementSize = p.memset.elementSize;
      node.memset.width = p.memset.width;
      node.memset.height = p.memset.height;
      return node;
    case CU_GRAPH_NODE_TYPE_HOST:
      node.host.fn = p.host.fn;
      node.host.userData = p.host.userData;
      return node;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      node.graph.graph = p.graph.graph;
      return node;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      node.eventWait.event = p.eventWait.event;
      return node;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      node.eventRecord.event = p.eventRecord.event;
      return node;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      node.alloc.bytesize = p.alloc.bytesize;
      return node;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      node.free.dptr = pointer_of(p.free.dptr);
      return node;
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      node.conditional.handle = p.conditional.handle;
      node.conditional.type = static_cast<cudaGraphConditionalNodeType>(p.conditional.type);
      node.conditional.size = p.conditional.size;
      return node;
    default:
      return node;  // an empty one, or none that the runtime makes
  }
}
#endif

}  // namespace gpulab::cuda_api
