#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/html/chart.h"
#include "runner/report/html/escape.h"
#include "runner/report/ladder/break_even.h"
#include "runner/report/pages/sections.h"
#include "runner/report/plots/panels.h"
#include "runner/report/plots/sweep_series.h"

namespace gpulab::pages {
namespace {

constexpr std::size_t most_charts = 4;

std::string figure(const Panel& panel, const std::vector<SweepSeries>& series, const std::string& param) {
  std::vector<double> xs, ys;
  for (const auto& s : series)
    for (const auto& [x, r] : s.points)
      if (const auto value = panel.value(*r)) {
        xs.push_back(x);
        ys.push_back(*value);
      }
  if (xs.empty()) return {};
  auto y = html::Axis::over(panel.name, ys, panel.text);
  if (panel.share) y = html::Axis{panel.name, 0, 1, false, {0, 0.25, 0.5, 0.75, 1}, panel.text};
  const bool logarithmic = y.logarithmic;
  html::Chart chart(html::Axis::of_values(param, xs, typed_size), y, panel.name + " over " + param,
                    fmt::format("{} curves; the table of results has the numbers", series.size()));
  for (std::size_t i = 0; i < series.size(); ++i) {
    html::Points points;
    for (const auto& [x, r] : series[i].points)
      if (const auto value = panel.value(*r)) points.emplace_back(x, *value);
    chart.curve(points, i);
  }
  return fmt::format("<figure>\n<figcaption>{} <span class=\"soft\">{} is better{}</span></figcaption>\n{}</figure>\n",
                     html::escaped(panel.name), panel.more_is_better ? "higher" : "lower",
                     logarithmic ? ", logarithmic" : "", chart.svg());
}

}  // namespace

std::string sweep_section(const Run& run) {
  const auto param = run.results.empty() ? std::nullopt : swept_param(run);
  if (!param) return {};
  const auto series = series_of(run, *param);
  const std::string& name = run.results.front().params[*param].first;
  std::string figures;
  for (const auto& panel : panels(run, most_charts)) figures += figure(panel, series, name);
  if (figures.empty()) return {};
  std::vector<std::string> names;
  for (const auto& s : series) names.push_back(s.name);
  std::string out = fmt::format("<h2 id=\"sweep\">Over {}</h2>\n{}<div class=\"figures\">\n{}</div>\n",
                                html::escaped(name), html::Chart::legend(names), figures);
  for (const auto& found : run.break_evens) out += "<p>" + html::escaped(break_even_text(found)) + "</p>\n";
  return out;
}

}  // namespace gpulab::pages
