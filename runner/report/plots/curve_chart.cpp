#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/report/plots/chart.h"
#include "runner/report/plots/plot.h"
#include "runner/report/plots/svg.h"

namespace gpulab {

std::string curve_svg(const Curve& curve, const Heading& heading) {
  constexpr double left = 70, right = 30, top = 100, bottom = 60, plot_width = 720, plot_height = 300;
  Svg svg(left + plot_width + right, top + plot_height + bottom);
  const double highest = curve.y_max > 0 ? curve.y_max : *std::max_element(curve.y.begin(), curve.y.end());
  svg.text(left, 22, Svg::clipped(heading.title, plot_width));
  svg.text(left, 40, Svg::clipped(heading.of, plot_width), "start", ink::grey);
  svg.text(left, 64, curve.y_label, "start", ink::grey);
  for (int i = 0; i <= 4; ++i) {
    const double y = top + plot_height * (1 - i / 4.0);
    svg.line(left, y, left + plot_width, y);
    svg.text(left - 8, y + 4, y_text(curve, highest * i / 4), "end", ink::grey);
  }
  const double step = plot_width / static_cast<double>(curve.x.size());
  // As many labels as their widest leaves room for.
  std::size_t longest = 1;
  for (const double x : curve.x) longest = std::max(longest, fmt::format("{:.4g}", x).size());
  const auto every = static_cast<std::size_t>(std::ceil((static_cast<double>(longest) + 1) * Svg::letter / step));
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double height = highest > 0 ? plot_height * std::clamp(curve.y[i] / highest, 0.0, 1.0) : 0;
    const double x = left + static_cast<double>(i) * step;
    const bool here = curve.x[i] == curve.marked;
    svg.bar(x + step * 0.1, top + plot_height - height, step * 0.8, height, here ? ink::marked : ink::plain);
    if (here) {
      // Beside the axis there would be its numbers.
      const std::string label = y_text(curve, curve.y[i]);
      const double half = Svg::letter * static_cast<double>(columns(label)) / 2;
      const double middle = std::clamp(x + step / 2, left + half + 4, left + plot_width - half);
      svg.text(middle, top + plot_height - height - 6, label, "middle", ink::marked);
    }
    if (i % every == 0)
      svg.text(x + step / 2, top + plot_height + 18, fmt::format("{:.4g}", curve.x[i]), "middle", ink::grey);
  }
  svg.text(left + plot_width / 2, top + plot_height + 44, curve.x_label, "middle", ink::grey);
  return svg.document();
}

}  // namespace gpulab
