#include "runner/compare/kernels/two_rungs.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/text.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"

namespace gpulab {

RanPairs run_two_rungs(const SweepOptions& options, const MachineOptions& machine, const MeasureOptions& measure) {
  const auto& lab = *options.lab;
  if (options.variants.size() != 2 || options.all_variants)
    throw usage_error(
        fmt::format("compare: two variants of {} are compared, these are {}", lab.name, options.variants.size()),
        fmt::format("as in: gpulab compare {} --variant {},{}", lab.name, lab.variants.front().name, lab.headline));
  const auto set = comparing(machine);
  const bool is_gpu = measures(set);
  auto batch = std::make_shared<Batch>();
  batch->lab = options.lab;
  batch->executor = is_gpu ? open_device(set) : open_simulator(set, true);
  if (is_gpu && *set.counters) batch->beside = open_simulator(set);
  batch->cases = sweep(options, host_of(*batch->executor));
  batch->options.grid = options.launch.grid;
  batch->options.counters = *set.counters;
  batch->options.measure = measure;
  batch->in_turn = is_gpu;
  RanPairs ran{.a = options.variants[0]->name, .b = options.variants[1]->name, .of = lab.name};
  ran.device = batch->executor->info();
  ran.kind = PairKind::rungs;
  ran.add(in_pairs(run_batch(batch)), {batch});
  return ran;
}

Given with_a_sweep(const Lab& lab, Given given) {
  const auto n = std::ranges::find(lab.params, "n", &Param::name);
  if (n == lab.params.end() || given.contains("n") || !n->tested.empty()) return given;
  const auto* size = std::get_if<std::int64_t>(&n->fallback);
  if (size == nullptr) return given;
  std::vector<std::string> sizes;
  for (const std::int64_t part : {64, 8, 1}) {
    const auto text = fmt::format("{}", std::max(n->min, *size / part));
    if (std::ranges::count(sizes, text) == 0) sizes.push_back(text);
  }
  given["n"] = {join(sizes, ",")};
  return given;
}

std::vector<RanPair> in_pairs(std::vector<Result> results) {
  std::vector<RanPair> pairs;
  for (const auto& result : results)
    if (result.status == CaseStatus::interrupted) throw Error(ExitCode::interrupted, "interrupted");
  for (std::size_t i = 0; i + 1 < results.size(); i += 2)
    pairs.push_back({std::move(results[i]), std::move(results[i + 1])});
  return pairs;
}

}  // namespace gpulab
