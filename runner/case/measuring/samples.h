#pragma once
// Samples of a GPU's time, each with the clock beside it. One beside which the clock was held back is taken again: it
// tells of the power supply and of the neighbours' heat. Where that does not end, samples are kept, and the timing says
// why they are slow.

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "common/device/clocked.h"
#include "runner/case/result.h"

namespace gpulab {

struct Sample {
  double ms = 0;
  ClockReading clock{};
};

/// `restore` and then `work` on the device, of which only `work` is timed.
[[nodiscard]] Sample take_sample(Device& device, bool cold, const std::function<void()>& restore,
                                 const std::function<void()>& work);

/// A clock so far below the best of this measurement is a GPU that wakes up, or one that nobody says is throttled.
constexpr double kLowClock = 0.9;

class Samples {
 public:
  /// Why the sample is to be taken again; empty: it may be kept. Gives in at last.
  [[nodiscard]] std::string objection(const Sample& sample);
  void keep(const Sample& sample);
  void discard(const std::string& reason);
  [[nodiscard]] const std::vector<double>& milliseconds() const { return ms_; }
  [[nodiscard]] Timing timing(Device& device, bool warm, StoppedBy stopped_by) const;

 private:
  std::vector<double> ms_, mhz_;
  std::vector<Discarded> discarded_;
  std::string throttled_;
  double best_mhz_ = 0;
  int refused_ = 0, refused_in_a_row_ = 0;
};

}  // namespace gpulab
