#include "runner/course/lab_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/counters.h"
#include "runner/case/plan.h"
#include "runner/execution/batch.h"
#include "runner/execution/open_device.h"
#include "runner/execution/stepped_case.h"
#include "runner/options/sweep_options.h"
#include "runner/report/html/escape.h"
#include "runner/report/trace/trace_page.h"

namespace gpulab {
namespace {

constexpr std::uint64_t most_steps = 5000;   ///< of a page of the site, which are many
constexpr std::int64_t small_length = 1024;  ///< of a lab's one size: a few blocks do all

/// What can go wrong in a rung: the counter that says how much, from where on it is worth a page.
struct Trouble {
  const char* words;
  std::vector<std::string> counters;  ///< the worst of these counts
  bool efficiency;                    ///< as what is missing to 1
  double least;
};
const Trouble troubles[] = {
    {"bank conflicts", {"bank_conflicts_per_worse_shared_request"}, false, 0.25},
    {"divergence", {"branch_efficiency"}, true, 0.1},
    {"uncoalesced accesses", {"global_load_efficiency", "global_store_efficiency"}, true, 0.3},
};

double amount(const Trouble& trouble, const Result& result) {
  double most = 0;
  if (result.status != CaseStatus::ok || !result.counters) return most;
  for (const auto& info : counters_and_columns()) {
    if (std::ranges::count(trouble.counters, info.name) == 0) continue;
    const auto value = info.value(*result.counters);
    if (value) most = std::max(most, trouble.efficiency ? 1 - *value : *value);
  }
  return most;
}

}  // namespace

std::vector<TracedRung> traced_rungs(const Lab& lab, const Run& ladder) {
  std::vector<TracedRung> rungs;
  const auto can = [](const Variant& v) { return launches_kernels(v) && !v.gpu_only && !v.racy; };
  for (const auto& trouble : troubles) {
    const Variant* worst = nullptr;
    double most = trouble.least;
    for (const auto& result : ladder.results) {
      const auto variant = std::ranges::find(lab.variants, result.variant, &Variant::name);
      if (variant == lab.variants.end() || !can(*variant) || amount(trouble, result) <= most) continue;
      worst = &*variant;
      most = amount(trouble, result);
    }
    if (worst == nullptr) continue;
    const auto known = std::ranges::find(rungs, worst, &TracedRung::variant);
    if (known == rungs.end()) {
      rungs.push_back({worst, trouble.words});
    } else {
      known->shows += fmt::format(", {}", trouble.words);
    }
  }
  const auto first = std::ranges::find_if(lab.variants, can);
  if (rungs.empty() && first != lab.variants.end()) rungs.push_back({&*first, {}});
  for (const auto& variant : lab.variants)
    if (variant.name == lab.headline && can(variant) && std::ranges::count(rungs, &variant, &TracedRung::variant) == 0)
      rungs.push_back({&variant, {}});
  return rungs;
}

std::string trace_address(const std::string& lab, const std::string& variant) {
  return fmt::format("{}-trace-{}.html", lab, html::slug(variant));
}

std::optional<SiteFile> trace_page_of(const std::shared_ptr<const Lab>& lab, const Variant& variant,
                                      std::vector<std::pair<std::string, std::string>> top) {
  auto machine = parse_machine_options({{"device", {"sim"}}, {"profile", {"h200"}}});
  TraceWindow window;
  window.events = most_steps;
  prepare_for_steps(machine, window);
  const std::shared_ptr<Executor> simulator = open_simulator(machine);
  const auto batch = std::make_shared<Batch>(Batch{lab, simulator});
  batch->cases = sweep(parse_sweep_options(lab, with_small_sizes(*lab, {{"variant", {variant.name}}}, small_length)),
                       host_of(*simulator));
  if (batch->cases.size() != 1) return std::nullopt;
  const auto results = run_batch(batch);
  const auto& result = results.front();
  if (result.status != CaseStatus::ok || !result.steps || result.steps->warps.empty()) return std::nullopt;
  auto view = view_of_steps(*lab, variant, *simulator, result);
  view.top = std::move(top);
  return SiteFile{trace_address(lab->name, variant.name), trace_page(view)};
}

}  // namespace gpulab
