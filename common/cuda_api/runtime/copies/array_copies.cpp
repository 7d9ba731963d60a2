// Copies to and from arrays (CUDA Runtime API: Memory Management), and those of three dimensions, with arrays or
// without.

#include <cuda_runtime_api.h>

#include <optional>

#include "common/cuda_api/runtime/copies/copies.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of the device are numbers for the host
void* pointer_to(std::uint64_t address) { return reinterpret_cast<void*>(address); }
std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

using Side = CopySide;

}  // namespace

std::optional<CopySide> cuda_api::box_of(Session& s, cudaArray_const_t handle, const cudaPos& at,
                                         const cudaExtent& box) {
  const ArrayEntry* array = s.textures.array(handle);
  if (array == nullptr) return std::nullopt;
  const auto inside = [](std::size_t from, std::size_t count, std::size_t all) {
    return from <= all && count <= all - from;
  };
  if (!inside(at.x, box.width, array->row_bytes()) || !inside(at.y, box.height, array->rows()) ||
      !inside(at.z, box.depth, array->slices())) {
    (void)s.because(cudaErrorInvalidValue, box_beyond_array(*array, at, box));
    return std::nullopt;
  }
  const std::size_t slice = array->row_bytes() * array->rows();
  return Side{array->address + at.z * slice + at.y * array->row_bytes() + at.x, array->row_bytes(), slice};
}

cudaError_t cuda_api::copy_box(Session& s, const char* function, const CopySide& to, const CopySide& from,
                               const cudaExtent& box, cudaMemcpyKind kind, cudaStream_t stream, void* caller) {
  for (std::size_t slice = 0; slice < box.depth; ++slice)
    if (const auto e = copy(s, function, pointer_to(to.address + slice * to.slice_bytes),
                            pointer_to(from.address + slice * from.slice_bytes),
                            {box.width, box.height, to.row_bytes, from.row_bytes}, kind, stream, caller);
        e != cudaSuccess)
      return e;
  return cudaSuccess;
}

namespace {

/// x and widths count an array's texels, where one of the sides is an array; else bytes.
cudaError_t copy_3d(Session& s, const char* name, const cudaMemcpy3DParms& p, cudaStream_t stream, void* caller) {
  const ArrayEntry* array = s.textures.array(p.dstArray != nullptr ? p.dstArray : p.srcArray);
  if (array == nullptr && (p.dstArray != nullptr || p.srcArray != nullptr))
    return s.because(cudaErrorInvalidResourceHandle, no_array(p.dstArray != nullptr ? p.dstArray : p.srcArray));
  const std::size_t texel = array == nullptr ? 1 : array->format.bytes();
  const cudaExtent box{p.extent.width * texel, p.extent.height, p.extent.depth};
  const auto side = [&](cudaArray_const_t handle, const cudaPitchedPtr& base,
                        const cudaPos& at) -> std::optional<Side> {
    if (handle != nullptr) return box_of(s, handle, {at.x * texel, at.y, at.z}, box);
    const std::size_t slice = base.pitch * base.ysize;
    return Side{number(base.ptr) + at.x * texel + at.y * base.pitch + at.z * slice, base.pitch, slice};
  };
  const auto to = side(p.dstArray, p.dstPtr, p.dstPos), from = side(p.srcArray, p.srcPtr, p.srcPos);
  if (!to || !from) return cudaErrorInvalidValue;
  return copy_box(s, name, *to, *from, box, p.kind, stream, caller);
}

[[gnu::always_inline]] inline cudaError_t call_3d(const char* name, const cudaMemcpy3DParms* p, cudaStream_t stream,
                                                  Waits waits, void* caller) {
  return call(name, waits,
              [&](Session& s) { return p == nullptr ? cudaErrorInvalidValue : copy_3d(s, name, *p, stream, caller); });
}

/// Between two GPUs: in all else as above.
cudaError_t copy_3d_peer(Session& s, const char* name, const cudaMemcpy3DPeerParms* p, cudaStream_t stream,
                         void* caller) {
  if (p == nullptr) return s.because(cudaErrorInvalidValue, null_argument("parameters"));
  if (const auto e = check_gpus(s, p->dstDevice, p->srcDevice); e != cudaSuccess) return e;
  cudaMemcpy3DParms same{};
  same.srcArray = p->srcArray;
  same.srcPos = p->srcPos;
  same.srcPtr = p->srcPtr;
  same.dstArray = p->dstArray;
  same.dstPos = p->dstPos;
  same.dstPtr = p->dstPtr;
  same.extent = p->extent;
  same.kind = cudaMemcpyDeviceToDevice;
  return copy_3d(s, name, same, stream, caller);
}

/// Rows of `width` bytes: to or from an array at x, y, from or to other memory.
struct Box2D {
  std::size_t x, y, width, height;
};
cudaError_t copy_2d(Session& s, const char* name, cudaArray_const_t array, const Box2D& box, const void* memory,
                    std::size_t pitch, bool to_array, cudaMemcpyKind kind, cudaStream_t stream, void* caller) {
  const cudaExtent extent{box.width, box.height, 1};
  const auto side = box_of(s, array, {box.x, box.y, 0}, extent);
  if (!side && s.textures.array(array) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
  if (!side) return cudaErrorInvalidValue;
  const Side other{number(memory), pitch, 0};
  return to_array ? copy_box(s, name, *side, other, extent, kind, stream, caller)
                  : copy_box(s, name, other, *side, extent, kind, stream, caller);
}

/// `bytes` bytes that lie behind one another in an array, over the ends of its rows.
cudaError_t copy_run(Session& s, const char* name, cudaArray_const_t array, std::size_t x, std::size_t y,
                     const void* memory, std::size_t bytes, bool to_array, cudaMemcpyKind kind, cudaStream_t stream,
                     void* caller) {
  const auto first = box_of(s, array, {x, y, 0}, {0, 0, 1});
  const ArrayEntry* entry = s.textures.array(array);
  if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_array(array));
  if (!first) return cudaErrorInvalidValue;
  if (const std::size_t there = entry->bytes() - (first->address - entry->address); bytes > there)
    return s.because(cudaErrorInvalidValue, beyond_array(bytes, there));
  void* const there = pointer_to(first->address);
  return to_array ? copy(s, name, there, memory, {bytes}, kind, stream, caller)
                  : copy(s, name, memory, there, {bytes}, kind, stream, caller);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  return call_3d("cudaMemcpy3D", p, nullptr, Waits::yes, __builtin_return_address(0));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return call_3d("cudaMemcpy3DAsync", p, stream, Waits::no, __builtin_return_address(0));
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* p) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy3DPeer", Waits::yes,
              [&](Session& s) { return copy_3d_peer(s, "cudaMemcpy3DPeer", p, nullptr, caller); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* p, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy3DPeerAsync", Waits::no,
              [&](Session& s) { return copy_3d_peer(s, "cudaMemcpy3DPeerAsync", p, stream, caller); });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                size_t height, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy2DToArray", Waits::yes, [&](Session& s) {
    return copy_2d(s, "cudaMemcpy2DToArray", to, {x, y, width, height}, from, pitch, true, kind, nullptr, caller);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch, size_t width,
                                     size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy2DToArrayAsync", Waits::no, [&](Session& s) {
    return copy_2d(s, "cudaMemcpy2DToArrayAsync", to, {x, y, width, height}, from, pitch, true, kind, stream, caller);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy2DFromArray", Waits::yes, [&](Session& s) {
    return copy_2d(s, "cudaMemcpy2DFromArray", from, {x, y, width, height}, to, pitch, false, kind, nullptr, caller);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy2DFromArrayAsync", Waits::no, [&](Session& s) {
    return copy_2d(s, "cudaMemcpy2DFromArrayAsync", from, {x, y, width, height}, to, pitch, false, kind, stream,
                   caller);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpy2DArrayToArray", Waits::yes, [&](Session& s) {
    const cudaExtent box{width, height, 1};
    const auto there = box_of(s, to, {to_x, to_y, 0}, box), here = box_of(s, from, {from_x, from_y, 0}, box);
    if (!there || !here) return cudaErrorInvalidValue;
    return copy_box(s, "cudaMemcpy2DArrayToArray", *there, *here, box, kind, nullptr, caller);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes, cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpyToArray", Waits::yes, [&](Session& s) {
    return copy_run(s, "cudaMemcpyToArray", to, x, y, from, bytes, true, kind, nullptr, caller);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpyToArrayAsync", Waits::no, [&](Session& s) {
    return copy_run(s, "cudaMemcpyToArrayAsync", to, x, y, from, bytes, true, kind, stream, caller);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpyFromArray", Waits::yes, [&](Session& s) {
    return copy_run(s, "cudaMemcpyFromArray", from, x, y, to, bytes, false, kind, nullptr, caller);
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemcpyFromArrayAsync", Waits::no, [&](Session& s) {
    return copy_run(s, "cudaMemcpyFromArrayAsync", from, x, y, to, bytes, false, kind, stream, caller);
  });
}

}  // extern "C"
