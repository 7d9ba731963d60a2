#pragma once
// How fast a file's kernel is on a GPU, beside a rung of the lab.
//
// Both run in processes of their own, in turns: what the one does to its context (limits, cache policies, clocks that it
// heats up) the other does not see, or sees as much of. Each launch is timed with a cold L2, from the outside: streams
// and events of the kernel's own have no say. It is first verified, at the size at which it is timed.

#include <cstdint>
#include <memory>
#include <string>

#include "common/device/device_kind.h"
#include "labs/lab.h"
#include "runner/case/judgement.h"
#include "runner/execution/executor.h"
#include "runner/judge/find_kernel.h"
#include "runner/judge/rung_counts.h"

namespace gpulab {

struct TimedKernel {
  const Lab* file = nullptr;  ///< with the kernel alone
  const FoundKernel* kernel = nullptr;
  const ContractLaunch* launch = nullptr;
};

class SpeedTrial {
 public:
  /// Throws Error (missing) where there is no GPU. Both processes start at the first question.
  SpeedTrial(const Lab& lab, const Contract& contract, std::uint64_t seed);

  /// Median of five ratios, each of medians: the kernel's time by the rung's.
  [[nodiscard]] TimedRatio time(const TimedKernel& kernel, const TimedQuestion& question);

 private:
  const Lab& lab_;
  const Contract& contract_;
  std::uint64_t seed_, trials_ = 0;
  std::unique_ptr<Executor> own_, rungs_;
};

/// Throws Error (missing) where there is none.
[[nodiscard]] const DeviceKind& timing_kind();

}  // namespace gpulab
