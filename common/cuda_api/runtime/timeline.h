#pragma once
// Modelled time: a clock for each stream, and on each GPU one for each direction of copies; kernels run beside one
// another as far as SMs are free. Work on the legacy default stream waits for all that came before, and all that comes
// after waits for it.
// All of it twice: as events around it would have it, and as a profiler's timeline shows it, for which each call of the
// host's takes what it takes under CUPTI, and a program's first kernel what it takes to load it.

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/ordering/stream_numbers.h"

namespace gpulab::cuda_api {

/// A time on both clocks, in ms.
struct Moment {
  double ms = 0, profiled = 0;
};
inline Moment later(const Moment& a, const Moment& b) {
  return {std::max(a.ms, b.ms), std::max(a.profiled, b.profiled)};
}

/// What a stream is by the number that programs hold it by.
struct StreamState {
  unsigned flags = 0;
  int priority = 0;
  Moment ready{};                                                   ///< when what has been queued on it has ended
  [[nodiscard]] bool blocking() const { return (flags & 1) == 0; }  // cudaStreamNonBlocking
};

class Timeline {
 public:
  enum class Engine { kernels, to_device, to_host, device_copies };
  static constexpr std::uint64_t kDefault = 0;

  static constexpr std::uint64_t kPerThread = 2;  ///< cudaStreamPerThread
  static constexpr std::uint64_t kReserved = 15;  ///< handles that the headers name lie below or there
  static constexpr std::uint64_t kMostHandles = std::uint64_t{1} << 47;

  Timeline() { have_gpus(1); }
  void have_gpus(int count) {
    gpus_.resize(static_cast<std::size_t>(count));
    for (int gpu = 0; gpu < count; ++gpu)
      streams_[default_stream_of(gpu)] = streams_[default_stream_of(gpu) + kPerThread] = {};
  }

  std::uint64_t add(unsigned flags, int priority, int gpu) {
    const std::uint64_t number = default_stream_of(gpu) + ++last_;
    streams_[number] = {flags, priority, {}};
    return number;
  }
  /// What was queued on it is done all the same.
  void remove(std::uint64_t stream) {
    const StreamState* state = this->stream(stream);
    if (state == nullptr) return;
    Gpu& gpu = gpu_of(stream);
    gpu.retired = later(gpu.retired, state->ready);
    if (state->blocking()) gpu.retired_blocking = later(gpu.retired_blocking, state->ready);
    streams_.erase(stream);
  }
  [[nodiscard]] StreamState* stream(std::uint64_t number) {
    const auto found = streams_.find(number);
    return found == streams_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::size_t count() const { return streams_.size(); }

  /// What is queued. `share`: the part of the GPU's SMs that a kernel takes; `behind_ms`: what a profiler shows between
  /// it and what it waits for in its stream.
  struct Work {
    Engine engine = Engine::kernels;
    double ms = 0, share = 1, behind_ms = 0;
  };
  /// Returns when it begins, as a profiler shows it.
  double queue(std::uint64_t stream, const Work& work) {
    const double behind_ms = std::exchange(queued_, true) ? work.behind_ms : 0;  // the timeline begins with the first
    const Moment after = ready(stream);
    Gpu& gpu = gpu_of(stream);
    const Moment start{gpu.begins(work, std::max(after.ms, host_.ms), &Moment::ms),
                       gpu.begins(work, std::max(after.profiled + behind_ms, host_.profiled), &Moment::profiled)};
    gpu.takes(work, start);
    streams_[stream].ready = {start.ms + work.ms, start.profiled + work.ms};
    return start.profiled;
  }
  /// When what has been queued on a stream so far has ended.
  [[nodiscard]] Moment ready(std::uint64_t stream) const {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return {};
    Moment when = found->second.ready;
    const int gpu = gpu_of_stream(stream);
    if (stream == default_stream_of(gpu)) {
      when = later(when, gpus_[static_cast<std::size_t>(gpu)].retired_blocking);
      for (const auto& [number, state] : streams_)
        if (state.blocking() && gpu_of_stream(number) == gpu) when = later(when, state.ready);
    } else if (found->second.blocking()) {
      when = later(when, streams_.at(default_stream_of(gpu)).ready);
    }
    return when;
  }
  void wait_until(std::uint64_t stream, const Moment& when) {
    if (StreamState* state = this->stream(stream)) state->ready = later(state->ready, when);
  }
  /// When a point of a stream that the host queues now is reached: not before it is queued.
  [[nodiscard]] Moment reached(std::uint64_t stream) {
    queued_ = true;
    return later(ready(stream), host_);
  }
  /// The host has waited: what it queues from now on begins later. `profiled_ms`: what a profiler shows behind it.
  void host_waits(const Moment& when, double profiled_ms = 0) {
    waited_ms_ += std::max(when.ms - host_.ms - unseen_ms_, 0.0);
    host_ = later(host_, when);
    if (queued_) host_.profiled += profiled_ms;
    unseen_ms_ = 0;
  }
  /// A call of the host's, which a profiler makes so long.
  void host_calls(double profiled_ms) {
    if (queued_) host_.profiled += profiled_ms;
  }
  /// The host has worked so long since its last call: devices without work have waited for it.
  void host_works(double ms) {
    if (queued_) host_ = {host_.ms + ms, host_.profiled + ms};
  }
  /// The same of what is too little to show here (host_work.h): if the host waits, then for less.
  void host_spends(double ms) { unseen_ms_ += ms; }
  /// Where the host is.
  [[nodiscard]] double host_ms() const { return host_.ms; }
  /// How long the host has waited since this was asked last.
  [[nodiscard]] double take_waited() { return std::exchange(waited_ms_, 0.0); }
  /// All of one GPU.
  [[nodiscard]] Moment everything(int gpu) const {
    Moment when = later(host_, gpus_[static_cast<std::size_t>(gpu)].retired);
    for (const auto& [number, state] : streams_)
      if (gpu_of_stream(number) == gpu) when = later(when, state.ready);
    return when;
  }

 private:
  static constexpr std::size_t kMostKernels =
      128;  ///< that are resident at once (programming guide, "Concurrent Kernel Execution")
  struct Running {
    Moment end{};
    double share = 1;
  };
  struct Gpu {
    std::array<Moment, 4> engines{};
    std::vector<Running> running{};
    Moment retired{}, retired_blocking{};  ///< of streams that were destroyed

    /// Not before `start`, and not before there is room.
    [[nodiscard]] double begins(const Work& work, double start, double Moment::*clock) const {
      start = std::max(start, engines[static_cast<std::size_t>(work.engine)].*clock);
      if (work.engine != Engine::kernels) return start;
      std::vector<std::pair<double, double>> ends;
      double taken = work.share;
      for (const Running& one : running)
        if (one.end.*clock > start) {
          ends.emplace_back(one.end.*clock, one.share);
          taken += one.share;
        }
      std::sort(ends.begin(), ends.end());
      for (const auto& [end, share] : ends) {
        if (taken <= kAll) break;
        start = end;
        taken -= share;
      }
      return start;
    }
    void takes(const Work& work, const Moment& start) {
      const Moment end{start.ms + work.ms, start.profiled + work.ms};
      Moment& engine = engines[static_cast<std::size_t>(work.engine)];
      if (work.engine != Engine::kernels) {
        engine = end;
        return;
      }
      running.push_back({end, work.share});
      if (running.size() == kMostKernels) {  // the next one waits for the first of them
        const auto first = std::min_element(running.begin(), running.end(),
                                            [](const Running& a, const Running& b) { return a.end.ms < b.end.ms; });
        engine = later(engine, first->end);
        running.erase(first);
      }
    }
    static constexpr double kAll = 1 + 1e-9;
  };
  /// Handles are the program's word: who makes one up gets the first's.
  Gpu& gpu_of(std::uint64_t stream) {
    const auto gpu = static_cast<std::size_t>(gpu_of_stream(stream));
    return gpus_[gpu < gpus_.size() ? gpu : 0];
  }
  std::vector<Gpu> gpus_;
  std::unordered_map<std::uint64_t, StreamState> streams_;
  std::uint64_t last_ = kReserved;
  Moment host_{};
  double unseen_ms_ = 0, waited_ms_ = 0;
  bool queued_ = false;  ///< anything at all
};

}  // namespace gpulab::cuda_api
