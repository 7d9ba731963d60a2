#include "runner/report/html/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/text.h"
#include "runner/report/html/escape.h"

namespace gpulab::html {
namespace {

// A drawing is as wide as its column, from 360 px on phones: its words stay readable when it is scaled down to that.
constexpr double width = 480, height = 300, left = 58, right = 16, top = 14, bottom = 44;
constexpr double letter = 6.8;  ///< width of a 12 px letter, px, on the safe side
constexpr std::size_t colours = 7;

double text_width(const std::string& text) { return letter * static_cast<double>(columns(text)); }

/// 1, 2 or 5 times a power of ten, so that about `parts` of it make `whole`.
double even_step(double whole, int parts) {
  const double rough = whole / parts, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// A mark of its own for each series, for those who do not tell its colour.
std::string mark(double x, double y, std::size_t series) {
  const auto colour = series % colours;
  switch (series % 4) {
    case 0:
      return fmt::format("<circle class=\"fill s{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>", colour, x, y);
    case 1:
      return fmt::format("<rect class=\"fill s{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\"/>", colour,
                         x - 3.2, y - 3.2);
    case 2:
      return fmt::format("<path class=\"fill s{}\" d=\"M{:.1f} {:.1f}l4.2 7.4h-8.4z\"/>", colour, x, y - 4.6);
    default:
      return fmt::format("<path class=\"fill s{}\" d=\"M{:.1f} {:.1f}l4.4 4.4l-4.4 4.4l-4.4 -4.4z\"/>", colour, x,
                         y - 4.4);
  }
}

std::string dashes(std::size_t series) {
  constexpr std::array<const char*, 3> kinds{"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 4\""};
  return kinds[series / colours % kinds.size()];
}

std::string words(double x, double y, const std::string& text, const char* anchor, const char* of_class = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, of_class,
                     escaped(text));
}

}  // namespace

Axis Axis::over(std::string name, const std::vector<double>& values, std::function<std::string(double)> text,
                double spread) {
  double lowest = INFINITY, highest = 0;
  for (const double value : values) {
    if (value > 0) lowest = std::min(lowest, value);
    highest = std::max(highest, value);
  }
  Axis axis{std::move(name), 0, highest > 0 ? highest : 1, false, {}, std::move(text)};
  axis.logarithmic = std::isfinite(lowest) && highest / lowest >= spread;
  if (axis.logarithmic) {
    axis.low = std::pow(10, std::floor(std::log10(lowest) + 1e-9));
    axis.high = std::pow(10, std::ceil(std::log10(highest) - 1e-9));
    const double decades = std::round(std::log10(axis.high / axis.low)), stride = std::ceil(decades / 6);
    for (double decade = 0; decade <= decades; decade += stride) axis.ticks.push_back(axis.low * std::pow(10, decade));
  } else {
    const double step = even_step(axis.high, 4);
    axis.high = step * std::ceil(axis.high / step - 1e-9);
    for (int i = 0; i * step <= axis.high * (1 + 1e-9); ++i) axis.ticks.push_back(i * step);
  }
  return axis;
}

Axis Axis::of_values(std::string name, const std::vector<double>& values, std::function<std::string(double)> text) {
  Axis axis{std::move(name), 0, 1, false, values, std::move(text)};
  std::sort(axis.ticks.begin(), axis.ticks.end());
  axis.ticks.erase(std::unique(axis.ticks.begin(), axis.ticks.end()), axis.ticks.end());
  if (axis.ticks.empty()) return axis;
  axis.low = axis.ticks.front();
  axis.high = axis.ticks.back();
  axis.logarithmic = axis.low > 0 && axis.high / axis.low >= 16;
  return axis;
}

Chart::Chart(Axis x, Axis y, std::string title, std::string description)
    : x_(std::move(x)), y_(std::move(y)), title_(std::move(title)), description_(std::move(description)) {
  draw_axes();
}

namespace {

/// Where a value lies between the ends of its axis, 0 to 1.
double place(const Axis& axis, double value) {
  const auto scaled = [&](double v) { return axis.logarithmic ? std::log(std::max(v, axis.low * 1e-3)) : v; };
  if (!(axis.high > axis.low)) return 0.5;
  return std::clamp((scaled(value) - scaled(axis.low)) / (scaled(axis.high) - scaled(axis.low)), 0.0, 1.0);
}

std::string tick_text(const Axis& axis, double value) {
  return axis.text ? axis.text(value) : fmt::format("{:.4g}", value);
}

}  // namespace

double Chart::across(double value) const { return left + (width - left - right) * place(x_, value); }
double Chart::down(double value) const { return height - bottom - (height - top - bottom) * place(y_, value); }

void Chart::draw_axes() {
  for (const double tick : y_.ticks) {
    grid_ += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", left,
                         width - right, down(tick), down(tick));
    grid_ += words(left - 7, down(tick) + 4, tick_text(y_, tick), "end");
  }
  const double floor = height - bottom;
  grid_ += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", left,
                       width - right, floor, floor);
  double free_from = 0;
  for (const double tick : x_.ticks) {
    const double x = across(tick), half = text_width(tick_text(x_, tick)) / 2;
    grid_ += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n", x,
                         floor, floor + 4);
    if (x - half < free_from) continue;
    // The last label ends at the drawing's edge.
    grid_ += words(std::min(x, width - half), floor + 18, tick_text(x_, tick), "middle");
    free_from = x + half + letter;
  }
  grid_ += words((left + width - right) / 2, height - 8, x_.name + (x_.logarithmic ? " (logarithmic)" : ""), "middle");
}

void Chart::curve(const Points& points, std::size_t series) {
  if (points.empty()) return;
  std::string places;
  for (const auto& [x, y] : points)
    places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", across(x), down(y));
  body_ +=
      fmt::format("<polyline class=\"curve line s{}\"{} points=\"{}\"/>\n", series % colours, dashes(series), places);
  for (const auto& [x, y] : points) body_ += mark(across(x), down(y), series);
  body_ += '\n';
}

void Chart::point(double x, double y, std::size_t series, const std::string& label) {
  const double at_x = across(x), at_y = down(y), length = text_width(label);
  body_ += mark(at_x, at_y, series);
  const bool before = at_x + 8 + length > width;
  double line = at_y - 6;  // or below what stands there already
  constexpr double line_height = 13;
  const auto taken = [&](const auto& other) {
    return std::abs(other.first - at_x) < length + 20 && std::abs(other.second - line) < line_height;
  };
  while (std::any_of(labelled_.begin(), labelled_.end(), taken) && line < height - bottom) line += line_height;
  labelled_.emplace_back(at_x, line);
  body_ += words(before ? at_x - 8 : at_x + 8, line, label, before ? "end" : "start", " class=\"ink\"");
}

void Chart::ceiling(const Points& points, const std::string& label) {
  if (points.empty()) return;
  std::string places;
  for (const auto& [x, y] : points)
    places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", across(x), down(y));
  body_ += fmt::format("<polyline class=\"ceiling\" points=\"{}\"/>\n", places);
  body_ += words(across(points.back().first), down(points.back().second) - 6, label, "end");
}

std::string Chart::svg() const {
  return fmt::format(
      "<svg class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">\n<title>{}</title>\n<desc>{}</desc>\n"
      "{}{}</svg>\n",
      width, height, escaped(title_), escaped(description_), grid_, body_);
}

std::string Chart::legend(const std::vector<std::string>& names) {
  std::string out = "<ul class=\"legend\">\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format(
        "<li><svg width=\"28\" height=\"12\" aria-hidden=\"true\"><polyline class=\"curve line s{}\"{} "
        "points=\"0,6 28,6\"/>{}</svg>{}</li>\n",
        i % colours, dashes(i), mark(14, 6, i), escaped(names[i]));
  return out + "</ul>\n";
}

}  // namespace gpulab::html
