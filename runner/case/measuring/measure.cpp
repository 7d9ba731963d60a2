#include "runner/case/measuring/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

#include "runner/case/measuring/samples.h"

namespace gpulab {
namespace {

double quantile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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
  Samples samples;
  std::optional<StoppedBy> ended;
  while (!(ended = enough(samples.milliseconds(), options))) {
    const auto sample = take_sample(device, !options.warm, restore, work);
    if (const auto reason = samples.objection(sample); reason.empty())
      samples.keep(sample);
    else
      samples.discard(reason);
  }
  return samples.timing(device, options.warm, *ended);
}

HostTimes measure_on_host(Device& device, const MeasureOptions& options, const std::function<void()>& restore,
                          const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto ms = [](Clock::duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
  std::vector<double> queued, finished;
  while (!enough(finished, options)) {
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
  }
  return {summarize(queued, TimeSource::none).median_ms, summarize(finished, TimeSource::none).median_ms};
}

}  // namespace gpulab
