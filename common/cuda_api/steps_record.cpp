#include "common/cuda_api/steps_record.h"

#include <algorithm>
#include <stdexcept>

#include "common/simt/observers/trace/value_code.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t most_steps = 2'100'000,  ///< `--events` takes a million, barriers' ends come on top
    most_arrays = 1'000'000, most_findings = 100, most_sites_of_finding = 8, most_registers = 128;

std::size_t places_in(std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find("{}"); at != std::string_view::npos; at = text.find("{}", at + 2)) ++count;
  return count;
}

bool values_are_whole(const StepTrace& trace, const TraceStep& step) {
  if (step.site == no_step_part || (step.active & ~step.off) == 0 || step.values >= trace.values.size()) return false;
  const StepSite& site = trace.sites[step.site];
  std::size_t registers = site.results.size();
  if (step.access != no_step_part) registers += site.stored.size();
  std::size_t at = step.values;
  try {
    for (std::size_t i = 0; i < registers; ++i) (void)simt::unpack_values(trace.values, at, step.active & ~step.off);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

bool is_sound(const StepTrace& trace, const TraceStep& step, const std::vector<std::size_t>& places) {
  return (step.site == no_step_part || step.site < trace.sites.size()) && step.warp < trace.warps.size() &&
         step.text < trace.texts.size() && step.first_arg <= trace.args.size() &&
         places[step.text] <= trace.args.size() - step.first_arg &&
         (step.access == no_step_part || step.access < trace.accesses.size()) &&
         (step.values == no_step_part || values_are_whole(trace, step));
}

}  // namespace

bool is_sound(const StepsRecord& record) {
  const StepTrace& trace = record.steps;
  if (trace.steps.size() > most_steps || trace.arrays.size() > most_arrays || record.findings.size() > most_findings)
    return false;
  const auto shape = [](const Dim3& d) { return d.x != 0 && d.y != 0 && d.z != 0; };
  if (!shape(trace.grid) || !shape(trace.block)) return false;
  const auto few = [](const StepSite& site) { return site.results.size() + site.stored.size() <= most_registers; };
  if (!std::ranges::all_of(trace.sites, few)) return false;
  if (!std::ranges::all_of(trace.accesses, [](const StepAccess& access) { return access.width != 0; })) return false;
  const auto known = [](const Finding& finding) { return finding.at.size() <= most_sites_of_finding; };
  if (!std::ranges::all_of(record.findings, known)) return false;
  std::vector<std::size_t> places;
  for (const auto& text : trace.texts) places.push_back(places_in(text));
  return std::ranges::all_of(trace.steps, [&](const TraceStep& step) { return is_sound(trace, step, places); });
}

}  // namespace gpulab::cuda_api
