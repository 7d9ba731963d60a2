#include "common/cuda_api/driver/driver_call.h"

#include <cuda_runtime_api.h>

#include <utility>

#include "common/cuda_api/driver/contexts.h"
#include "common/cuda_api/runtime/host/python_lines.h"

namespace gpulab::cuda_api {
namespace {

/// While a function of the driver's API runs. The session's lock is held.
class Inside {
 public:
  Inside(Session& session, const char* function, void* caller)
      : session_(session),
        function_(std::exchange(session.driver_function, function)),
        caller_(std::exchange(session.driver_caller, caller)),
        context_(std::exchange(session.context, current_context_number())),
        gpu_(current_gpu()) {
    if (const auto gpu = gpu_of_current_context()) current_gpu() = *gpu;
  }
  ~Inside() {
    session_.driver_function = function_;
    session_.driver_caller = caller_;
    session_.context = context_;
    current_gpu() = gpu_of_current_context().value_or(gpu_);
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Session& session_;
  const char* function_;
  void* caller_;
  std::uint64_t context_;
  int gpu_;
};

Reason not_initialized() {
  return {"cuInit was not called before", "call cuInit(0) first, and look at what it returns"};
}

Reason no_context() {
  return {"this thread has no current context",
          "cuDevicePrimaryCtxRetain and cuCtxSetCurrent give it one, or cuCtxCreate"};
}

}  // namespace

CUresult result_of(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidTexture:
    case cudaErrorInvalidChannelDescriptor:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidFilterSetting:
    case cudaErrorInvalidNormSetting:
    case cudaErrorInvalidSurface:
    case cudaErrorMissingConfiguration:
      return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction:
      return CUDA_ERROR_INVALID_HANDLE;
    default:
      return static_cast<CUresult>(error);
  }
}

CUresult driver_call_from(void* caller, const char* name, Needs needs, std::uint64_t bytes,
                          const std::function<cudaError_t(Session&)>& body) {
  const LookAtPython look;
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  // One that another of ours calls is that one's own.
  if (session.driver_function != nullptr) name = session.driver_function;
  const Inside inside(session, name, session.caller_of(caller));
  const auto checked = [&](Session& s) {
    if (needs != Needs::nothing && !is_initialized()) return s.because(cudaErrorInitializationError, not_initialized());
    if (needs == Needs::context && !has_context()) return s.because(cudaErrorDeviceUninitialized, no_context());
    return body(s);
  };
  return result_of(call_from(caller, name, Waits::no, bytes, checked));
}

}  // namespace gpulab::cuda_api
