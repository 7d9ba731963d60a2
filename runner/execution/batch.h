#pragma once
// The cases of a run, one after another on a thread of their own.

#include <memory>
#include <string>
#include <vector>

#include "common/error.h"
#include "runner/execution/executor.h"
#include "runner/options/sweep.h"

namespace gpulab {

/// What runs, and all that running it reads. The thread of the cases owns it together with whoever asked: after Ctrl-C
/// it may outlive him.
struct Batch {
  std::shared_ptr<const Lab> lab;  ///< has the variants of the cases
  std::shared_ptr<Executor> executor;
  std::shared_ptr<Executor> beside{};  ///< a simulator that counts what `executor`, a GPU, only times; null: none
  std::vector<SweepCase> cases{};
  RunOptions options{};
  bool in_turn = false;              ///< cases stand in pairs, whose samples are taken in turn
  std::vector<std::string> tools{};  ///< that look for faults meanwhile
};

/// Runs every case; one that fails does not end the others. Stops early once interrupted() says so, the running
/// case then reported as `interrupted`; it may go on running (interrupt.h).
[[nodiscard]] std::vector<Result> run_batch(const std::shared_ptr<const Batch>& batch);

/// The worst of 4, 1, 3; 130 where a result was interrupted. `cases` and `results` correspond.
[[nodiscard]] ExitCode exit_code(const std::vector<SweepCase>& cases, const std::vector<Result>& results);

}  // namespace gpulab
