#include "runner/case/measuring/samples.h"

#include <algorithm>
#include <thread>

#include "runner/case/measuring/measure.h"

namespace gpulab {
namespace {

using namespace std::chrono_literals;

/// Samples that are taken again: so many, and one for each two that were kept.
constexpr int patience = 20;
/// What a GPU gets to recover before the next sample: this, and twice as much each time.
constexpr auto first_pause = 1ms, longest_pause = 64ms;

}  // namespace

Sample take_sample(Device& device, bool cold, const std::function<void()>& restore, const std::function<void()>& work) {
  restore();
  Sample sample{.ms = device.time(work, cold)};
  sample.clock = clock_of(device);
  return sample;
}

std::string Samples::objection(const Sample& sample) {
  best_mhz_ = std::max(best_mhz_, sample.clock.sm_mhz);
  const bool is_low = sample.clock.sm_mhz > 0 && sample.clock.sm_mhz < kLowClock * best_mhz_;
  std::string reason = !sample.clock.throttled.empty() ? sample.clock.throttled : is_low ? "low clock" : "";
  if (reason.empty()) return {};
  if (refused_ >= patience + static_cast<int>(ms_.size()) / 2) {
    throttled_ = reason;
    return {};
  }
  return reason;
}

void Samples::keep(const Sample& sample) {
  ms_.push_back(sample.ms);
  mhz_.push_back(sample.clock.sm_mhz);
  refused_in_a_row_ = 0;
}

void Samples::discard(const std::string& reason) {
  auto known = std::ranges::find(discarded_, reason, &Discarded::reason);
  if (known == discarded_.end()) known = discarded_.insert(known, {reason, 0});
  ++known->samples;
  ++refused_;
  std::this_thread::sleep_for(
      std::min<std::chrono::milliseconds>(first_pause * (1 << std::min(refused_in_a_row_, 6)), longest_pause));
  ++refused_in_a_row_;
}

Timing Samples::timing(Device& device, bool warm, StoppedBy stopped_by) const {
  auto timing = summarize(ms_, TimeSource::cuda_events, warm ? CacheState::warm : CacheState::cold);
  timing.samples_ms = ms_;
  if (std::ranges::all_of(mhz_, [](double mhz) { return mhz > 0; })) timing.sm_mhz = mhz_;
  timing.stopped_by = stopped_by;
  timing.discarded = discarded_;
  timing.throttled = throttled_;
  timing.throttling_unseen = throttling_unseen(device);
  return timing;
}

}  // namespace gpulab
