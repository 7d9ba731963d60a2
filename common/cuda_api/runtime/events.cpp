// Events: points of modelled time. What stands between two is the model's answer, not this machine's.

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <unordered_map>

#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Event {
  bool timed = true, recorded = false;
  double ms = 0;
  Mark mark{};
  std::optional<CaptureOrder::Mark> captured{};  ///< was recorded in a stream that is captured
};

/// Under the session's lock.
std::unordered_map<cudaEvent_t, std::unique_ptr<Event>>& events() {
  static auto& all = *new std::unordered_map<cudaEvent_t, std::unique_ptr<Event>>;
  return all;
}

Event* find(cudaEvent_t event) {
  const auto found = events().find(event);
  return found == events().end() ? nullptr : found->second.get();
}

[[gnu::always_inline]] inline cudaError_t create(const char* name, cudaEvent_t* event, unsigned flags) {
  return call(name, Waits::no, [&](Session&) {
    if (event == nullptr) return cudaErrorInvalidValue;
    auto made = std::make_unique<Event>();
    made->timed = (flags & cudaEventDisableTiming) == 0;
    *event = reinterpret_cast<cudaEvent_t>(made.get());
    events()[*event] = std::move(made);
    return cudaSuccess;
  });
}

[[gnu::always_inline]] inline cudaError_t record(const char* name, cudaEvent_t event, cudaStream_t stream) {
  return call(name, Waits::no, [&](Session& s) {
    Event* mine = find(event);
    if (mine == nullptr || stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    mine->recorded = true;
    mine->ms = s.timeline.ready(stream_number(stream));
    mine->captured = s.captures(stream) ? s.streams.recorded_in_capture(stream) : std::nullopt;
    mine->mark = mine->captured ? Mark() : s.streams.recorded(stream);
    return cudaSuccess;
  });
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create("cudaEventCreate", event, 0); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create("cudaEventCreateWithFlags", event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call("cudaEventDestroy", Waits::no,
              [&](Session&) { return events().erase(event) == 1 ? cudaSuccess : cudaErrorInvalidResourceHandle; });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return record("cudaEventRecord", event, stream); }

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return record("cudaEventRecordWithFlags", event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", Waits::yes, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return cudaErrorInvalidResourceHandle;
    s.timeline.host_waits(mine->ms);
    s.streams.synchronised(mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", Waits::yes, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return cudaErrorInvalidResourceHandle;
    s.streams.synchronised(mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call("cudaStreamWaitEvent", Waits::no, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr || stream_of(stream) == nullptr) return cudaErrorInvalidResourceHandle;
    s.timeline.wait_until(stream_number(stream), mine->ms);
    if (s.captured != nullptr && mine->captured)
      s.streams.waits_in_capture(stream, *mine->captured);
    else
      s.streams.waits(stream, mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return call("cudaEventElapsedTime", Waits::no, [&](Session& s) {
    const Event *first = find(start), *last = find(end);
    if (first == nullptr || last == nullptr || !first->timed || !last->timed || !first->recorded || !last->recorded)
      return cudaErrorInvalidResourceHandle;
    constexpr double least = 0.001;  // two events without anything between them
    *ms = static_cast<float>(last->ms >= first->ms ? std::max(last->ms - first->ms, least) : last->ms - first->ms);
    s.note("cudaEventElapsedTime gives modelled time, not measured time");
    return cudaSuccess;
  });
}

}  // extern "C"
