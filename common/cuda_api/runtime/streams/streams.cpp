// Streams: clocks of modelled time. What is queued has been done when the call returns.

#include "common/cuda_api/runtime/streams/streams.h"

#include <cuda_runtime_api.h>

#include <type_traits>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/graphs/graphs.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

StreamState* gpulab::cuda_api::stream_of(cudaStream_t stream) {
  return Session::instance().timeline.stream(stream_number(stream));
}

namespace {

[[gnu::always_inline]] inline cudaError_t create(const char* name, cudaStream_t* stream, unsigned flags, int priority) {
  return call(name, Waits::no, [&](Session& s) {
    if (stream == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): a number that the program gives back
    *stream = reinterpret_cast<cudaStream_t>(s.timeline.add(flags, priority, current_gpu()));
    s.streams.created(stream_number(*stream), flags == 0);
    return cudaSuccess;
  });
}

/// `body` with the stream's state; gives its error, where it has one.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with_stream(const char* name, Waits waits, cudaStream_t stream, Body&& body) {
  return call(name, waits, [&](Session& s) {
    StreamState* state = stream_of(stream);
    if (state == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if constexpr (std::is_void_v<decltype(body(s, *state))>) {
      body(s, *state);
      return cudaSuccess;
    } else {
      return body(s, *state);
    }
  });
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create("cudaStreamCreate", stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create("cudaStreamCreateWithFlags", stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create("cudaStreamCreateWithPriority", stream, flags, std::clamp(priority, -5, 0));
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call("cudaStreamDestroy", Waits::no, [&](Session& s) {
    const auto number = stream_number(stream);
    if (number_on_gpu(number) <= Timeline::kPerThread || s.timeline.stream(number) == nullptr)
      return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    const auto destroy = [number](Session& now, cudaStream_t) {
      now.timeline.remove(number);
      now.streams.destroyed(number);
      return cudaSuccess;
    };
    return s.under_way.later(stream, destroy) ? cudaSuccess : destroy(s, stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return with_stream("cudaStreamSynchronize", Waits::yes, stream, [&](Session& s, StreamState&) {
    if (const auto e = ends_capture(s, stream); e != cudaSuccess) return e;
    const cudaError_t error = s.under_way.wait_for_stream(stream);
    s.host_waits(s.timeline.ready(stream_number(stream)));
    s.streams.synchronised(stream);
    return error;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return with_stream("cudaStreamQuery", Waits::yes, stream, [&](Session& s, StreamState&) {
    if (const auto e = ends_capture(s, stream); e != cudaSuccess) return e;
    if (s.under_way.any() && s.under_way.holds(stream)) return cudaErrorNotReady;
    s.host_waits(s.timeline.ready(stream_number(stream)));
    s.streams.synchronised(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream("cudaStreamGetFlags", Waits::no, stream,
                     [&](Session&, StreamState& state) { *flags = state.flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream("cudaStreamGetPriority", Waits::no, stream,
                     [&](Session&, StreamState& state) { *priority = state.priority; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_stream("cudaStreamGetId", Waits::no, stream,
                     [&](Session&, StreamState&) { *id = stream_number(stream); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_stream("cudaStreamGetDevice", Waits::no, stream,
                     [&](Session&, StreamState&) { *device = gpu_of_stream(stream_number(stream)); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_stream("cudaStreamIsCapturing", Waits::no, stream, [&](Session& s, StreamState&) {
    *status = !s.captures(stream)   ? cudaStreamCaptureStatusNone
              : s.capture_is_broken ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call("cudaDeviceGetStreamPriorityRange", Waits::no, [&](Session&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

}  // extern "C"
