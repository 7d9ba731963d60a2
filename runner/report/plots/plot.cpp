#include "runner/report/plots/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::size_t rows = 8, widest = 80, margin = 8;

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

/// Which points are drawn: all, or as many as fit, the marked one among them.
std::vector<std::size_t> drawn_points(const Curve& curve, std::size_t fit) {
  std::vector<std::size_t> points;
  const std::size_t stride = (curve.x.size() + fit - 1) / fit;
  for (std::size_t i = 0; i < curve.x.size(); i += stride) {
    std::size_t point = i;
    for (std::size_t j = i; j < std::min(i + stride, curve.x.size()); ++j)
      if (curve.x[j] == curve.marked) point = j;
    points.push_back(point);
  }
  return points;
}

/// One line of a bar that fills `eighths` of the plot's height, `row` lines above the axis.
std::string cell(std::size_t eighths, std::size_t row) {
  static constexpr std::array<const char*, 9> blocks{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t below = row * 8;
  return blocks[eighths <= below ? 0 : std::min<std::size_t>(8, eighths - below)];
}

/// Puts `text` at `column` of a line of spaces, if it does not touch what is there.
void label(std::string& line, std::size_t column, const std::string& text) {
  if (line.size() < column + text.size() + 1) line.resize(column + text.size() + 1, ' ');
  const std::size_t from = column == 0 ? 0 : column - 1;
  if (line.find_first_not_of(' ', from) < column + text.size() + 1) return;
  line.replace(column, text.size(), text);
}

}  // namespace

std::string y_text(const Curve& curve, double value) {
  return curve.y_max == 1 ? fmt::format("{:.3g}%", value * 100) : number_text(value);
}

std::vector<std::string> plot(const Curve& curve, std::size_t width) {
  if (curve.x.empty()) return {};
  // The mark's words stand beside the last column, too.
  const std::size_t room = std::min(widest, width - std::min(width / 2, 2 * margin));
  const std::size_t step = curve.x.size() * 2 <= room ? 2 : 1;
  const auto points = drawn_points(curve, room / step);
  const double top = curve.y_max > 0 ? curve.y_max : *std::max_element(curve.y.begin(), curve.y.end());
  std::vector<std::string> lines{fmt::format(" {}: {} over {}", curve.name, curve.y_label, curve.x_label)};
  for (std::size_t row = rows; row-- > 0;) {
    const bool named = row == rows - 1 || row == rows / 2 - 1;
    const double value = top * static_cast<double>(row + 1) / rows;
    std::string line = fmt::format(" {:>{}} {}", named ? y_text(curve, value) : "", margin - 2, named ? "┤" : "│");
    for (const auto i : points) {
      const double part = top > 0 ? std::clamp(curve.y[i] / top, 0.0, 1.0) : 0;
      line += cell(static_cast<std::size_t>(std::lround(part * rows * 8)), row);
      if (step == 2) line += ' ';
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  std::string axis = fmt::format(" {:>{}} └", "", margin - 2), names(margin, ' ');
  for (std::size_t i = 0; i < points.size() * step; ++i) axis += "─";
  lines.push_back(std::move(axis));
  const auto mark = std::find_if(points.begin(), points.end(), [&](auto i) { return curve.x[i] == curve.marked; });
  const auto column = [&](std::size_t index) { return margin + 1 + index * step; };
  if (mark != points.end()) {
    const auto at = static_cast<std::size_t>(mark - points.begin());
    lines.push_back(fmt::format("{}▲ {}: {}", std::string(column(at), ' '), number_text(curve.marked),
                                y_text(curve, curve.y[*mark])));
  }
  label(names, column(0), number_text(curve.x[points.front()]));
  label(names, column(points.size() - 1), number_text(curve.x[points.back()]));
  for (std::size_t i = points.size() / 4; i > 0 && i < points.size(); i += points.size() / 4)
    label(names, column(i), number_text(curve.x[points[i]]));
  names.erase(names.find_last_not_of(' ') + 1);
  lines.push_back(std::move(names));
  return lines;
}

}  // namespace gpulab
