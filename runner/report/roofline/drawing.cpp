#include "runner/report/roofline/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"

namespace gpulab::sheet {
namespace {

constexpr double left = 150, top = 136, bottom = 110, names_width = 390, line_height = 34, dot_radius = 9;

double text_width(std::string_view words, double size) {
  return kLetter * size * static_cast<double>(columns(std::string(words)));
}

struct Box {
  double x1, y1, x2, y2;
  [[nodiscard]] bool meets(const Box& other) const {
    return x1 < other.x2 && other.x1 < x2 && y1 < other.y2 && other.y1 < y2;
  }
};

class Plot {
 public:
  Plot(const Roofline& roofline, Sheet& to)
      : roofline_(roofline), to_(to), size_(size_of(roofline)), window_(window_of(roofline)) {
    right_ = size_.width - names_width;
    floor_ = size_.height - bottom;
  }

  void draw() {
    heading();
    axes();
    const auto all = roofs(roofline_, window_);
    for (const auto& roof : all) line_of(roof);
    rows();
    for (const auto& roof : all) words_of(roof);
    labels();
    names();
  }

 private:
  [[nodiscard]] double across(double x) const {
    return left + (right_ - left) * std::log(x / window_.left) / std::log(window_.right / window_.left);
  }
  [[nodiscard]] double down(double y) const {
    return floor_ - (floor_ - top) * std::log(y / window_.bottom) / std::log(window_.top / window_.bottom);
  }

  void heading() {
    const std::string title = "Roofline: " + roofline_.of;
    const double room = size_.width - 60;
    double height = 34;
    while (height > kWords && text_width(title, height) > room) height -= 2;
    if (text_width(title, height) <= room) {
      to_.text(30, 42, title, height, Anchor::start, ink);
    } else {  // in two lines, broken at a blank
      auto at = title.rfind(' ', title.size() / 2);
      if (at == std::string::npos || at < title.size() / 4) at = title.size() / 2;
      to_.text(30, 24, clipped(title.substr(0, at), room, height), height, Anchor::start, ink);
      to_.text(30, 52, clipped(title.substr(at), room, height), height, Anchor::start, ink);
    }
    to_.text(30, 80,
             fmt::format("{}, {}{}", roofline_.gpu, roofline_.measured ? "measured" : "modelled, not measured",
                         roofline_.measured || roofline_.validated ? "" : ", by its data sheet"),
             kWords, Anchor::start, grey);
  }

  void axes() {
    for (const double tick : ticks(window_.bottom, window_.top)) {
      to_.line(left, down(tick), right_, down(tick), faint, 1.5, false);
      to_.text(left - 12, down(tick) + 9, si_text(tick), kWords, Anchor::end, grey);
    }
    for (const double tick : ticks(window_.left, window_.right)) {
      to_.line(across(tick), floor_, across(tick), floor_ + 8, ink, 2, false);
      to_.text(across(tick), floor_ + 38, si_text(tick), kWords, Anchor::middle, grey);
    }
    to_.line(left, floor_, right_, floor_, ink, 3, false);
    to_.line(left, top, left, floor_, ink, 3, false);
    to_.text((left + right_) / 2, size_.height - 22, fmt::format("{}s a byte of memory", roofline_.operation()), kWords,
             Anchor::middle, ink);
    to_.text(left + 8, top - 12, roofline_.rate_unit(), kWords, Anchor::start, ink);
  }

  void line_of(const Roof& roof) {
    to_.line(across(roof.x1), down(roof.y1), across(roof.x2), down(roof.y2), roof.is_slope ? memory : flat, 5,
             roof.dashed);
  }

  void words_of(const Roof& roof) {
    const auto colour = roof.is_slope ? memory : flat;
    const double x1 = across(roof.x1), y1 = down(roof.y1), x2 = across(roof.x2), y2 = down(roof.y2);
    const double width = text_width(roof.words, kWords);
    // A flat roof's words stand above its end, a slope's below its middle to the right; none on another's.
    double x = roof.is_slope ? (x1 + x2) / 2 + 14 : std::max(left + 8, right_ - width);
    double y = roof.is_slope ? (y1 + y2) / 2 + 30 : y2 - 12;
    if (roof.dashed) x = std::max(left + 8, (x1 + x2) / 2 - 14 - width), y = std::max(top + kWords, (y1 + y2) / 2 - 16);
    x = std::min(x, right_ - width);
    for (int tries = 0; tries < 20 && is_taken({x, y - kWords, x + width, y + 6}); ++tries) y += line_height;
    y = std::min(y, floor_ - 10);
    taken_.push_back({x, y - kWords, x + width, y + 6});
    to_.text(x, y, roof.words, kWords, Anchor::start, colour);
  }

  [[nodiscard]] bool is_taken(const Box& box) const {
    return std::ranges::any_of(taken_, [&](const Box& other) { return box.meets(other); });
  }

  /// Dots first, so that no number stands on one; each number as near to its dot as there is room, with a line where it
  /// is not beside it.
  void rows() {
    for (const auto& row : roofline_.rows) {
      if (!row.missing.empty()) continue;
      const double x = across(row.intensity()), y = down(row.per_second());
      to_.dot(x, y, dot_radius, mark);
      taken_.push_back({x - dot_radius, y - dot_radius, x + dot_radius, y + dot_radius});
    }
  }

  void labels() {
    const auto number = numbers(roofline_);
    for (std::size_t i = 0; i < number.size(); ++i)
      if (number[i] != 0)
        label(across(roofline_.rows[i].intensity()), down(roofline_.rows[i].per_second()), std::to_string(number[i]));
  }

  void label(double x, double y, const std::string& words) {
    const double width = text_width(words, kWords), height = kWords * 0.8;
    for (double away = dot_radius + 5; away < 400; away += 14) {
      for (const double turn : {0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0}) {  // quarter turns
        const double angle = turn * std::acos(0.0);
        const double cx = x + std::cos(angle) * (away + width / 2), cy = y - std::sin(angle) * (away + height / 2);
        const Box box{cx - width / 2 - 2, cy - height / 2 - 2, cx + width / 2 + 2, cy + height / 2 + 2};
        if (is_taken(box) || box.x1 < left || box.x2 > right_ || box.y1 < top || box.y2 > floor_) continue;
        if (away > 2 * dot_radius + 14) to_.line(x, y, cx, cy, grey, 1.5, false);
        taken_.push_back(box);
        to_.text(cx, cy + height / 2, words, kWords, Anchor::middle, mark);
        return;
      }
    }
    to_.text(x + dot_radius + 4, y + 8, words, kWords, Anchor::start, mark);
  }

  void names() {
    const auto number = numbers(roofline_);
    double y = top + 20;
    for (std::size_t i = 0; i < number.size(); ++i) {
      if (number[i] == 0) continue;
      const auto words = fmt::format("{} {}", number[i], roofline_.rows[i].name);
      to_.text(right_ + 28, y, clipped(words, names_width - 40, kWords), kWords, Anchor::start, ink);
      y += line_height;
    }
  }

  const Roofline& roofline_;
  Sheet& to_;
  Size size_;
  Window window_;
  double right_ = 0, floor_ = 0;
  std::vector<Box> taken_;
};

}  // namespace

Size size_of(const Roofline& roofline) {
  const auto shown = static_cast<double>(
      std::ranges::count_if(roofline.rows, [](const RooflineRow& row) { return row.missing.empty(); }));
  Size size;
  size.height = std::max(size.height, top + bottom + line_height * shown);
  return size;
}

void draw(const Roofline& roofline, Sheet& sheet) { Plot(roofline, sheet).draw(); }

}  // namespace gpulab::sheet

namespace gpulab {

namespace {
sheet::Drawing drawing_of(const Roofline& roofline) {
  return [&roofline](sheet::Sheet& sheet) { draw(roofline, sheet); };
}
}  // namespace

std::string roofline_svg(const Roofline& roofline) {
  return sheet::svg_of(sheet::size_of(roofline), "Roofline: " + roofline.of, drawing_of(roofline));
}

void write_roofline(const std::string& file, const Roofline& roofline) {
  sheet::write_sheet(file, sheet::size_of(roofline), "Roofline: " + roofline.of, drawing_of(roofline));
}

}  // namespace gpulab
