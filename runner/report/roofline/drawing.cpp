#include "runner/report/roofline/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"

namespace gpulab::sheet {
namespace {

constexpr double left = 150, bottom = 110, names_width = 390, line_height = 34, dot_radius = 9;
constexpr double column_apart = 40, column_lead = 44;        ///< dots of one column; from there to their numbers
constexpr double below_heading = 136, without_heading = 56;  ///< where the plot begins

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
  Plot(const Roofline& roofline, Sheet& to, bool headed)
      : roofline_(roofline),
        to_(to),
        size_(size_of(roofline, headed)),
        window_(window_of(roofline)),
        headed_(headed),
        top_(headed ? below_heading : without_heading) {
    right_ = size_.width - names_width;
    floor_ = size_.height - bottom;
  }

  void draw() {
    if (headed_) heading();
    axes();
    const auto all = roofs(roofline_, window_);
    for (const auto& roof : all) line_of(roof);
    rows();
    labels();
    for (const auto& roof : all) words_of(roof);
    names();
  }

 private:
  [[nodiscard]] double across(double x) const {
    return left + (right_ - left) * std::log(x / window_.left) / std::log(window_.right / window_.left);
  }
  [[nodiscard]] double down(double y) const {
    return floor_ - (floor_ - top_) * std::log(y / window_.bottom) / std::log(window_.top / window_.bottom);
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
    to_.line(left, top_, left, floor_, ink, 3, false);
    to_.text((left + right_) / 2, size_.height - 22, fmt::format("{}s a byte of memory", roofline_.operation()), kWords,
             Anchor::middle, ink);
    to_.text(left + 8, top_ - 12, roofline_.rate_unit(), kWords, Anchor::start, ink);
  }

  void line_of(const Roof& roof) {
    const double x1 = across(roof.x1), y1 = down(roof.y1), x2 = across(roof.x2), y2 = down(roof.y2);
    to_.line(x1, y1, x2, y2, roof.is_slope ? memory : flat, 5, roof.dashed);
    constexpr int parts = 40;
    for (int i = 0; i <= parts; ++i) {
      const double x = x1 + (x2 - x1) * i / parts, y = y1 + (y2 - y1) * i / parts;
      taken_.push_back({x - 3, y - 3, x + 3, y + 3});
    }
  }

  void words_of(const Roof& roof) {
    const auto colour = roof.is_slope ? memory : flat;
    const double x1 = across(roof.x1), y1 = down(roof.y1), x2 = across(roof.x2), y2 = down(roof.y2);
    const double width = text_width(roof.words, kWords);
    // A flat roof's words stand above its end, a slope's below it to the right, or, of a dashed one, above it to the
    // left; none on another's, on a line or on a number.
    double x = std::max(left + 8, right_ - width), y = y2 - 12;
    if (roof.is_slope)
      for (const double along : {0.5, 0.35, 0.65, 0.2, 0.8, 0.05, 0.95}) {
        const double at_x = x1 + along * (x2 - x1), at_y = y1 + along * (y2 - y1);
        x = std::clamp(roof.dashed ? at_x - 14 - width : at_x + 14, left + 8, right_ - width);
        y = std::clamp(roof.dashed ? at_y - 16 : at_y + 34, top_ + kWords, floor_ - 10);
        if (!is_taken({x, y - kWords, x + width, y + 6})) break;
      }
    for (int tries = 0; tries < 20 && is_taken({x, y - kWords, x + width, y + 6}); ++tries) y += line_height;
    y = std::min(y, floor_ - 10);
    taken_.push_back({x, y - kWords, x + width, y + 6});
    to_.text(x, y, roof.words, kWords, Anchor::start, colour);
  }

  [[nodiscard]] bool is_taken(const Box& box) const {
    return std::ranges::any_of(taken_, [&](const Box& other) { return box.meets(other); });
  }

  /// Dots first, so that no number stands on one.
  void rows() {
    for (const auto& row : roofline_.rows) {
      if (!row.missing.empty()) continue;
      const double x = across(row.intensity()), y = down(row.per_second());
      to_.dot(x, y, dot_radius, mark);
      taken_.push_back({x - dot_radius, y - dot_radius, x + dot_radius, y + dot_radius});
    }
  }

  struct Label {
    double x, y;  ///< of the dot
    std::string words;
    double at = 0;  ///< the middle of the words, down
  };

  /// Numbers of dots that stand above each other stand in a column beside them.
  void labels() {
    std::vector<Label> all;
    const auto number = numbers(roofline_);
    for (std::size_t i = 0; i < number.size(); ++i)
      if (number[i] != 0)
        all.push_back(
            {across(roofline_.rows[i].intensity()), down(roofline_.rows[i].per_second()), std::to_string(number[i])});
    std::ranges::sort(all, {}, [](const Label& one) { return one.x; });
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
      for (next = first + 1; next < all.size() && all[next].x - all[next - 1].x < column_apart;) ++next;
      column({all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(next)});
    }
  }

  /// Each number as near to the height of its dot as the others let it: those that would meet move apart together.
  void spread(std::vector<Label>& labels) const {
    struct Group {
      double sum = 0;  ///< of heights, each less what stands above it in a column
      std::size_t first = 0, count = 0;
      [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
    };
    const auto above = [](std::size_t i) { return kWords * static_cast<double>(i); };
    std::ranges::sort(labels, {}, [](const Label& one) { return one.y; });
    std::vector<Group> groups;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      groups.push_back({labels[i].y - above(i), i, 1});
      while (groups.size() > 1 && groups.back().mean() < groups[groups.size() - 2].mean()) {
        const auto last = groups.back();
        groups.pop_back();
        groups.back().sum += last.sum;
        groups.back().count += last.count;
      }
    }
    for (const auto& group : groups)
      for (std::size_t i = group.first; i < group.first + group.count; ++i) labels[i].at = group.mean() + above(i);
    const double beyond = std::max(0.0, labels.back().at + kWords / 2 - floor_);
    double from = top_ + kWords / 2;
    for (auto& one : labels) {
      one.at = std::max(one.at - beyond, from);
      from = one.at + kWords;
    }
  }

  void column(std::vector<Label> labels) {
    spread(labels);
    const double width = text_width("88", kWords), height = kWords * 0.8;
    const double edge = std::ranges::max(labels, {}, [](const Label& one) { return one.x; }).x + dot_radius;
    const double lead = labels.size() > 1 ? column_lead : dot_radius;
    const bool to_the_right = edge + lead + width < right_;
    for (const auto& one : labels) {
      const double x = to_the_right ? edge + lead : labels.front().x - dot_radius - lead;
      if (labels.size() > 1)
        to_.line(one.x + (to_the_right ? dot_radius : -dot_radius), one.y, x + (to_the_right ? -4 : 4), one.at, grey,
                 1.5, false);
      const double begin = to_the_right ? x : x - text_width(one.words, kWords);
      taken_.push_back(
          {begin - 2, one.at - height / 2 - 2, begin + text_width(one.words, kWords), one.at + height / 2});
      to_.box(begin, one.at - height / 2, text_width(one.words, kWords), height + 2,
              white);  // a roof's line ends there
      to_.text(x, one.at + height / 2, one.words, kWords, to_the_right ? Anchor::start : Anchor::end, mark);
    }
  }

  void names() {
    const auto number = numbers(roofline_);
    double y = top_ + 20;
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
  bool headed_;
  double top_, right_ = 0, floor_ = 0;
  std::vector<Box> taken_;
};

}  // namespace

Size size_of(const Roofline& roofline, bool headed) {
  const auto shown = static_cast<double>(
      std::ranges::count_if(roofline.rows, [](const RooflineRow& row) { return row.missing.empty(); }));
  Size size;
  const double top = headed ? below_heading : without_heading;
  size.height = std::max(size.height - (below_heading - top), top + bottom + line_height * shown);
  return size;
}

void draw(const Roofline& roofline, Sheet& sheet, bool headed) { Plot(roofline, sheet, headed).draw(); }

}  // namespace gpulab::sheet

namespace gpulab {

namespace {
sheet::Drawing drawing_of(const Roofline& roofline, bool headed) {
  return [&roofline, headed](sheet::Sheet& sheet) { draw(roofline, sheet, headed); };
}
}  // namespace

std::string roofline_svg(const Roofline& roofline, bool headed) {
  return sheet::svg_of(sheet::size_of(roofline, headed), "Roofline: " + roofline.of, drawing_of(roofline, headed));
}

void write_roofline(const std::string& file, const Roofline& roofline) {
  sheet::write_sheet(file, sheet::size_of(roofline), "Roofline: " + roofline.of, drawing_of(roofline, true));
}

}  // namespace gpulab
