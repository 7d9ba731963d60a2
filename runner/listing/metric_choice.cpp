#include "runner/listing/metric_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/counters.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/listing/metric_table.h"
#include "runner/report/explain/line_columns.h"
#include "runner/report/ladder/time_metrics.h"

namespace gpulab {
namespace {

/// "stall_*" is every name that begins so.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
}

std::string find(const std::string& asked, const std::vector<ListedMetric>& metrics) {
  if (asked == "model.time_ms") return "modelled_time";  // as documents and --require call it
  for (const auto& metric : metrics)
    if (asked == metric.name || asked == metric.nvprof || asked == metric.ncu) return metric.name;
  for (const auto& metric : metrics)  // launches_depth_3 of launches_depth_N
    if (metric.name.ends_with("_N") && asked.starts_with(metric.name.substr(0, metric.name.size() - 1))) return asked;
  for (const auto& refused : unmodelled_metrics())
    if (matches(refused.name, asked) || matches(refused.ncu, asked))
      throw usage_error(fmt::format("--metrics: '{}' cannot be had: {}", asked, refused.why));
  std::vector<std::string> names;
  for (const auto& metric : metrics)
    for (const auto& name : {metric.name, metric.nvprof, metric.ncu})
      if (!name.empty()) names.push_back(name);
  throw usage_error(fmt::format("--metrics: unknown metric '{}'", asked),
                    did_you_mean(asked, names, "'gpulab list --metrics' has them all, with the profilers' names"));
}

}  // namespace

OptionList metric_options(const Lab* lab) {
  std::vector<std::string> names;
  for (const auto& metric : listed_metrics(lab != nullptr ? std::span(lab, 1) : std::span<const Lab>()))
    if (!metric.name.ends_with('N')) names.push_back(metric.name);
  return {{"metrics", "LIST", "show these, by the names of 'gpulab list --metrics', nvprof or ncu", heading::report,
           false, std::move(names)}};
}

std::vector<std::string> parse_metrics(const Given& given, const Lab* lab, MachineOptions& machine) {
  const auto* text = single_value(given, "metrics");
  if (text == nullptr) return {};
  const auto metrics = listed_metrics(lab != nullptr ? std::span(lab, 1) : std::span<const Lab>());
  std::vector<std::string> chosen;
  for (const auto& asked : split(*text, ',')) {
    const auto name = find(std::string(asked), metrics);
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) chosen.push_back(name);
    if (!is_modelled(name)) continue;
    if (machine.device != nullptr && !machine.device->capabilities.models)
      throw usage_error(
          fmt::format("--metrics: '{}' is modelled from a simulation, and {} measures", name, machine.device->noun),
          "use '--device sim', or leave --device out");
    machine.model = true;
  }
  return chosen;
}

std::vector<std::string> parse_line_metrics(const Given& given, const Lab* lab, MachineOptions& machine) {
  auto chosen = parse_metrics(given, lab, machine);
  std::erase(chosen, "modelled_time");
  for (const auto& name : chosen)
    if (const auto* counter = find_counter(name); counter == nullptr || !is_of_lines(*counter))
      throw usage_error(
          fmt::format("--metrics: no line has a part of '{}': it is of a whole launch or run", name),
          fmt::format("'gpulab {} --metrics {}' shows it", lab != nullptr ? lab->name : "run FILE", name));
  return chosen;
}

}  // namespace gpulab
