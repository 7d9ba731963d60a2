#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/plots/chart.h"
#include "runner/report/plots/panels.h"
#include "runner/report/plots/svg.h"

namespace gpulab {
namespace {

constexpr std::size_t most_panels = 4;
constexpr double row = 22, bar_width = 130, pitch = 215, top = 104, margin = 12;

}  // namespace

std::string ladder_svg(const Run& run, const Heading& heading) {
  const auto shown = panels(run, most_panels);
  if (shown.empty()) return {};
  std::vector<std::string> labels;
  for (const auto& r : run.results) labels.push_back(label_of(run, r));
  std::size_t longest = 1;
  for (const auto& label : labels) longest = std::max(longest, columns(label));
  const double left = margin + 8 + Svg::letter * static_cast<double>(longest);
  const double width = left + pitch * static_cast<double>(shown.size()) + margin;
  Svg svg(width, top + row * static_cast<double>(run.results.size()) + margin);
  svg.text(margin, 22, Svg::clipped(heading.title, width - 2 * margin));
  svg.text(margin, 40, Svg::clipped(heading.of, width - 2 * margin), "start", ink::grey);
  for (std::size_t p = 0; p < shown.size(); ++p) {
    const double x = left + pitch * static_cast<double>(p);
    svg.text(x, 72, Svg::clipped(shown[p].name, pitch - 16));
    svg.text(x, 90, shown[p].more_is_better ? "longer is better" : "shorter is better", "start", ink::grey);
  }
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const auto& r = run.results[i];
    const double y = top + row * static_cast<double>(i);
    const bool right = r.status == CaseStatus::ok;
    svg.text(left - 8, y + 15, labels[i], "end", right ? ink::dark : ink::grey);
    if (!right) {
      const std::string why = fmt::format("{}: {}", to_text(r.status), r.message);
      svg.text(left + 6, y + 15, Svg::clipped(why, width - left - 2 * margin), "start", ink::grey);
      continue;
    }
    for (std::size_t p = 0; p < shown.size(); ++p) {
      const double x = left + pitch * static_cast<double>(p);
      svg.line(x, y, x, y + row);
      const auto value = shown[p].value(r);
      if (!value) {
        svg.text(x + 6, y + 15, "-", "start", ink::grey);
        continue;
      }
      double highest = shown[p].share ? 1 : 0;
      for (const auto& other : run.results) highest = std::max(highest, shown[p].value(other).value_or(0));
      const double length = highest > 0 ? bar_width * *value / highest : 0;
      if (length > 0) svg.bar(x, y + 3, std::max(1.0, length), row - 6, ink::plain);
      svg.text(x + length + 6, y + 15, shown[p].text(*value), "start", ink::grey);
    }
  }
  return svg.document();
}

}  // namespace gpulab
