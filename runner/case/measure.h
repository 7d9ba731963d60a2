#pragma once
// Repeated timing of one piece of work on a device.

#include <functional>
#include <span>

#include "common/device/device.h"
#include "runner/case/result.h"

namespace gpulab {

struct MeasureOptions {
  int warmup = 3;           ///< untimed runs before the first sample
  int reps = 0;             ///< samples exactly; 0: as many as min_time and max_noise ask for
  double min_time_s = 0.1;  ///< summed time of the samples at least
  double max_noise = 0.05;  ///< (q3 - q1) / median that is quiet enough to stop
  bool warm = false;        ///< L2 as the sample before left it, instead of flushed
};

/// Timing of samples in milliseconds: quartiles by linear interpolation, stddev of the sample (n - 1).
[[nodiscard]] Timing summarize(std::span<const double> milliseconds, TimeSource source,
                               std::optional<CacheState> mode = {});

/// Times `work` on a device that measures time. `restore` runs untimed before every run (inputs that the kernel
/// overwrites).
[[nodiscard]] Timing measure(Device& device, const MeasureOptions& options, const std::function<void()>& restore,
                             const std::function<void()>& work);

/// Medians by the host's clock, in milliseconds.
struct HostTimes {
  double queued_ms = 0;    ///< until the host had queued the work: all that a clock sees that does not wait
  double finished_ms = 0;  ///< until the device had done it
};

/// Times `work` as a program without events would. Nothing is flushed: caches are as the sample before left them.
[[nodiscard]] HostTimes measure_on_host(Device& device, const MeasureOptions& options,
                                        const std::function<void()>& restore, const std::function<void()>& work);

}  // namespace gpulab
