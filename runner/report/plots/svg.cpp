#include "runner/report/plots/svg.h"

#include <fmt/format.h>

#include "common/text.h"

namespace gpulab {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

}  // namespace

std::string Svg::clipped(const std::string& text, double width) {
  const auto fit = static_cast<std::size_t>(std::max(1.0, width / letter));
  std::string out;
  for (const char c : text) {
    // A byte that continues a character of UTF-8 goes with it.
    if (columns(out) >= fit && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) return out + "…";
    out += c;
  }
  return out;
}

void Svg::text(double x, double y, std::string_view words, const char* anchor, const char* colour) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", x, y, anchor,
                       colour, escaped(words));
}

void Svg::bar(double x, double y, double width, double height, const char* colour) {
  body_ += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                       width, height, colour);
}

void Svg::line(double x1, double y1, double x2, double y2, const char* colour) {
  body_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2,
                       y2, colour);
}

void Svg::path(const std::vector<std::pair<double, double>>& points, const char* colour, std::string_view dashes) {
  std::string places;
  for (const auto& [x, y] : points) {
    places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", x, y);
    body_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n", x, y, colour);
  }
  const std::string dashed = dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", places, colour,
                       dashed);
}

std::string Svg::document() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{2}</svg>\n",
      width_, height_, body_);
}

}  // namespace gpulab
