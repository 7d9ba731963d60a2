#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/plots/chart.h"
#include "runner/report/plots/panels.h"
#include "runner/report/plots/svg.h"
#include "runner/report/plots/sweep_series.h"

namespace gpulab {
namespace {

constexpr std::size_t most_panels = 3;
constexpr double left = 80, plot_width = 560, plot_height = 190, between = 86, top = 100, margin = 12;

/// Okabe and Ito's palette without its yellow, which is too light for a line.
constexpr std::array colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000"};
constexpr std::array<std::string_view, 3> dashes{"", "6 3", "2 3"};

/// From values to px, linear from 0 or logarithmic.
class Axis {
 public:
  Axis(double lowest, double highest, bool logarithmic, double from, double to)
      : low_(logarithmic ? std::log(lowest) : lowest),
        high_(logarithmic ? std::log(highest) : highest),
        logarithmic_(logarithmic),
        from_(from),
        to_(to) {}
  [[nodiscard]] double at(double value) const {
    const double place = logarithmic_ ? std::log(value) : value;
    return high_ > low_ ? from_ + (to_ - from_) * (place - low_) / (high_ - low_) : (from_ + to_) / 2;
  }

 private:
  double low_, high_;
  bool logarithmic_;
  double from_, to_;
};

struct Drawing {
  Svg& svg;
  const std::vector<SweepSeries>& series;
  const std::set<double>& xs;
  std::string x_name;

  void plot(const Panel& panel, double y_top) const {
    double lowest = INFINITY, highest = panel.share ? 1 : 0;
    for (const auto& s : series)
      for (const auto& [x, r] : s.points)
        if (const auto value = panel.value(*r)) {
          if (*value > 0) lowest = std::min(lowest, *value);
          highest = std::max(highest, *value);
        }
    const bool log_y = !panel.share && std::isfinite(lowest) && highest / lowest >= 50;
    const bool log_x = *xs.begin() > 0 && *xs.rbegin() / *xs.begin() >= 16;
    const double bottom = y_top + plot_height;
    const double base = log_y ? std::pow(10, std::floor(std::log10(lowest))) : 0;
    if (log_y) highest = std::pow(10, std::ceil(std::log10(highest) - 1e-9));
    if (highest <= base) highest = base + 1;
    const Axis y(base, highest, log_y, bottom, y_top), x(*xs.begin(), *xs.rbegin(), log_x, left, left + plot_width);
    svg.text(left, y_top - 12,
             panel.name + (panel.more_is_better ? " (higher is better)" : " (lower is better)") +
                 (log_y ? ", logarithmic" : ""));
    for (const double tick : ticks(base, highest, log_y)) {
      svg.line(left, y.at(tick), left + plot_width, y.at(tick));
      svg.text(left - 8, y.at(tick) + 4, panel.text(tick), "end", ink::grey);
    }
    double free_from = 0;  // where the next label may begin
    for (const double value : xs) {
      const std::string label = typed_size(value);
      const double half = Svg::letter * static_cast<double>(columns(label)) / 2;
      if (x.at(value) - half < free_from) continue;
      svg.text(x.at(value), bottom + 18, label, "middle", ink::grey);
      free_from = x.at(value) + half + Svg::letter;
    }
    svg.text(left + plot_width / 2, bottom + 38, x_name + (log_x ? ", logarithmic" : ""), "middle", ink::grey);
    for (std::size_t i = 0; i < series.size(); ++i) {
      std::vector<std::pair<double, double>> places;
      for (const auto& [at, r] : series[i].points)
        if (const auto value = panel.value(*r)) places.emplace_back(x.at(at), y.at(std::max(*value, base)));
      if (!places.empty()) svg.path(places, colours[i % colours.size()], dashes[i / colours.size() % dashes.size()]);
    }
  }

 private:
  static std::vector<double> ticks(double base, double highest, bool logarithmic) {
    std::vector<double> all;
    constexpr int steps = 4;
    const double decades = logarithmic ? std::round(std::log10(highest / base)) : 0;
    const double stride = std::max(1.0, std::ceil(decades / 6));
    for (double decade = 0; logarithmic && decade <= decades; decade += stride)
      all.push_back(base * std::pow(10, decade));
    for (int i = 0; !logarithmic && i <= steps; ++i) all.push_back(base + (highest - base) * i / steps);
    return all;
  }
};

}  // namespace

std::string sweep_svg(const Run& run, const Heading& heading) {
  const auto param = run.results.empty() ? std::nullopt : swept_param(run);
  if (!param) return {};
  const auto series = series_of(run, *param);
  const auto shown = panels(run, most_panels);
  std::set<double> xs;
  std::size_t longest = 1;
  for (const auto& s : series) {
    longest = std::max(longest, columns(s.name));
    for (const auto& [x, r] : s.points) xs.insert(x);
  }
  if (xs.size() < fewest_swept || shown.empty()) return {};
  std::vector<std::string> missing;  // each variant once
  for (const auto& r : run.results) {
    const std::string text = fmt::format("{}: {}", r.variant, to_text(r.status));
    if (r.status == CaseStatus::ok || std::find(missing.begin(), missing.end(), text) != missing.end()) continue;
    missing.push_back(text);
    longest = std::max(longest, columns(text));
  }
  const double legend = left + plot_width + 24;
  const double width = legend + 34 + Svg::letter * static_cast<double>(longest) + margin;
  const double plots = (plot_height + between) * static_cast<double>(shown.size());
  const double height = std::max(top + plots, top + 20 * static_cast<double>(series.size() + missing.size() + 1));
  Svg svg(width, height);
  svg.text(margin, 22, Svg::clipped(heading.title, width - 2 * margin));
  svg.text(margin, 40, Svg::clipped(heading.of, width - 2 * margin), "start", ink::grey);
  const Drawing drawing{svg, series, xs, run.results.front().params[*param].first};
  for (std::size_t p = 0; p < shown.size(); ++p)
    drawing.plot(shown[p], top + (plot_height + between) * static_cast<double>(p));
  double y = top;
  for (std::size_t i = 0; i < series.size(); ++i, y += 20) {
    svg.path({{legend, y}, {legend + 24, y}}, colours[i % colours.size()], dashes[i / colours.size() % dashes.size()]);
    svg.text(legend + 32, y + 4, series[i].name);
  }
  for (const auto& text : missing) {
    svg.text(legend, y + 4, Svg::clipped(text, width - legend), "start", ink::grey);
    y += 20;
  }
  return svg.document();
}

}  // namespace gpulab
