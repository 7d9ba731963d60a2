#include "runner/execution/simulated_counters.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/case/metrics.h"

namespace gpulab {
namespace {

/// Sizes at which every simulation is quick enough to predict from.
constexpr std::int64_t quick = 1 << 12;

/// Parameters that are sizes: numbers whose default is large. A tile or a stride stays what it is.
bool is_size(const Param& param) {
  const auto* fallback = std::get_if<std::int64_t>(&param.fallback);
  return fallback != nullptr && *fallback > 1024;
}

/// The case with each size halved `times` times, but none below `quick` (or what it was).
Case halved(const Lab& lab, Case point, int times) {
  for (const auto& param : lab.params) {
    if (!is_size(param)) continue;
    auto& size = std::get<std::int64_t>(point.params.values.at(param.name));
    size = std::max(size >> times, std::min(size, quick));
  }
  return point;
}

bool same(const Case& a, const Case& b) { return a.params.values == b.params.values; }

}  // namespace

void add_simulated_counters(Executor& simulator, const Lab& lab, const Variant& variant, const Case& point,
                            const RunOptions& options, double seconds, Result& result) {
  auto run = options;
  run.grid.reset();   // a grid that was given belongs to the full size
  run.dumps.clear();  // the buffers to keep are the GPU's
  run.printed = {};   // and so is the text to show
  int times = 0;
  while (!same(halved(lab, point, times), halved(lab, point, times + 1))) ++times;
  std::optional<Result> best;
  // From the smallest size upwards, as long as the next one, with every size doubled, is expected to end in time.
  for (; times >= 0; --times) {
    auto smaller = halved(lab, point, times);
    if (same(smaller, point)) run.grid = options.grid;
    auto counted = simulator.run(lab, variant, smaller, run);
    if (counted.status != CaseStatus::ok) {
      if (!best) result.message = fmt::format("no counters: simulating beside the GPU: {}", counted.message);
      break;
    }
    best = std::move(counted);
    if (times == 0) break;
    const double took = best->simulation_ms.value_or(0) / 1000;
    const double before = lab.work(smaller).bytes, after = lab.work(halved(lab, point, times - 1)).bytes;
    if (before > 0 && took * after / before > seconds) break;
  }
  if (!best) return;
  result.counters = best->counters;
  if (best->params != result.params) {
    result.counters_params = best->params;
    return;  // the time of another size is not this one's
  }
  result.model = best->model;
  add_modelled_time(result);
}

}  // namespace gpulab
