#pragma once
// How fast a file's kernel is on a GPU, beside a rung of the lab.
//
// Both run in processes of their own, in turns: what the one does to its context (limits, cache policies, clocks that
// it heats up) the other does not see, or sees as much of. Each launch is timed with a cold L2, from the outside:
// streams and events of the kernel's own have no say. It is verified at the size at which it is timed: the launch
// before the samples, the last of the samples, and a few launches of new data, which may not be much slower.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/device/device_kind.h"
#include "labs/lab.h"
#include "runner/case/judgement.h"
#include "runner/case/result.h"
#include "runner/execution/executor.h"
#include "runner/judge/kernel_search/find_kernel.h"
#include "runner/judge/rung_counts.h"

namespace gpulab {

struct TimedKernel {
  Lab file;  ///< with the kernel alone
  const FoundKernel* kernel = nullptr;
  const ContractLaunch* launch = nullptr;
};

/// For each question the median of five ratios, each of medians: the kernel's time by the rung's. Of several kernels
/// (instances of a template) the slowest counts. Throws Error (missing) where there is no GPU.
[[nodiscard]] std::vector<TimedRatio> times_beside(const Lab& lab, const Contract& contract,
                                                   const std::vector<TimedKernel>& kernels,
                                                   const std::vector<TimedQuestion>& questions, std::uint64_t seed);

/// Why times of data that launches have seen before are not the kernel's; empty: they are. `new_data_ms`: of the
/// fastest launch of several sets of data that no launch had seen.
[[nodiscard]] std::string kept_results_text(const std::optional<Timing>& seen, std::optional<double> new_data_ms);

/// How many samples a round takes of a kernel one launch of which took so long.
[[nodiscard]] int samples_of_round(std::optional<double> launch_ms);

/// Throws Error (missing) where there is none.
[[nodiscard]] const DeviceKind& timing_kind();
/// Of the GPU that times: 90 for 9.0. The same error.
[[nodiscard]] int timing_capability();

}  // namespace gpulab
