// What errors are called.

#include <cuda.h>

namespace {

struct Text {
  CUresult error;
  const char *name, *text;
};

#define GPULAB_ERROR(name, text) \
  Text { name, #name, text }
constexpr Text kTexts[] = {
    GPULAB_ERROR(CUDA_SUCCESS, "no error"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    GPULAB_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    GPULAB_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    GPULAB_ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    GPULAB_ERROR(CUDA_ERROR_STUB_LIBRARY, "CUDA driver is a stub library"),
    GPULAB_ERROR(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
    GPULAB_ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    GPULAB_ERROR(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    GPULAB_ERROR(CUDA_ERROR_UNMAP_FAILED, "unmapping of buffer object failed"),
    GPULAB_ERROR(CUDA_ERROR_ALREADY_MAPPED, "resource already mapped"),
    GPULAB_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    GPULAB_ERROR(CUDA_ERROR_NOT_MAPPED, "resource not mapped"),
    GPULAB_ERROR(CUDA_ERROR_UNSUPPORTED_LIMIT, "limit is not supported on this architecture"),
    GPULAB_ERROR(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "exclusive-thread device already in use by a different thread"),
    GPULAB_ERROR(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_SOURCE, "device kernel image is invalid"),
    GPULAB_ERROR(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    GPULAB_ERROR(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    GPULAB_ERROR(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object initialization failed"),
    GPULAB_ERROR(CUDA_ERROR_OPERATING_SYSTEM, "OS call failed or operation not supported on this OS"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    GPULAB_ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
    GPULAB_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    GPULAB_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    GPULAB_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    GPULAB_ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    GPULAB_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
    GPULAB_ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    GPULAB_ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    GPULAB_ERROR(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    GPULAB_ERROR(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    GPULAB_ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    GPULAB_ERROR(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
                 "part or all of the requested memory range is already mapped"),
    GPULAB_ERROR(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
    GPULAB_ERROR(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    GPULAB_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
    GPULAB_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_ADDRESS_SPACE, "operation not supported on global/shared address space"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_PC, "invalid program counter"),
    GPULAB_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    GPULAB_ERROR(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    GPULAB_ERROR(CUDA_ERROR_INVALID_CLUSTER_SIZE, "a kernel launch error has occurred due to cluster misconfiguration"),
    GPULAB_ERROR(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    GPULAB_ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    GPULAB_ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    GPULAB_ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    GPULAB_ERROR(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
                 "operation would make the legacy stream depend on a capturing blocking stream"),
    GPULAB_ERROR(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE,
                 "the graph update was not performed because it included changes which violated constraints specific "
                 "to instantiated graph update"),
    GPULAB_ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
};
#undef GPULAB_ERROR

/// Null where there is no such error.
const Text* text_of(CUresult error) {
  for (const auto& text : kTexts)
    if (text.error == error) return &text;
  return nullptr;
}

CUresult give(const char** place, const char* text) {
  if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *place = text;
  return text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult cuGetErrorName(CUresult error, const char** name) {
  const Text* known = text_of(error);
  return give(name, known == nullptr ? nullptr : known->name);
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const Text* known = text_of(error);
  return give(text, known == nullptr ? nullptr : known->text);
}

}  // extern "C"
