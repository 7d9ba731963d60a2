#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/html/escape.h"
#include "runner/report/html/grid.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/pages/sections.h"
#include "runner/report/plots/panels.h"
#include "runner/report/words/counter_lines.h"
#include "runner/report/words/result_text.h"

namespace gpulab::pages {
namespace {

using html::escaped;

std::string spaced(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

/// What was asked for by name (--metrics), in place of the counters.
std::string chosen_metrics(const Run& run) {
  if (run.results.size() != 1) return {};  // the ladder has them
  html::Column name{"metric", {}, false, true}, value{"value", {}, true}, from{"", {}};
  for (const auto& metric : run.metrics) {
    const auto found = metric_value(run.results.front(), metric);
    name.cells.push_back(escaped(metric));
    value.cells.push_back(escaped(found ? metric_text(*found) : "-"));
    from.cells.emplace_back(is_modelled(metric) ? "modelled" : "");
  }
  return "<h2 id=\"counters\">Metrics</h2>\n" + html::table("Metrics asked for", {name, value, from});
}

}  // namespace

std::string counters_section(const Run& run) {
  if (!run.metrics.empty()) return chosen_metrics(run);
  std::vector<const Result*> counted;
  for (const auto& r : run.results)
    if (r.counters) counted.push_back(&r);
  if (counted.empty() || counted.size() > most_side_by_side) return {};
  html::Column name{"counter", {}, false, true};
  std::vector<html::Column> columns;
  for (const auto* r : counted) columns.push_back({escaped(label_of(run, *r)), {}, true});
  std::string meanings;
  for (const auto& info : counter_table()) {
    const bool any = std::any_of(counted.begin(), counted.end(),
                                 [&](const Result* r) { return info.value(*r->counters).value_or(0) != 0; });
    if (!any) continue;
    name.cells.push_back(escaped(spaced(info.name)));
    for (std::size_t i = 0; i < counted.size(); ++i)
      columns[i].cells.push_back(escaped(counter_text(&info, *counted[i]->counters)));
    meanings += fmt::format("<dt>{}</dt><dd>{}{}</dd>\n", escaped(spaced(info.name)), escaped(info.definition),
                            info.ncu.empty() ? "" : fmt::format(" <code>{}</code>", escaped(info.ncu)));
  }
  columns.insert(columns.begin(), name);
  return fmt::format(
      "<h2 id=\"counters\">Counters</h2>\n{}<details><summary>What each counts, and its name in Nsight "
      "Compute</summary>\n<dl class=\"facts\">\n{}</dl></details>\n",
      html::table("Counters of the PTX as simulated", columns), meanings);
}

std::string notes_section(const Run& run) {
  std::vector<std::string> notes;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) notes.push_back(text);
  };
  for (const auto& r : run.results)
    if (!r.counters_params.empty()) add(r.variant + ": " + counted_case(r.counters_params));
  add(about_metrics(run));
  const auto modelled = about_modelled(run);
  const bool timed = std::any_of(run.results.begin(), run.results.end(), [](const Result& r) {
    return r.timing && r.timing->source == TimeSource::cuda_events;
  });
  add(modelled);
  add(why_unmodelled(run));
  if (modelled.empty() && !timed) add("No GPU time: simulating measures counts, not speed." + about_time(run));
  const bool faster =
      std::any_of(run.results.begin(), run.results.end(), [](const Result& r) { return find_metric(r, "speedup"); });
  if (faster) add("Speed-ups refer to " + run.baseline + ".");
  add(simulation_text(run));
  if (notes.empty()) return {};
  std::string out = "<h2 id=\"notes\">What these numbers are</h2>\n";
  for (const auto& note : notes) out += fmt::format("<p class=\"note\">{}</p>\n", escaped(note));
  return out;
}

}  // namespace gpulab::pages
