// Events: points of modelled time. What stands between two is the model's answer, not this machine's.

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/processes/shared_files.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streams/streams.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Event {
  bool timed = true, recorded = false;
  bool of_processes = false;  ///< others may open it: cudaEventInterprocess
  int gpu = 0;                ///< that was current when it was made
  Moment at{};
  std::uint64_t waits = 0;  ///< how often the program had waited for the device when it was recorded
  Mark mark{};
  std::optional<CaptureOrder::Mark> captured{};  ///< was recorded in a stream that is captured
  std::shared_ptr<bool> reached{};               ///< recorded behind a launch that goes on; null: it is reached
  [[nodiscard]] bool is_reached() const { return reached == nullptr || *reached; }
};

/// Under the session's lock.
std::unordered_map<cudaEvent_t, std::unique_ptr<Event>>& events() {
  static auto& all = *new std::unordered_map<cudaEvent_t, std::unique_ptr<Event>>;
  return all;
}

constexpr char kEventHandle = 'e';

Event* find(cudaEvent_t event) {
  const auto found = events().find(event);
  return found == events().end() ? nullptr : found->second.get();
}

[[gnu::always_inline]] inline cudaError_t create(const char* name, cudaEvent_t* event, unsigned flags) {
  return call(name, Waits::no, [&](Session& s) {
    if (event == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the event"));
    auto made = std::make_unique<Event>();
    made->timed = (flags & cudaEventDisableTiming) == 0;
    made->of_processes = (flags & cudaEventInterprocess) != 0;
    if (made->of_processes && made->timed)
      return s.because(cudaErrorInvalidValue, {"an event for several processes takes cudaEventDisableTiming, too"});
    made->gpu = current_gpu();
    *event = reinterpret_cast<cudaEvent_t>(made.get());
    events()[*event] = std::move(made);
    return cudaSuccess;
  });
}

void reach(Session& s, Event& event, cudaStream_t stream) {
  event.at = s.timeline.reached(stream_number(stream));
  event.captured = s.captures(stream) ? s.streams.recorded_in_capture(stream) : std::nullopt;
  event.mark = event.captured ? Mark() : s.streams.recorded(stream);
}

/// Behind a launch that goes on beside the host. False: there is none.
bool reach_later(Session& s, cudaEvent_t event, cudaStream_t stream) {
  if (!s.under_way.any() || s.captures(stream)) return false;
  const auto reached = std::make_shared<bool>(false);
  const auto work = [event, reached](Session& now, cudaStream_t on) {
    *reached = true;
    if (Event* const mine = find(event); mine != nullptr && mine->reached == reached) reach(now, *mine, on);
    return cudaSuccess;
  };
  if (!s.under_way.later(stream, work)) return false;
  find(event)->reached = reached;
  return true;
}

/// `of_graph`: in a stream that is captured it becomes a node, and each launch records the event.
[[gnu::always_inline]] inline cudaError_t record(const char* name, cudaEvent_t event, cudaStream_t stream,
                                                 bool of_graph) {
  return call(name, Waits::no, [&](Session& s) {
    Event* mine = find(event);
    if (mine == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_event());
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (const int gpu = gpu_of_stream(stream_number(stream)); gpu != mine->gpu)
      return s.because(cudaErrorInvalidResourceHandle, stream_of_another("the event is", gpu, mine->gpu));
    if (of_graph && s.captures(stream)) {
      const auto work = [event](Session&, cudaStream_t on) { return cudaEventRecord(event, on); };
      s.capture(stream, work, cudaGraphNodeTypeEventRecord);
      return cudaSuccess;
    }
    mine->recorded = true;
    mine->waits = s.waits;
    mine->reached.reset();
    if (!reach_later(s, event, stream)) reach(s, *mine, stream);
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
  return call("cudaEventDestroy", Waits::no, [&](Session& s) {
    return events().erase(event) == 1 ? cudaSuccess : s.because(cudaErrorInvalidResourceHandle, no_event());
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return record("cudaEventRecord", event, stream, false);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return record("cudaEventRecordWithFlags", event, stream, (flags & cudaEventRecordExternal) != 0);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call("cudaEventSynchronize", Waits::yes, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_event());
    if (mine->captured) return s.because(cudaErrorCapturedEvent, event_of_capture());
    const auto reached = mine->reached;
    if (reached != nullptr && !*reached) {
      if (const auto e = s.under_way.wait([&] { return *reached; }); e != cudaSuccess) return e;
      mine = find(event);
      if (mine == nullptr) return cudaSuccess;
    }
    s.host_waits(mine->at);
    s.streams.synchronised(mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return call("cudaEventQuery", Waits::yes, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_event());
    if (mine->captured) return s.because(cudaErrorCapturedEvent, event_of_capture());
    if (!mine->is_reached()) return cudaErrorNotReady;
    s.host_waits(mine->at);
    s.streams.synchronised(mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return call("cudaIpcGetEventHandle", Waits::no, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_event());
    if (!mine->of_processes || handle == nullptr)
      return s.because(cudaErrorInvalidResourceHandle, {"the event was made without cudaEventInterprocess"});
    write_handle(handle, kEventHandle, {static_cast<std::uint32_t>(getpid()), 0});
    return cudaSuccess;
  });
}

/// Work of another process is done when that has queued it: whoever knows of the event comes behind.
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  SharedName name;
  if (!read_handle(&handle, kEventHandle, name))
    return call("cudaIpcOpenEventHandle", Waits::no, [&](Session& s) {
      return s.because(cudaErrorInvalidValue, {"the handle is none that cudaIpcGetEventHandle gave"});
    });
  return create("cudaIpcOpenEventHandle", event, cudaEventDisableTiming | cudaEventInterprocess);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call("cudaStreamWaitEvent", Waits::no, [&](Session& s) {
    const Event* mine = find(event);
    if (mine == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_event());
    if (stream_of(stream) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_stream(stream));
    if (s.captured == nullptr && s.under_way.any()) {
      const auto wait = [event](Session& now, cudaStream_t on) {
        if (const Event* const then = find(event)) now.timeline.wait_until(stream_number(on), then->at);
        return cudaSuccess;
      };
      if (s.under_way.later(stream, wait, mine->reached)) return cudaSuccess;
    }
    if (s.captures(stream) && (flags & cudaEventWaitExternal) != 0) {
      const auto work = [event](Session&, cudaStream_t on) { return cudaStreamWaitEvent(on, event, 0); };
      s.capture(stream, work, cudaGraphNodeTypeWaitEvent);
      return cudaSuccess;
    }
    if (s.captured != nullptr && mine->captured && s.streams.capture().is_current(*mine->captured)) {
      s.streams.waits_in_capture(stream, *mine->captured);
      return cudaSuccess;
    }
    if (s.captures(stream) && mine->recorded) return s.because(cudaErrorStreamCaptureIsolation, waits_for_uncaptured());
    s.timeline.wait_until(stream_number(stream), mine->at);
    s.streams.waits(stream, mine->mark);
    return cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  void* const caller = __builtin_return_address(0);
  return call("cudaEventElapsedTime", Waits::no, [&](Session& s) {
    const Event *first = find(start), *last = find(end);
    for (const auto& [event, which] : {std::pair{first, "first "}, std::pair{last, "second "}}) {
      constexpr auto error = cudaErrorInvalidResourceHandle;
      if (event == nullptr) return s.because(error, no_event(which));
      if (!event->timed) return s.because(error, event_without_time(which));
      if (!event->recorded) return s.because(error, event_not_recorded(which));
    }
    if (first->gpu != last->gpu) return s.because(cudaErrorInvalidResourceHandle, events_of_two(first->gpu, last->gpu));
    if (!first->is_reached() || !last->is_reached()) return cudaErrorNotReady;
    if (last->waits == s.waits)
      s.failures.may_fail(s.record, "cudaEventElapsedTime", cudaErrorNotReady, nobody_waited(), caller);
    constexpr double least = 0.001;  // two events without anything between them
    *ms = static_cast<float>(last->at.ms >= first->at.ms ? std::max(last->at.ms - first->at.ms, least)
                                                         : last->at.ms - first->at.ms);
    s.note("cudaEventElapsedTime gives modelled time, not measured time");
    return cudaSuccess;
  });
}

}  // extern "C"
