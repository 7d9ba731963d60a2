#include "common/cuda_api/ordering/ordering.h"

#include <algorithm>

namespace gpulab::cuda_api {

void Ordering::created(Stream stream, bool blocking) { streams_[stream] = {{}, blocking}; }

void Ordering::destroyed(Stream stream) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  Gone& gone = destroyed_[gpu_of_stream(stream)];
  gone.all.join(found->second.knows);
  if (found->second.blocking) gone.blocking.join(found->second.knows);
  streams_.erase(found);
}

bool Ordering::may_overlap(Stream next) const {
  std::size_t others = next != kLegacy && !streams_.contains(next) ? 1 : 0;
  for (const auto& [stream, state] : streams_) {
    if (stream != kLegacy) ++others;
    if (!state.blocking || gpu_of_stream(stream) != gpu_of_stream(next)) return true;
  }
  return others > 1;
}

bool Ordering::is_blocking(Stream stream) const {
  const auto known = streams_.find(stream);
  return known == streams_.end() || known->second.blocking;
}

Clock Ordering::behind(Stream stream) const {
  const auto known = streams_.find(stream);
  Clock all = known == streams_.end() ? Clock() : known->second.knows;
  const Stream its_legacy = legacy_of(stream);
  if (stream == its_legacy) {
    for (const auto& [other, state] : streams_)
      if (state.blocking && legacy_of(other) == stream) all.join(state.knows);
    if (const auto gone = destroyed_.find(gpu_of_stream(stream)); gone != destroyed_.end())
      all.join(gone->second.blocking);
  } else if (known == streams_.end() || known->second.blocking) {
    if (const auto legacy = streams_.find(its_legacy); legacy != streams_.end()) all.join(legacy->second.knows);
  }
  return all;
}

Point Ordering::queued(Stream stream) {
  if (graph_.depth > 0) {
    Point point = graph_.point;
    point.node = graph_.node + 1;
    return point;
  }
  // Without a wait for everything nothing is ever forgotten: as if there had been one.
  if (times_.size() > kMostStreams) synchronised();
  Clock knows = behind(stream);
  knows.join(host_);
  const Clock::Time time = ++times_[stream];
  knows.set(stream, time);
  streams_[stream].knows = std::move(knows);
  return {stream, time, 0, era_};
}

bool Ordering::is_before(const Point& earlier, const Point& later) const {
  if (earlier.era != era_) return true;
  const bool of_one_launch = earlier.stream == later.stream && earlier.time == later.time;
  if (of_one_launch && earlier.node != 0 && later.node != 0) return reaches(earlier.node - 1, later.node - 1);
  if (earlier.stream == later.stream) return true;
  const auto known = streams_.find(later.stream);
  return known == streams_.end() || known->second.knows.of(earlier.stream) >= earlier.time;
}

void Ordering::assume_before(const Point& earlier, const Point& later) {
  if (earlier.era == era_ && earlier.stream != later.stream)
    streams_[later.stream].knows.set(earlier.stream, earlier.time);
}

void Ordering::assume_over(const Point& point) {
  if (point.era == era_) (callbacks_ > 0 ? callback_ : host_).set(point.stream, point.time);
}

bool Ordering::is_over(const Point& point) const {
  return point.era != era_ || (callbacks_ > 0 ? callback_ : host_).of(point.stream) >= point.time;
}

Mark Ordering::recorded(Stream stream) const { return {behind(stream), era_}; }

void Ordering::waits(Stream stream, const Mark& mark) {
  if (mark.era == era_) streams_[stream].knows.join(mark.knows);
}

void Ordering::synchronised(Stream stream) {
  if (callbacks_ == 0 && graph_.depth == 0) host_.join(behind(stream));
}

void Ordering::synchronised(const Mark& mark) {
  if (mark.era == era_ && callbacks_ == 0 && graph_.depth == 0) host_.join(mark.knows);
}

void Ordering::synchronised() {
  if (callbacks_ > 0 || graph_.depth > 0) return;
  // All that has been is over, for everyone: it is forgotten.
  ++era_;
  for (auto& [stream, state] : streams_) state.knows.clear();
  destroyed_.clear();
  host_.clear();
  times_.clear();
  instances_.clear();
}

void Ordering::synchronised_gpu(int gpu) {
  if (callbacks_ > 0 || graph_.depth > 0) return;
  for (const auto& [stream, state] : streams_)
    if (gpu_of_stream(stream) == gpu) host_.join(state.knows);
  if (const auto gone = destroyed_.find(gpu); gone != destroyed_.end()) host_.join(gone->second.all);
}

void Ordering::begin_callback(Stream stream) {
  if (callbacks_++ == 0) callback_ = behind(stream);
  callback_.join(host_);
}

void Ordering::end_callback() {
  if (--callbacks_ == 0) host_.join(callback_);
}

void Ordering::begin_graph(Stream stream, const void* instance, const std::vector<std::vector<std::uint32_t>>& before) {
  if (graph_.depth++ > 0) return;
  const auto last = instances_.find(instance);
  if (last != instances_.end()) waits(stream, last->second);
  graph_.depth = 0;
  const Point point = queued(stream);
  graph_ = {1, stream, point, instance, 0, before.size() > kMostNodes, {}};
  if (graph_.in_turn) return;
  graph_.ancestors.resize(before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    auto& mine = graph_.ancestors[i];
    mine.resize(i + 1);
    for (const std::uint32_t one : before[i]) {
      if (one >= i) continue;
      mine[one] = true;
      const auto& others = graph_.ancestors[one];
      for (std::size_t k = 0; k < others.size(); ++k)
        if (others[k]) mine[k] = true;
    }
  }
}

void Ordering::node(std::uint32_t index) {
  if (graph_.depth == 1) graph_.node = index;
}

void Ordering::end_graph() {
  if (--graph_.depth > 0) return;
  instances_[graph_.instance] = recorded(graph_.stream);
}

bool Ordering::reaches(std::uint32_t earlier, std::uint32_t later) const {
  if (earlier == later || graph_.in_turn || later >= graph_.ancestors.size()) return true;
  const auto& mine = graph_.ancestors[later];
  return earlier < mine.size() && mine[earlier];
}

}  // namespace gpulab::cuda_api
