// Copies and fills of memory that is no array (CUDA Driver API: Memory Management).

#include "common/cuda_api/runtime/copies/copies.h"

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// What the host waits for.
[[gnu::always_inline]] inline CUresult copy_now(const char* name, void* to, const void* from, std::size_t bytes,
                                                cudaMemcpyKind kind) {
  return by_runtime(
      name, [&] { return cudaMemcpy(to, from, bytes, kind); }, bytes);
}

[[gnu::always_inline]] inline CUresult copy_in(CUstream stream, const char* name, void* to, const void* from,
                                               std::size_t bytes, cudaMemcpyKind kind) {
  return by_runtime(
      name, [&] { return cudaMemcpyAsync(to, from, bytes, kind, stream); }, bytes);
}

/// Rows of a value of 1, 2 or 4 bytes.
struct Fill {
  CUdeviceptr to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  std::size_t bytes = 1, width = 0, height = 1;
};

[[gnu::always_inline]] inline CUresult fill(const char* name, const Fill& asked, CUstream stream, bool is_async) {
  return driver_call(
      name, Needs::context,
      [&](Session& s) {
        if (asked.to % asked.bytes != 0)
          return s.because(cudaErrorInvalidValue, {"the address is no multiple of the value's size"});
        if (asked.height > 1 && asked.pitch < asked.width * asked.bytes)
          return s.because(cudaErrorInvalidPitchValue, pitch_too_small("destination", asked.pitch, asked.width));
        return fill_with(s, pointer_of(asked.to), {asked.value, asked.bytes},
                         {asked.width * asked.bytes, asked.height, asked.pitch, asked.pitch}, stream, is_async);
      },
      asked.bytes * asked.width * asked.height);
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpy", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, size_t bytes) {
  return copy_now("cuMemcpyHtoD", pointer_of(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpyDtoH", to, pointer_of(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return copy_now("cuMemcpyDtoD", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes) {
  return copy_now("cuMemcpyPeer", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in(stream, "cuMemcpyAsync", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return copy_in(stream, "cuMemcpyHtoDAsync", pointer_of(to), from, bytes, cudaMemcpyHostToDevice);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in(stream, "cuMemcpyDtoHAsync", to, pointer_of(from), bytes, cudaMemcpyDeviceToHost);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return copy_in(stream, "cuMemcpyDtoDAsync", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream) {
  return copy_in(stream, "cuMemcpyPeerAsync", pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return fill("cuMemsetD8", {to, 0, value, 1, count}, nullptr, false);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return fill("cuMemsetD16", {to, 0, value, 2, count}, nullptr, false);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return fill("cuMemsetD32", {to, 0, value, 4, count}, nullptr, false);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height) {
  return fill("cuMemsetD2D8", {to, pitch, value, 1, width, height}, nullptr, false);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height) {
  return fill("cuMemsetD2D16", {to, pitch, value, 2, width, height}, nullptr, false);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height) {
  return fill("cuMemsetD2D32", {to, pitch, value, 4, width, height}, nullptr, false);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill("cuMemsetD8Async", {to, 0, value, 1, count}, stream, true);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill("cuMemsetD16Async", {to, 0, value, 2, count}, stream, true);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill("cuMemsetD32Async", {to, 0, value, 4, count}, stream, true);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height,
                           CUstream stream) {
  return fill("cuMemsetD2D8Async", {to, pitch, value, 1, width, height}, stream, true);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height,
                            CUstream stream) {
  return fill("cuMemsetD2D16Async", {to, pitch, value, 2, width, height}, stream, true);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height,
                            CUstream stream) {
  return fill("cuMemsetD2D32Async", {to, pitch, value, 4, width, height}, stream, true);
}

}  // extern "C"
