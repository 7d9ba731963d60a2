#include "runner/case/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

namespace gpulab {
namespace {

/// Quartiles need a few samples to mean anything; a noisy kernel must end some time.
constexpr std::size_t fewest_samples = 11, most_samples = 2000;
/// A noisy kernel is sampled for at most this many times MeasureOptions::min_time_s.
constexpr double patience = 10;

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool enough(const std::vector<double>& samples, double total_ms, const MeasureOptions& options) {
  if (options.reps > 0) return samples.size() >= static_cast<std::size_t>(options.reps);
  if (samples.size() < fewest_samples || total_ms < options.min_time_s * 1000) return samples.size() >= most_samples;
  if (samples.size() >= most_samples || total_ms >= patience * options.min_time_s * 1000) return true;
  const auto timing = summarize(samples, TimeSource::none);
  return timing.q3_ms - timing.q1_ms <= options.max_noise * timing.median_ms;
}

}  // namespace

Timing summarize(std::span<const double> milliseconds, TimeSource source, std::optional<CacheState> mode) {
  Timing timing;
  timing.source = source;
  timing.mode = mode;
  timing.samples = static_cast<int>(milliseconds.size());
  if (milliseconds.empty()) return timing;
  std::vector<double> sorted(milliseconds.begin(), milliseconds.end());
  std::sort(sorted.begin(), sorted.end());
  const auto count = static_cast<double>(sorted.size());
  timing.min_ms = sorted.front();
  timing.q1_ms = quantile(sorted, 0.25);
  timing.median_ms = quantile(sorted, 0.5);
  timing.q3_ms = quantile(sorted, 0.75);
  timing.mean_ms = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : sorted) squares += (sample - timing.mean_ms) * (sample - timing.mean_ms);
  timing.stddev_ms = count > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return timing;
}

Timing measure(Device& device, const MeasureOptions& options, const std::function<void()>& restore,
               const std::function<void()>& work) {
  for (int i = 0; i < options.warmup; ++i) {
    restore();
    work();
  }
  device.synchronize();
  std::vector<double> samples;
  double total_ms = 0;
  while (!enough(samples, total_ms, options)) {
    restore();
    samples.push_back(device.time(work, !options.warm));
    total_ms += samples.back();
  }
  return summarize(samples, TimeSource::cuda_events, options.warm ? CacheState::warm : CacheState::cold);
}

HostTimes measure_on_host(Device& device, const MeasureOptions& options, const std::function<void()>& restore,
                          const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  std::vector<double> queued, finished;
  double total_ms = 0;
  while (!enough(finished, total_ms, options)) {
    restore();
    // The samples are taken inside of Device::time(): what a device sets up around work (it captures what kernels
    // print) is then done before the host's clock starts.
    const auto sample = [&] {
      device.synchronize();
      const auto start = Clock::now();
      work();
      const auto returned = Clock::now();
      device.synchronize();
      queued.push_back(ms(returned - start));
      finished.push_back(ms(Clock::now() - start));
    };
    (void)device.time(sample, false);
    total_ms += finished.back();
  }
  return {summarize(queued, TimeSource::none).median_ms, summarize(finished, TimeSource::none).median_ms};
}

}  // namespace gpulab
