#pragma once
// Vector clocks: how far somebody knows each stream to be.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpulab::cuda_api {

class Clock {
 public:
  using Stream = std::uint64_t;
  using Time = std::uint64_t;

  /// 0: nothing of it.
  [[nodiscard]] Time of(Stream stream) const {
    const auto found = std::ranges::lower_bound(times_, stream, {}, &Entry::first);
    return found == times_.end() || found->first != stream ? 0 : found->second;
  }
  void set(Stream stream, Time time) {
    const auto found = std::ranges::lower_bound(times_, stream, {}, &Entry::first);
    if (found == times_.end() || found->first != stream)
      times_.insert(found, {stream, time});
    else
      found->second = std::max(found->second, time);
  }
  /// Knows what the other knows, too.
  void join(const Clock& other) {
    for (const auto& [stream, time] : other.times_) set(stream, time);
  }
  [[nodiscard]] std::size_t size() const { return times_.size(); }
  void clear() { times_.clear(); }

 private:
  using Entry = std::pair<Stream, Time>;
  std::vector<Entry> times_;  ///< by stream; few
};

}  // namespace gpulab::cuda_api
