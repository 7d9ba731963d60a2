// Streams and events (CUDA Driver API: Stream Management, Event Management). Their handles are the runtime's.

#include "common/cuda_api/runtime/streams/streams.h"

#include <cuda_runtime_api.h>

#include "common/cuda_api/driver/contexts.h"
#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return by_runtime("cuStreamCreate", [&] { return cudaStreamCreateWithFlags(stream, flags); });
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return by_runtime("cuStreamCreateWithPriority",
                    [&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamDestroy(CUstream stream) {
  return by_runtime("cuStreamDestroy", [&] { return cudaStreamDestroy(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return by_runtime("cuStreamSynchronize", [&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamQuery(CUstream stream) {
  return by_runtime("cuStreamQuery", [&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return by_runtime("cuStreamWaitEvent", [&] { return cudaStreamWaitEvent(stream, event, flags); });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return by_runtime("cuStreamGetPriority", [&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return by_runtime("cuStreamGetFlags", [&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID which, const CUstreamAttrValue* value) {
  return by_runtime("cuStreamSetAttribute", [&] {
    return cudaStreamSetAttribute(stream, static_cast<cudaLaunchAttributeID>(which),
                                  reinterpret_cast<const cudaLaunchAttributeValue*>(value));
  });
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID which, CUstreamAttrValue* value) {
  return by_runtime("cuStreamGetAttribute", [&] {
    return cudaStreamGetAttribute(stream, static_cast<cudaLaunchAttributeID>(which),
                                  reinterpret_cast<cudaLaunchAttributeValue*>(value));
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return by_runtime("cuStreamCopyAttributes", [&] { return cudaStreamCopyAttributes(to, from); });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return by_runtime("cuStreamGetId", [&] { return cudaStreamGetId(stream, id); });
}

#if CUDA_VERSION >= 12080
CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return by_runtime("cuStreamGetDevice", [&] { return cudaStreamGetDevice(stream, device); });
}
#endif

CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return driver_call("cuStreamGetCtx", Needs::context, [&](Session& s) {
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (context == nullptr) return cudaErrorInvalidValue;
    *context = current_context();
    return cudaSuccess;
  });
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return by_runtime("cuStreamAddCallback", [&] {
    return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data, flags);
  });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
  return by_runtime("cuStreamAttachMemAsync",
                    [&] { return cudaStreamAttachMemAsync(stream, pointer_of(address), bytes, flags); });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return by_runtime("cuEventCreate", [&] { return cudaEventCreateWithFlags(event, flags); });
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return by_runtime("cuEventRecord", [&] { return cudaEventRecord(event, stream); });
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return by_runtime("cuEventRecordWithFlags", [&] { return cudaEventRecordWithFlags(event, stream, flags); });
}

CUresult cuEventQuery(CUevent event) {
  return by_runtime("cuEventQuery", [&] { return cudaEventQuery(event); });
}

CUresult cuEventSynchronize(CUevent event) {
  return by_runtime("cuEventSynchronize", [&] { return cudaEventSynchronize(event); });
}

CUresult cuEventDestroy(CUevent event) {
  return by_runtime("cuEventDestroy", [&] { return cudaEventDestroy(event); });
}

CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent end) {
  return by_runtime("cuEventElapsedTime", [&] { return cudaEventElapsedTime(ms, start, end); });
}

}  // extern "C"
