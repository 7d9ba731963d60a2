// Errors: their names, and the last one of a thread, which is forgotten when it is asked for, also where the device is
// lost: other calls give that again.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <string_view>

#include "common/cuda_api/runtime/failures/driver_words.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

cudaError_t Session::lacks_memory(const char* call, const std::string& why, void* caller) {
  failures.is_ours();
  constexpr cudaError_t error = cudaErrorMemoryAllocation;
  const std::string what = fmt::format("{}: this machine has too little memory, not the GPU: {}", call, why);
  if (std::string_view(call).find("lloc") != std::string_view::npos) {
    find(what, Severity::warning, caller);
    return error;
  }
  constexpr std::size_t most = 100;
  if (record.faults.size() >= most) return error;
  FaultRecord& fault = record.faults.emplace_back();
  fault.failure = to_text(LaunchFailure::out_of_memory);
  fault.kernel = call;
  fault.what = what;
  fault.hint = options.sanitize.empty() ? "choose a smaller problem" : "choose a smaller problem, or fewer tools";
  fault.error = error_name(call, error);
  fault.seen = true;
  fault.caller = place_in_program(caller);
  return error;
}

namespace {

struct Text {
  cudaError_t error;
  const char *name, *text;
};

#define GPULAB_ERROR(name, text) \
  Text { name, #name, text }
constexpr Text kTexts[] = {
    GPULAB_ERROR(cudaSuccess, "no error"),
    GPULAB_ERROR(cudaErrorInvalidValue, "invalid argument"),
    GPULAB_ERROR(cudaErrorMemoryAllocation, "out of memory"),
    GPULAB_ERROR(cudaErrorInitializationError, "initialization error"),
    GPULAB_ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    GPULAB_ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    GPULAB_ERROR(cudaErrorInvalidTexture, "invalid texture reference"),
    GPULAB_ERROR(cudaErrorInvalidChannelDescriptor, "invalid channel descriptor"),
    GPULAB_ERROR(cudaErrorInvalidFilterSetting, "linear filtering not supported for non-float type"),
    GPULAB_ERROR(cudaErrorInvalidNormSetting, "read as normalized float not supported for data type"),
    GPULAB_ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    GPULAB_ERROR(cudaErrorInvalidSurface, "invalid surface reference"),
    GPULAB_ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    GPULAB_ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    GPULAB_ERROR(cudaErrorMissingConfiguration, "__global__ function call is not configured"),
    GPULAB_ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    GPULAB_ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    GPULAB_ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    GPULAB_ERROR(cudaErrorNoKernelImageForDevice, "no kernel image is available for execution on the device"),
    GPULAB_ERROR(cudaErrorPeerAccessUnsupported, "peer access is not supported between these two devices"),
    GPULAB_ERROR(cudaErrorUnsupportedLimit, "limit is not supported on this architecture"),
    GPULAB_ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    GPULAB_ERROR(cudaErrorNotReady, "device not ready"),
    GPULAB_ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    GPULAB_ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    GPULAB_ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    GPULAB_ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    GPULAB_ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    GPULAB_ERROR(cudaErrorAssert, "device-side assert triggered"),
    GPULAB_ERROR(cudaErrorHostMemoryAlreadyRegistered, "part or all of the requested memory range is already mapped"),
    GPULAB_ERROR(cudaErrorHostMemoryNotRegistered, "pointer does not correspond to a registered memory region"),
    GPULAB_ERROR(cudaErrorIllegalInstruction, "an illegal instruction was encountered"),
    GPULAB_ERROR(cudaErrorMisalignedAddress, "misaligned address"),
    GPULAB_ERROR(cudaErrorInvalidAddressSpace, "operation not supported on global/shared address space"),
    GPULAB_ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    GPULAB_ERROR(cudaErrorCooperativeLaunchTooLarge, "too many blocks in cooperative launch"),
    GPULAB_ERROR(cudaErrorInvalidClusterSize, "a kernel launch error has occurred due to cluster misconfiguration"),
    GPULAB_ERROR(cudaErrorNotPermitted, "operation not permitted"),
    GPULAB_ERROR(cudaErrorNotSupported, "operation not supported"),
    GPULAB_ERROR(cudaErrorStreamCaptureUnsupported, "operation not permitted when stream is capturing"),
    GPULAB_ERROR(cudaErrorStreamCaptureInvalidated, "operation failed due to a previous error during capture"),
    GPULAB_ERROR(cudaErrorStreamCaptureImplicit,
                 "operation would make the legacy stream depend on a capturing blocking stream"),
    GPULAB_ERROR(cudaErrorStreamCaptureMerge, "operation would result in a merge of separate capture sequences"),
    GPULAB_ERROR(cudaErrorStreamCaptureUnmatched, "capture was not ended in the same stream as it began"),
    GPULAB_ERROR(cudaErrorStreamCaptureUnjoined, "capturing stream has unjoined work"),
    GPULAB_ERROR(cudaErrorStreamCaptureIsolation, "dependency created on uncaptured work in another stream"),
    GPULAB_ERROR(cudaErrorStreamCaptureWrongThread,
                 "attempt to terminate a thread-local capture sequence from another thread"),
    GPULAB_ERROR(cudaErrorCapturedEvent, "operation not permitted on an event last recorded in a capturing stream"),
    GPULAB_ERROR(cudaErrorIllegalState, "the operation cannot be performed in the present state"),
    GPULAB_ERROR(cudaErrorGraphExecUpdateFailure,
                 "the graph update was not performed because it included changes which violated constraints specific "
                 "to instantiated graph update"),
    GPULAB_ERROR(cudaErrorUnknown, "unknown error"),
};
#undef GPULAB_ERROR

const Text* text_of(cudaError_t error) {
  for (const auto& text : kTexts)
    if (text.error == error) return &text;
  return nullptr;
}

}  // namespace

extern "C" {

const char* cudaGetErrorName(cudaError_t error) {
  const Text* known = text_of(error);
  return known == nullptr ? "unrecognized error code" : known->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const Text* known = text_of(error);
  return known == nullptr ? "unrecognized error code" : known->text;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error() = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const cudaError_t error = last_error();
  if (error == cudaSuccess) return error;
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.looked();
  return error;
}

}  // extern "C"
