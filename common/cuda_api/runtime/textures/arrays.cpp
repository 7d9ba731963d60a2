// cudaArray_t: made, asked and freed (CUDA Runtime API: Memory Management).

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// Texels along each dimension at most, of a GPU of compute capability 9.0 (CUDA C++ Programming Guide: Technical
/// Specifications; an H200's cudaDeviceProp says the same).
bool fits_a_gpu(const cudaExtent& e, unsigned flags) {
  const bool cube = (flags & cudaArrayCubemap) != 0, layered = (flags & cudaArrayLayered) != 0;
  if (cube) {
    const std::size_t most = layered ? 2046 : 6;
    return e.width == e.height && e.width <= 32768 && e.depth % 6 == 0 && e.depth > 0 && e.depth <= most;
  }
  if (layered) return e.width <= 32768 && e.height <= 32768 && e.depth > 0 && e.depth <= 2048;
  if (e.depth > 0) return e.height > 0 && e.width <= 16384 && e.height <= 16384 && e.depth <= 16384;
  return e.width <= 131072 && e.height <= 65536;
}

cudaError_t make_array(Session& s, cudaArray_t* array, const cudaChannelFormatDesc* channels, const cudaExtent& extent,
                       unsigned flags, const char* function, void* caller) {
  if (array == nullptr || channels == nullptr)
    return s.because(cudaErrorInvalidValue, null_argument(array == nullptr ? "place for the array" : "format"));
  const auto format = format_of(*channels);
  if (!format) return s.because(cudaErrorInvalidChannelDescriptor, no_channels(*channels));
  constexpr unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if ((flags & ~known) != 0)
    s.refuse(fmt::format("{} with flags {:#x}", function, flags), caller,
             "layered, cube map, surface and gather are here");
  if (extent.width == 0 || !fits_a_gpu(extent, flags))
    return s.because(cudaErrorInvalidValue, array_too_large(extent, flags));
  auto entry = std::make_unique<ArrayEntry>(ArrayEntry{*channels, *format, extent, flags});
  const std::size_t bytes = entry->bytes(), all = s.profile().memory_bytes;
  if (bytes > all - std::min(s.memory.used(current_gpu()), all))
    return s.because(cudaErrorMemoryAllocation, too_large(s, s.name_of(function), bytes));
  function = s.name_of(function);
  const std::string name = fmt::format("{} #{}", function, s.record.calls[function].calls);
  entry->address = s.device().allocate(name, bytes);
  s.memory.add({MemoryEntry::Kind::device, entry->address, bytes, 0, name, Session::place_in_program(caller)});
  *array = reinterpret_cast<cudaArray_t>(entry.get());
  s.textures.arrays[*array] = std::move(entry);
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width, size_t height,
                            unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMallocArray", Waits::no, [&](Session& s) {
    return make_array(s, array, channels, {width, height, 0}, flags, "cudaMallocArray", caller);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMalloc3DArray", Waits::no,
              [&](Session& s) { return make_array(s, array, channels, extent, flags, "cudaMalloc3DArray", caller); });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  void* const caller = __builtin_return_address(0);
  return call("cudaFreeArray", Waits::yes, [&](Session& s) {
    if (array == nullptr) return cudaSuccess;
    const ArrayEntry* entry = s.textures.array(array);
    if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array_to_free());
    s.device().release(entry->address);
    s.memory.remove(entry->address, Session::place_in_program(caller));
    s.textures.arrays.erase(array);
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags, cudaArray_t array) {
  return call("cudaArrayGetInfo", Waits::no, [&](Session& s) {
    const ArrayEntry* entry = s.textures.array(array);
    if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
    if (channels != nullptr) *channels = entry->channels;
    if (extent != nullptr) *extent = entry->extent;
    if (flags != nullptr) *flags = entry->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return call("cudaGetChannelDesc", Waits::no, [&](Session& s) {
    const ArrayEntry* entry = s.textures.array(array);
    if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
    *channels = entry->channels;
    return cudaSuccess;
  });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

}  // extern "C"
