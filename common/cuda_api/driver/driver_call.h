#pragma once
// What each function of the driver's API does around its own. Most do what they do by the function of the runtime's API
// that does the same: both share one Session, so that memory, streams and events of the one are the other's, too.

#include <cuda.h>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// What has to be before a call: cuInit, and a context that is current.
enum class Needs { nothing, driver, context };

/// Numbers of both APIs are the same but for a few of the runtime's own.
[[nodiscard]] CUresult result_of(cudaError_t error);

/// Counts the call, gives what is wrong with the device, turns what is thrown into an error; what fails is told in the
/// driver's words. The thread's cudaGetLastError stays as it was.
CUresult driver_call_from(void* caller, const char* name, Needs needs, std::uint64_t bytes,
                          const std::function<cudaError_t(Session&)>& body);

/// The same for the function that calls this.
template <typename Body>
[[gnu::always_inline]] inline CUresult driver_call(const char* name, Needs needs, const Body& body,
                                                   std::uint64_t bytes = 0) {
  return driver_call_from(__builtin_return_address(0), name, needs, bytes, std::cref(body));
}

/// Does what a function of the runtime's does: `body` calls it. That waits, where it does, and looks at the device.
template <typename Body>
[[gnu::always_inline]] inline CUresult by_runtime(const char* name, const Body& body, std::uint64_t bytes = 0) {
  return driver_call_from(__builtin_return_address(0), name, Needs::context, bytes,
                          std::function<cudaError_t(Session&)>([&](Session&) -> cudaError_t { return body(); }));
}

// NOLINTBEGIN(performance-no-int-to-ptr): addresses of the device are numbers here, and pointers there
[[nodiscard]] inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
// NOLINTEND(performance-no-int-to-ptr)
[[nodiscard]] inline CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace gpulab::cuda_api
