#pragma once
// Repeated timing of one piece of work on a device.

#include <functional>
#include <span>

#include "common/device/device.h"
#include "runner/case/measuring/stopping.h"
#include "runner/case/result.h"

namespace gpulab {

/// Timing of samples in milliseconds: quartiles by linear interpolation, stddev of the sample (n - 1).
[[nodiscard]] Timing summarize(std::span<const double> milliseconds, TimeSource source,
                               std::optional<CacheState> mode = {});

/// Times `work` on a device that measures time. `restore` runs untimed before every run (inputs that the kernel
/// overwrites). Samples beside which the clock was held back are taken again, as far as patience goes (samples.h).
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
