#include "runner/report/plots/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/plots/plot.h"

namespace gpulab {
namespace {

// Blue and vermilion of Okabe and Ito's palette, which colour-blind readers tell apart.
constexpr const char *plain = "#0072B2", *marked = "#D55E00", *grey = "#666";
constexpr double letter = 7.4;  ///< width of a 13 px sans-serif letter, px, on the safe side

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

/// What fits `width` px.
std::string clipped(const std::string& text, double width) {
  const auto fit = static_cast<std::size_t>(width / letter);
  std::string out;
  for (const char c : text) {
    // A byte that continues a character of UTF-8 goes with it.
    if (columns(out) >= fit && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) return out + "…";
    out += c;
  }
  return out;
}

class Svg {
 public:
  Svg(double width, double height) : width_(width), height_(height) {}
  void text(double x, double y, const std::string& words, const char* anchor = "start", const char* colour = "#222") {
    body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                         colour, escaped(words));
  }
  void bar(double x, double y, double width, double height, const char* colour) {
    body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                         width, height, colour);
  }
  void line(double x1, double y1, double x2, double y2) {
    body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#bbb\"/>\n", x1, y1,
                         x2, y2);
  }
  [[nodiscard]] std::string document() const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"white\"/>\n{2}</svg>\n",
        width_, height_, body_);
  }

 private:
  double width_, height_;
  std::string body_;
};

struct Quantity {
  std::string name;
  std::function<std::optional<double>(const Result&)> value;
  std::function<std::string(double)> text;
};

std::optional<double> time_of(const Result& r) {
  const bool measured = r.status == CaseStatus::ok && r.timing && r.timing->source == TimeSource::cuda_events;
  return measured ? std::optional(r.timing->median_ms) : std::nullopt;
}

/// In the order of preference.
std::vector<Quantity> quantities() {
  const auto bandwidth = [](const Result& r) {
    const auto* metric = find_metric(r, "bandwidth");
    return metric != nullptr ? std::optional(metric->value) : std::nullopt;
  };
  const auto instructions = [](const Result& r) {
    const bool counted = r.status == CaseStatus::ok && r.counters;
    return counted ? std::optional(static_cast<double>((*r.counters)["warp_instructions"])) : std::nullopt;
  };
  return {
      {"effective bandwidth, GB/s (longer is better)", bandwidth, [](double v) { return fmt::format("{:.4g}", v); }},
      {"GPU time, median (shorter is better)", time_of, duration_text},
      {"warp instructions of the PTX, as simulated", instructions, short_count}};
}

}  // namespace

std::string curve_svg(const Curve& curve, const Heading& heading) {
  constexpr double left = 70, right = 30, top = 80, bottom = 60, plot_width = 720, plot_height = 300;
  Svg svg(left + plot_width + right, top + plot_height + bottom);
  const double highest = curve.y_max > 0 ? curve.y_max : *std::max_element(curve.y.begin(), curve.y.end());
  svg.text(left, 22, clipped(heading.title, plot_width));
  svg.text(left, 40, clipped(heading.of, plot_width), "start", grey);
  svg.text(left, 64, curve.y_label, "start", grey);
  for (int i = 0; i <= 4; ++i) {
    const double y = top + plot_height * (1 - i / 4.0);
    svg.line(left, y, left + plot_width, y);
    svg.text(left - 8, y + 4, y_text(curve, highest * i / 4), "end", grey);
  }
  const double step = plot_width / static_cast<double>(curve.x.size());
  // As many labels as their widest leaves room for.
  std::size_t longest = 1;
  for (const double x : curve.x) longest = std::max(longest, fmt::format("{:.4g}", x).size());
  const auto every = static_cast<std::size_t>(std::ceil((static_cast<double>(longest) + 1) * letter / step));
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double height = highest > 0 ? plot_height * std::clamp(curve.y[i] / highest, 0.0, 1.0) : 0;
    const double x = left + static_cast<double>(i) * step;
    const bool here = curve.x[i] == curve.marked;
    svg.bar(x + step * 0.1, top + plot_height - height, step * 0.8, height, here ? marked : plain);
    if (here) svg.text(x + step / 2, top + plot_height - height - 6, y_text(curve, curve.y[i]), "middle", marked);
    if (i % every == 0)
      svg.text(x + step / 2, top + plot_height + 18, fmt::format("{:.4g}", curve.x[i]), "middle", grey);
  }
  svg.text(left + plot_width / 2, top + plot_height + 44, curve.x_label, "middle", grey);
  return svg.document();
}

std::string ladder_svg(const Run& run, const Heading& heading) {
  for (const auto& quantity : quantities()) {
    double highest = 0;
    std::size_t longest = 0, count = 0;
    for (const auto& r : run.results) {
      const auto value = quantity.value(r);
      if (!value) continue;
      highest = std::max(highest, *value);
      longest = std::max(longest, r.variant.size());
      ++count;
    }
    if (count == 0) continue;
    constexpr double row = 24, plot_width = 520, top = 80;
    const double left = 20 + letter * static_cast<double>(longest);
    Svg svg(left + plot_width + 110, top + row * static_cast<double>(count) + 16);
    svg.text(12, 22, clipped(heading.title, left + plot_width + 90));
    svg.text(12, 40, clipped(heading.of, left + plot_width + 90), "start", grey);
    svg.text(12, 64, quantity.name, "start", grey);
    double y = top;
    for (const auto& r : run.results) {
      const auto value = quantity.value(r);
      if (!value) continue;
      const double width = highest > 0 ? plot_width * *value / highest : 0;
      svg.text(left - 8, y + 16, r.variant, "end");
      svg.bar(left, y + 3, std::max(1.0, width), row - 6, plain);
      svg.text(left + std::max(1.0, width) + 6, y + 16, quantity.text(*value), "start", grey);
      y += row;
    }
    return svg.document();
  }
  return {};
}

}  // namespace gpulab
