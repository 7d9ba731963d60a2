#pragma once
// A sheet to draw lines, dots and words on, which becomes SVG or PNG. Words are as high as a thirtieth of a screen, so
// that the last row of a lecture hall can read them.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gpulab::sheet {

struct Colour {
  std::uint8_t r = 0, g = 0, b = 0;
};
// On white: each has a contrast of 7 to 1 and more (WCAG 2.2, AAA).
inline constexpr Colour ink{0x11, 0x11, 0x11}, grey{0x4A, 0x4A, 0x4A}, faint{0xD0, 0xD0, 0xD0}, white{0xFF, 0xFF, 0xFF},
    memory{0x00, 0x4B, 0x80}, flat{0x8A, 0x2B, 0x00}, mark{0x6B, 0x00, 0x6B};

enum class Anchor : std::uint8_t { start, middle, end };

/// Smallest size of words, px, on a sheet that is 1280 px wide: a screen's height is 720 px or more.
constexpr double kWords = 26;
/// Width of a letter by its size: on the safe side.
constexpr double kLetter = 0.62;

class Sheet {
 public:
  virtual ~Sheet() = default;
  virtual void line(double x1, double y1, double x2, double y2, Colour colour, double width, bool dashed) = 0;
  virtual void box(double x, double y, double width, double height, Colour colour) = 0;
  virtual void dot(double x, double y, double radius, Colour colour) = 0;
  /// `y`: of the line that the words stand on.
  virtual void text(double x, double y, std::string_view words, double size, Anchor anchor, Colour colour) = 0;
};

/// What fits into so many px, with .. where it is cut.
[[nodiscard]] std::string clipped(const std::string& words, double width, double size);

struct Size {
  double width = 1280, height = 800;
};

using Drawing = std::function<void(Sheet& sheet)>;

/// `title`: for readers who cannot see it.
[[nodiscard]] std::string svg_of(Size size, std::string_view title, const Drawing& drawing);
/// As SVG or PNG, by the name's end. Throws usage_error, as of --image, where the file cannot be written.
void write_sheet(const std::string& file, Size size, std::string_view title, const Drawing& drawing);

}  // namespace gpulab::sheet
