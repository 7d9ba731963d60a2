// Arrays, and copies to and from them (CUDA Driver API: Memory Management). A CUarray is the runtime's cudaArray_t.

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/memory/array_formats.h"
#include "common/cuda_api/runtime/copies/copies.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

cudaError_t make_array(Session& s, CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR& asked) {
  const auto channels = channels_of(asked.Format, asked.NumChannels);
  if (!channels) return s.because(cudaErrorInvalidValue, {"no array here has texels of this format"});
  unsigned flags = cudaArrayDefault;
  if ((asked.Flags & CUDA_ARRAY3D_LAYERED) != 0) flags |= cudaArrayLayered;
  if ((asked.Flags & CUDA_ARRAY3D_SURFACE_LDST) != 0) flags |= cudaArraySurfaceLoadStore;
  if ((asked.Flags & CUDA_ARRAY3D_CUBEMAP) != 0) flags |= cudaArrayCubemap;
  if ((asked.Flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0) flags |= cudaArrayTextureGather;
  return cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(array), &*channels, {asked.Width, asked.Height, asked.Depth},
                           flags);
}

/// One side of a copy: an array, or memory in rows.
struct GivenSide {
  CUmemorytype type{};
  const void* host = nullptr;
  CUdeviceptr device = 0;
  CUarray array = nullptr;
  std::size_t x = 0, y = 0, z = 0, pitch = 0, height = 0;
};

cudaError_t side_of(Session& s, const GivenSide& given, const cudaExtent& box, CopySide& side) {
  if (given.type == CU_MEMORYTYPE_ARRAY) {
    const auto array = as_runtime(given.array);
    if (s.textures.array(array) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
    const auto found = box_of(s, array, {given.x, given.y, given.z}, box);
    if (!found) return cudaErrorInvalidValue;
    side = *found;
    return cudaSuccess;
  }
  const std::uint64_t base = given.type == CU_MEMORYTYPE_HOST ? address_of(given.host) : given.device;
  const std::size_t pitch = given.pitch == 0 ? box.width : given.pitch, height = given.height;
  const std::size_t slice = pitch * (height == 0 ? box.height : height);
  side = {base + given.z * slice + given.y * pitch + given.x, pitch, slice};
  return cudaSuccess;
}

cudaMemcpyKind kind_of(const GivenSide& to, const GivenSide& from) {
  if (to.type == CU_MEMORYTYPE_UNIFIED || from.type == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  const bool to_host = to.type == CU_MEMORYTYPE_HOST, from_host = from.type == CU_MEMORYTYPE_HOST;
  if (to_host) return from_host ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost;
  return from_host ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToDevice;
}

cudaError_t copy_given(Session& s, const GivenSide& to, const GivenSide& from, const cudaExtent& box, CUstream stream) {
  CopySide there, here;
  if (const auto e = side_of(s, to, box, there); e != cudaSuccess) return e;
  if (const auto e = side_of(s, from, box, here); e != cudaSuccess) return e;
  return copy_box(s, s.driver_function, there, here, box, kind_of(to, from), stream, s.driver_caller);
}

GivenSide to_of(const CUDA_MEMCPY2D& c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, 0, c.dstPitch, 0};
}
GivenSide from_of(const CUDA_MEMCPY2D& c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, 0, c.srcPitch, 0};
}
GivenSide to_of(const CUDA_MEMCPY3D& c) {
  return {c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes, c.dstY, c.dstZ, c.dstPitch, c.dstHeight};
}
GivenSide from_of(const CUDA_MEMCPY3D& c) {
  return {c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes, c.srcY, c.srcZ, c.srcPitch, c.srcHeight};
}
cudaExtent box_of(const CUDA_MEMCPY2D& c) { return {c.WidthInBytes, c.Height, 1}; }
cudaExtent box_of(const CUDA_MEMCPY3D& c) { return {c.WidthInBytes, c.Height, c.Depth}; }

/// `waits`: the host goes on when it is done.
template <typename Asked>
[[gnu::always_inline]] inline CUresult copy_as(const char* name, const Asked* asked, CUstream stream, bool waits) {
  return driver_call(name, Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("description of the copy"));
    if (waits)
      if (const auto e = begin_waiting(s, "cudaMemcpy2D"); e != cudaSuccess) return e;
    return copy_given(s, to_of(*asked), from_of(*asked), box_of(*asked), stream);
  });
}

/// A run of bytes of an array of one row.
GivenSide run_of(CUarray array, std::size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset, 0, 0, 0, 0};
}
GivenSide run_of(CUdeviceptr device) { return {CU_MEMORYTYPE_DEVICE, nullptr, device, nullptr, 0, 0, 0, 0, 0}; }
GivenSide run_of(const void* host) { return {CU_MEMORYTYPE_HOST, host, 0, nullptr, 0, 0, 0, 0, 0}; }

[[gnu::always_inline]] inline CUresult copy_run(const char* name, const GivenSide& to, const GivenSide& from,
                                                std::size_t bytes, CUstream stream, bool waits) {
  return driver_call(
      name, Needs::context,
      [&](Session& s) {
        if (waits)
          if (const auto e = begin_waiting(s, "cudaMemcpyToArray"); e != cudaSuccess) return e;
        return copy_given(s, to, from, {bytes, 1, 1}, stream);
      },
      bytes);
}

}  // namespace

extern "C" {

CUresult cuArrayCreate(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* asked) {
  return driver_call("cuArrayCreate", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("description"));
    return make_array(s, array, {asked->Width, asked->Height, 0, asked->Format, asked->NumChannels, 0});
  });
}

CUresult cuArray3DCreate(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* asked) {
  return driver_call("cuArray3DCreate", Needs::context, [&](Session& s) {
    if (asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("description"));
    return make_array(s, array, *asked);
  });
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* descriptor, CUarray array) {
  return driver_call("cuArray3DGetDescriptor", Needs::context, [&](Session& s) {
    const ArrayEntry* entry = s.textures.array(as_runtime(array));
    if (entry == nullptr || descriptor == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
    *descriptor = {entry->extent.width,    entry->extent.height,
                   entry->extent.depth,    format_of_driver(entry->channels),
                   entry->format.channels, entry->flags & ~cudaArrayTextureGather};
    return cudaSuccess;
  });
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* descriptor, CUarray array) {
  return driver_call("cuArrayGetDescriptor", Needs::context, [&](Session& s) {
    const ArrayEntry* entry = s.textures.array(as_runtime(array));
    if (entry == nullptr || descriptor == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
    *descriptor = {entry->extent.width, entry->extent.height, format_of_driver(entry->channels),
                   entry->format.channels};
    return cudaSuccess;
  });
}

CUresult cuArrayDestroy(CUarray array) {
  return by_runtime("cuArrayDestroy", [&] { return cudaFreeArray(as_runtime(array)); });
}

CUresult cuMemcpy2D(const CUDA_MEMCPY2D* asked) { return copy_as("cuMemcpy2D", asked, nullptr, true); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* asked) {
  return copy_as("cuMemcpy2DUnaligned", asked, nullptr, true);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* asked, CUstream stream) {
  return copy_as("cuMemcpy2DAsync", asked, stream, false);
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* asked) { return copy_as("cuMemcpy3D", asked, nullptr, true); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* asked, CUstream stream) {
  return copy_as("cuMemcpy3DAsync", asked, stream, false);
}

CUresult cuMemcpyDtoA(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  return copy_run("cuMemcpyDtoA", run_of(to, offset), run_of(from), bytes, nullptr, true);
}
CUresult cuMemcpyAtoD(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  return copy_run("cuMemcpyAtoD", run_of(to), run_of(from, offset), bytes, nullptr, true);
}
CUresult cuMemcpyHtoA(CUarray to, size_t offset, const void* from, size_t bytes) {
  return copy_run("cuMemcpyHtoA", run_of(to, offset), run_of(from), bytes, nullptr, true);
}
CUresult cuMemcpyAtoH(void* to, CUarray from, size_t offset, size_t bytes) {
  return copy_run("cuMemcpyAtoH", run_of(static_cast<const void*>(to)), run_of(from, offset), bytes, nullptr, true);
}
CUresult cuMemcpyAtoA(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
  return copy_run("cuMemcpyAtoA", run_of(to, to_offset), run_of(from, from_offset), bytes, nullptr, true);
}
CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
  return copy_run("cuMemcpyHtoAAsync", run_of(to, offset), run_of(from), bytes, stream, false);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  return copy_run("cuMemcpyAtoHAsync", run_of(static_cast<const void*>(to)), run_of(from, offset), bytes, stream,
                  false);
}

}  // extern "C"
