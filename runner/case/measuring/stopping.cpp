#include "runner/case/measuring/stopping.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "runner/case/measuring/measure.h"

namespace gpulab {
namespace {

/// Quartiles need a few samples to mean anything; a noisy kernel must end some time.
constexpr std::size_t fewest_samples = 11, most_samples = 2000;
/// A noisy kernel is sampled for at most this many times MeasureOptions::min_time_s.
constexpr double longest = 10;
/// Entropy of few samples is little whatever they are; half as many again must not have raised it by more than this.
constexpr std::size_t fewest_for_entropy = 48;
constexpr double settled_bits = 0.05;
/// Of the events' clock.
constexpr double step_ms = 0.0005, bin = 0.005;

bool is_quiet(std::span<const double> samples, const MeasureOptions& options) {
  const auto timing = summarize(samples, TimeSource::none);
  return timing.q3_ms - timing.q1_ms <= options.max_noise * timing.median_ms;
}

bool is_settled(std::span<const double> samples) {
  if (samples.size() < fewest_for_entropy) return false;
  const auto before = samples.first(samples.size() * 2 / 3);
  return std::abs(entropy_of(samples) - entropy_of(before)) <= settled_bits;
}

}  // namespace

double entropy_of(std::span<const double> milliseconds) {
  if (milliseconds.empty()) return 0;
  std::vector<double> sorted(milliseconds.begin(), milliseconds.end());
  std::sort(sorted.begin(), sorted.end());
  const double width = std::max(step_ms, bin * sorted[sorted.size() / 2]);
  std::map<double, int> bins;
  for (const double one : sorted) ++bins[std::floor(one / width)];
  double bits = 0;
  for (const auto& [place, count] : bins) {
    const double share = double(count) / double(sorted.size());
    bits -= share * std::log2(share);
  }
  return bits;
}

std::optional<StoppedBy> enough(std::span<const double> samples, const MeasureOptions& options) {
  using enum StoppedBy;
  const auto when = [](bool ends, StoppedBy why) { return ends ? std::optional(why) : std::nullopt; };
  if (options.reps > 0) return when(samples.size() >= static_cast<std::size_t>(options.reps), count);
  const double total_ms = std::accumulate(samples.begin(), samples.end(), 0.0), asked_ms = options.min_time_s * 1000;
  if (samples.size() < fewest_samples || total_ms < asked_ms)
    return when(samples.size() >= most_samples, StoppedBy::patience);
  const bool ends = options.stop == StopBy::noise ? is_quiet(samples, options) : is_settled(samples);
  if (ends) return options.stop == StopBy::noise ? noise : entropy;
  return when(samples.size() >= most_samples || total_ms >= longest * asked_ms, StoppedBy::patience);
}

}  // namespace gpulab
