#include "runner/tuner/tuner.h"

#include <algorithm>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"

namespace gpulab {

Tuned tuned(const SweepOptions& sweep, const std::shared_ptr<Executor>& executor, const RunOptions& options) {
  const auto space = tuned_space(sweep, host_of(*executor));
  Tuned made;
  made.run = {executor->info(), sweep.lab->name, {}};
  for (const auto& one : space) {
    auto batch = std::make_shared<Batch>();
    batch->lab = sweep.lab;
    batch->executor = executor;
    batch->cases = {one.swept};
    batch->options = options;
    batch->options.grid = one.grid;
    auto result = run_batch(batch).front();
    if (result.status == CaseStatus::interrupted || interrupted()) throw Error(ExitCode::interrupted, "interrupted");
    made.run.results.push_back(std::move(result));
    made.automatic_grid.push_back(!one.grid);
  }
  sort_fastest_first(made);
  return made;
}

}  // namespace gpulab
