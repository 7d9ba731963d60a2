#include "runner/report/plots/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/rung_changes.h"

namespace gpulab {
namespace {

std::string three(double value) { return value < 1000 ? fmt::format("{:.3g}", value) : short_count(value); }

Panel time_panel() {
  const auto time = [](const Result& r) -> std::optional<double> {
    const bool measured = r.status == CaseStatus::ok && r.timing && r.timing->source == TimeSource::cuda_events;
    return measured ? std::optional(r.timing->median_ms) : std::nullopt;
  };
  return {.name = "GPU time, median", .value = time, .text = duration_text};
}

Panel model_panel() {
  const auto time = [](const Result& r) -> std::optional<double> {
    return r.status == CaseStatus::ok && r.model ? std::optional(r.model->ms) : std::nullopt;
  };
  return {.name = "time, modelled", .value = time, .text = duration_text};
}

Panel sms_panel() {
  const auto used = [](const Result& r) -> std::optional<double> {
    return r.status == CaseStatus::ok && r.spread ? std::optional(double{1} * r.spread->sms_used) : std::nullopt;
  };
  return {.name = "SMs used", .more_is_better = true, .value = used, .text = three};
}

Panel counter_panel(const CounterInfo& info) {
  const auto value = [&info](const Result& r) -> std::optional<double> {
    return r.status == CaseStatus::ok && r.counters ? info.value(*r.counters) : std::nullopt;
  };
  std::vector<std::string> heading{std::string(info.ladder.heading)};
  if (!info.ladder.second.empty()) heading.emplace_back(info.ladder.second);
  const bool share = info.unit == CounterUnit::ratio;
  return {.name = heading_text({.heading = std::move(heading), .cells = {}}),
          .more_is_better = share,
          .share = share,
          .value = value,
          .text = share                             ? percent_text
                  : info.unit == CounterUnit::count ? short_count
                                                    : std::function<std::string(double)>(three)};
}

/// The logarithm of the factor between the largest and the smallest value; 0 where fewer than two results have one.
double spread(const Run& run, const Panel& panel) {
  double lowest = INFINITY, highest = 0;
  for (const auto& r : run.results) {
    const auto value = panel.value(r);
    if (!value) continue;
    lowest = std::min(lowest, *value);
    highest = std::max(highest, *value);
  }
  // Half a conflict per request, or a hundredth of all lanes, is as good as none.
  const double little = panel.share ? 0.01 : 0.5;
  return std::isfinite(lowest) ? std::log((highest + little) / (lowest + little)) : 0;
}

}  // namespace

std::string label_of(const Run& run, const Result& result) {
  const auto at = swept_values(run, result);
  return at.empty() ? result.variant : result.variant + ", " + at;
}

std::vector<Panel> panels(const Run& run, std::size_t most) {
  std::vector<Panel> chosen;
  const auto has_values = [&](const Panel& panel) {
    return std::any_of(run.results.begin(), run.results.end(),
                       [&](const Result& r) { return panel.value(r).has_value(); });
  };
  for (auto& time : {time_panel(), model_panel()})
    if (has_values(time) && chosen.empty()) chosen.push_back(time);
  struct Candidate {
    Panel panel;
    bool subject;
    double spread;
  };
  std::vector<Candidate> candidates;
  for (const auto& info : counters_and_columns()) {
    if (info.ladder.heading.empty()) continue;
    const bool subject = std::find(run.subject.begin(), run.subject.end(), info.name) != run.subject.end();
    candidates.push_back({counter_panel(info), subject, 0});
  }
  // Where some rungs leave most SMs idle, all else misleads without it.
  constexpr double idle = 1;
  if (auto sms = sms_panel(); spread(run, sms) > idle) chosen.push_back(std::move(sms));
  for (auto& candidate : candidates) candidate.spread = spread(run, candidate.panel);
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.subject != b.subject ? a.subject : a.spread > b.spread;
  });
  constexpr double tells = 0.2;
  for (auto& candidate : candidates) {
    if (chosen.size() == most) break;
    if (candidate.spread > tells) chosen.push_back(std::move(candidate.panel));
  }
  // Rungs that do not differ in anything are a picture, too.
  for (std::size_t i = 0; chosen.empty() && i < candidates.size(); ++i)
    if (has_values(candidates[i].panel)) chosen.push_back(std::move(candidates[i].panel));
  return chosen;
}

std::string typed_size(double value) {
  using Unit = std::pair<double, const char*>;
  constexpr double readable = 10000;  // four digits are
  const bool is_power = value >= readable && std::exp2(std::round(std::log2(value))) == value;
  for (const auto& [unit, letters] : {Unit{0x1p30, "Gi"}, Unit{0x1p20, "Mi"}, Unit{0x1p10, "Ki"}})
    if (is_power && value >= unit) return fmt::format("{:.0f}{}", value / unit, letters);
  return short_count(value);
}

}  // namespace gpulab
