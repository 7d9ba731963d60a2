#include "runner/report/plots/sweep_series.h"

#include <algorithm>
#include <set>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"

namespace gpulab {
namespace {

std::optional<double> number_of(const ParamValue& value) {
  if (const auto* size = std::get_if<std::int64_t>(&value)) return static_cast<double>(*size);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> swept_param(const Run& run) {
  std::optional<std::size_t> best;
  std::size_t most = fewest_swept - 1;
  for (std::size_t i = 0; i < run.results.front().params.size(); ++i) {
    std::set<double> values;
    for (const auto& r : run.results)
      if (const auto number = number_of(r.params[i].second)) values.insert(*number);
    if (values.size() <= most) continue;
    most = values.size();
    best = i;
  }
  return best;
}

std::vector<SweepSeries> series_of(const Run& run, std::size_t param) {
  std::vector<SweepSeries> all;
  const auto varies = [&](std::size_t i) {
    return std::any_of(run.results.begin(), run.results.end(),
                       [&](const Result& r) { return r.params[i].second != run.results.front().params[i].second; });
  };
  const Result* launched = nullptr;
  bool blocks = false;  // do they differ within a variant?
  for (const auto& r : run.results) {
    if (!r.launch) continue;
    if (launched != nullptr && launched->variant == r.variant && launched->launch->block != r.launch->block)
      blocks = true;
    launched = &r;
  }
  for (const auto& r : run.results) {
    const auto x = number_of(r.params[param].second);
    if (r.status != CaseStatus::ok || !x) continue;
    std::string name = r.variant;
    for (std::size_t i = 0; i < r.params.size(); ++i)
      if (i != param && varies(i)) name += ", " + r.params[i].first + " " + param_text(r.params[i].second);
    if (blocks && r.launch) name += ", block " + dim_text(r.launch->block);
    auto it = std::find_if(all.begin(), all.end(), [&](const SweepSeries& s) { return s.name == name; });
    if (it == all.end()) it = all.insert(it, {name, {}});
    it->points.emplace_back(*x, &r);
  }
  for (auto& series : all) std::sort(series.points.begin(), series.points.end());
  return all;
}

}  // namespace gpulab
