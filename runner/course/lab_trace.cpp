#include "runner/course/lab_trace.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::vector<const Variant*> traced_rungs(const Lab& lab) {
  std::vector<const Variant*> rungs;
  const auto can = [](const Variant& v) { return launches_kernels(v) && !v.gpu_only && !v.racy; };
  const auto worst = std::find_if(lab.variants.begin(), lab.variants.end(), can);
  if (worst != lab.variants.end()) rungs.push_back(&*worst);
  for (const auto& variant : lab.variants)
    if (variant.name == lab.headline && can(variant) && rungs.front() != &variant) rungs.push_back(&variant);
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
