#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/html/escape.h"
#include "runner/report/plots/sheet.h"

namespace gpulab::sheet {
namespace {

std::string code(Colour c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

class SvgSheet final : public Sheet {
 public:
  void line(double x1, double y1, double x2, double y2, Colour colour, double width, bool dashed) override {
    body += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" stroke-width=\"{:g}\"{}/>\n", x1,
        y1, x2, y2, code(colour), width, dashed ? " stroke-dasharray=\"14 9\"" : "");
  }
  void box(double x, double y, double width, double height, Colour colour) override {
    body += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n", x, y,
                        width, height, code(colour));
  }
  void dot(double x, double y, double radius, Colour colour) override {
    body += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" fill=\"{}\"/>\n", x, y, radius, code(colour));
  }
  void text(double x, double y, std::string_view words, double size, Anchor anchor, Colour colour) override {
    const char* where = anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
    body += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:g}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n",
                        x, y, size, where, code(colour), html::escaped(std::string(words)));
  }
  std::string body;
};

}  // namespace

std::string clipped(const std::string& words, double width, double size) {
  const auto letters = static_cast<std::size_t>(std::max(3.0, width / (kLetter * size)));
  if (columns(words) <= letters) return words;
  std::string cut;
  for (const char c : words) {
    // A byte that continues a character of UTF-8 goes with it.
    if (columns(cut) + 2 >= letters && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U) break;
    cut += c;
  }
  return cut + "..";
}

std::string svg_of(Size size, std::string_view title, const Drawing& drawing) {
  SvgSheet sheet;
  drawing(sheet);
  return fmt::format(
      "<svg class=\"sheet\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
      "{0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" role=\"img\">\n<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n{3}</svg>\n",
      size.width, size.height, html::escaped(std::string(title)), sheet.body);
}

}  // namespace gpulab::sheet
