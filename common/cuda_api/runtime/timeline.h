#pragma once
// Modelled time: a clock for each stream, and on each GPU one for the engine that runs kernels and one for each
// direction of copies.
// Work on the legacy default stream waits for all that came before, and all that comes after waits for it; kernels run
// one at a time.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/ordering/stream_numbers.h"

namespace gpulab::cuda_api {

/// What a stream is by the number that programs hold it by.
struct StreamState {
  unsigned flags = 0;
  int priority = 0;
  double ready_ms = 0;                                              ///< when what has been queued on it has ended
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
    streams_[number] = {flags, priority, 0};
    return number;
  }
  /// What was queued on it is done all the same.
  void remove(std::uint64_t stream) {
    const StreamState* state = this->stream(stream);
    if (state == nullptr) return;
    Gpu& gpu = gpu_of(stream);
    gpu.retired_ms = std::max(gpu.retired_ms, state->ready_ms);
    if (state->blocking()) gpu.retired_blocking_ms = std::max(gpu.retired_blocking_ms, state->ready_ms);
    streams_.erase(stream);
  }
  [[nodiscard]] StreamState* stream(std::uint64_t number) {
    const auto found = streams_.find(number);
    return found == streams_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::size_t count() const { return streams_.size(); }

  /// Work that takes `ms`; returns when it begins.
  double queue(std::uint64_t stream, Engine engine, double ms) {
    queued_ = true;
    double start = std::max(ready(stream), host_ms_);
    double& free = gpu_of(stream).engines[static_cast<int>(engine)];
    start = std::max(start, free);
    free = start + ms;
    streams_[stream].ready_ms = start + ms;
    return start;
  }
  /// When what has been queued on a stream so far has ended.
  [[nodiscard]] double ready(std::uint64_t stream) const {
    const auto found = streams_.find(stream);
    if (found == streams_.end()) return 0;
    double when = found->second.ready_ms;
    const int gpu = gpu_of_stream(stream);
    if (stream == default_stream_of(gpu)) {
      when = std::max(when, gpus_[static_cast<std::size_t>(gpu)].retired_blocking_ms);
      for (const auto& [number, state] : streams_)
        if (state.blocking() && gpu_of_stream(number) == gpu) when = std::max(when, state.ready_ms);
    } else if (found->second.blocking()) {
      when = std::max(when, streams_.at(default_stream_of(gpu)).ready_ms);
    }
    return when;
  }
  void wait_until(std::uint64_t stream, double ms) {
    if (StreamState* state = this->stream(stream)) state->ready_ms = std::max(state->ready_ms, ms);
  }
  /// When a point of a stream that the host queues now is reached: not before it is queued.
  [[nodiscard]] double reached(std::uint64_t stream) {
    queued_ = true;
    return std::max(ready(stream), host_ms_);
  }
  /// The host has waited: what it queues from now on begins later.
  void host_waits(double ms) {
    waited_ms_ += std::max(ms - host_ms_ - unseen_ms_, 0.0);
    host_ms_ = std::max(host_ms_, ms);
    unseen_ms_ = 0;
  }
  /// The host has worked so long since its last call: devices without work have waited for it.
  void host_works(double ms) {
    if (queued_) host_ms_ += ms;
  }
  /// The same of what is too little to show here (host_work.h): if the host waits, then for less.
  void host_spends(double ms) { unseen_ms_ += ms; }
  /// Where the host is.
  [[nodiscard]] double host_ms() const { return host_ms_; }
  /// How long the host has waited since this was asked last.
  [[nodiscard]] double take_waited() { return std::exchange(waited_ms_, 0.0); }
  /// All of one GPU.
  [[nodiscard]] double everything(int gpu) const {
    double when = std::max(host_ms_, gpus_[static_cast<std::size_t>(gpu)].retired_ms);
    for (const auto& [number, state] : streams_)
      if (gpu_of_stream(number) == gpu) when = std::max(when, state.ready_ms);
    return when;
  }

 private:
  struct Gpu {
    double engines[4] = {0, 0, 0, 0};
    double retired_ms = 0, retired_blocking_ms = 0;  ///< of streams that were destroyed
  };
  /// Handles are the program's word: who makes one up gets the first's.
  Gpu& gpu_of(std::uint64_t stream) {
    const auto gpu = static_cast<std::size_t>(gpu_of_stream(stream));
    return gpus_[gpu < gpus_.size() ? gpu : 0];
  }
  std::vector<Gpu> gpus_;
  std::unordered_map<std::uint64_t, StreamState> streams_;
  std::uint64_t last_ = kReserved;
  double host_ms_ = 0, unseen_ms_ = 0, waited_ms_ = 0;
  bool queued_ = false;  ///< anything at all
};

}  // namespace gpulab::cuda_api
