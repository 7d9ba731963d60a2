#pragma once
// A drawing as plain SVG 1.1, which every browser and editor draws: text, bars, lines.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

namespace ink {
// Of Okabe and Ito's palette, which colour-blind readers tell apart.
inline constexpr const char *plain = "#0072B2", *marked = "#D55E00", *dark = "#222", *grey = "#666", *faint = "#bbb";
}  // namespace ink

class Svg {
 public:
  /// Width of a 13 px sans-serif letter, px, on the safe side.
  static constexpr double letter = 7.4;

  Svg(double width, double height) : width_(width), height_(height) {}
  void text(double x, double y, std::string_view words, const char* anchor = "start", const char* colour = ink::dark);
  void bar(double x, double y, double width, double height, const char* colour);
  void line(double x1, double y1, double x2, double y2, const char* colour = ink::faint);
  /// Through all points, each with a dot. `dashes`: as SVG's stroke-dasharray; empty: none.
  void path(const std::vector<std::pair<double, double>>& points, const char* colour, std::string_view dashes = {});
  [[nodiscard]] std::string document() const;

  /// What fits `width` px, with … where it is cut.
  [[nodiscard]] static std::string clipped(const std::string& text, double width);

 private:
  double width_, height_;
  std::string body_;
};

}  // namespace gpulab
