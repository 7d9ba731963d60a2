#pragma once
// From --device, --profile and the simulator's options to something that runs cases.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "common/child/child.h"
#include "runner/execution/executor.h"
#include "runner/options/file_options.h"
#include "runner/options/machine_options.h"
#include "runner/options/sweep.h"

namespace gpulab {

/// Throws Error (missing, exit 3) where a GPU is asked for by name and there is none.
[[nodiscard]] std::unique_ptr<Executor> open_device(const MachineOptions& options);
/// The same for a kernel of a file: whatever the device, it runs in a process of its own, which starts now.
[[nodiscard]] std::unique_ptr<Executor> open_device_for_file(const MachineOptions& options, const FileAccess& access);

/// The simulator that these options describe: --profile, else that of the GPU present, else h200. `lines`: it counts by
/// source line.
[[nodiscard]] std::unique_ptr<Executor> open_simulator(const MachineOptions& options, bool lines = false);
/// The same for a kernel of a file, in a process of its own.
[[nodiscard]] std::unique_ptr<Executor> open_simulator_for_file(const MachineOptions& options, const FileAccess& access,
                                                                bool lines = false);

/// The same for a kernel that is judged: within limits, and of one CPU thread, so that two judgings are alike. `wall`:
/// of one case, a backstop.
struct JudgingLimits {
  std::chrono::milliseconds wall{60'000};
  std::chrono::seconds cpu{60};  ///< of all cases that one process runs
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  bool isolated = true;
  bool knows_nothing = false;       ///< the process is no copy of ours, which would hold keys
  std::function<void()> waiting{};  ///< called several times a second while it runs
};
[[nodiscard]] std::unique_ptr<Executor> open_simulator_for_judging(MachineOptions options, const JudgingLimits& limits);

/// The file system and the memory that such a process has, for another child that reads what strangers made.
void confine_for_judging(ChildPlan& plan, bool isolated);

/// What a sweep must know of where it runs.
[[nodiscard]] Host host_of(const Executor& executor);

}  // namespace gpulab
