// A sheet of pixels. Drawn twice as large and halved, so that edges are smooth.

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <vector>

#include "common/error.h"
#include "runner/report/plots/glyphs.h"
#include "runner/report/plots/sheet.h"

namespace gpulab::sheet {
namespace {

constexpr double larger = 2;

class PngSheet final : public Sheet {
 public:
  explicit PngSheet(Size size)
      : width_(static_cast<int>(larger * size.width)),
        height_(static_cast<int>(larger * size.height)),
        pixels_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_), white) {}

  void line(double x1, double y1, double x2, double y2, Colour colour, double width, bool dashed) override {
    const double length = std::hypot(x2 - x1, y2 - y1);
    constexpr double step = 0.25, dash = 14, gap = 9;
    for (double at = 0; at <= length; at += step) {
      if (dashed && std::fmod(at, dash + gap) > dash) continue;
      const double part = length > 0 ? at / length : 0;
      dot(x1 + part * (x2 - x1), y1 + part * (y2 - y1), width / 2, colour);
    }
  }

  void box(double x, double y, double width, double height, Colour colour) override {
    fill(x, y, width, height, colour);
  }

  void dot(double x, double y, double radius, Colour colour) override {
    const double cx = larger * x, cy = larger * y, r = std::max(larger * radius, 0.5);
    for (int row = int(std::floor(cy - r)); row <= int(std::ceil(cy + r)); ++row)
      for (int col = int(std::floor(cx - r)); col <= int(std::ceil(cx + r)); ++col)
        if (std::hypot(col + 0.5 - cx, row + 0.5 - cy) <= r) set(col, row, colour);
  }

  /// A letter is five by seven squares, a sixth column parts it from the next.
  void text(double x, double y, std::string_view words, double size, Anchor anchor, Colour colour) override {
    const auto letters = plain_letters(words);
    const double square = size * 0.1, width = 6 * square * double(letters.size());
    if (anchor != Anchor::start) x -= anchor == Anchor::middle ? width / 2 : width;
    for (const char letter : letters) {
      const auto rows = glyph(letter);
      const double below = drop_of(letter) * square;
      for (std::size_t row = 0; row < rows.size(); ++row)
        for (int col = 0; col < 5; ++col)
          if ((rows[row] >> (4 - col) & 1) != 0)
            fill(x + col * square, y + below - (7 - double(row)) * square, square, square, colour);
      x += 6 * square;
    }
  }

  /// Rows of RGB, half as large in both directions.
  [[nodiscard]] std::vector<std::uint8_t> halved() const {
    std::vector<std::uint8_t> rgb;
    for (int row = 0; row + 1 < height_; row += 2)
      for (int col = 0; col + 1 < width_; col += 2)
        for (const auto part : {&Colour::r, &Colour::g, &Colour::b}) {
          int sum = 0;
          for (const int dy : {0, 1})
            for (const int dx : {0, 1}) sum += at(col + dx, row + dy).*part;
          rgb.push_back(static_cast<std::uint8_t>(sum / 4));
        }
    return rgb;
  }

 private:
  [[nodiscard]] const Colour& at(int col, int row) const {
    return pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(col)];
  }
  void set(int col, int row, Colour colour) {
    if (col < 0 || row < 0 || col >= width_ || row >= height_) return;
    pixels_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(col)] = colour;
  }
  void fill(double x, double y, double width, double height, Colour colour) {
    for (int row = int(std::lround(larger * y)); row < int(std::lround(larger * (y + height))); ++row)
      for (int col = int(std::lround(larger * x)); col < int(std::lround(larger * (x + width))); ++col)
        set(col, row, colour);
  }

  int width_, height_;
  std::vector<Colour> pixels_;
};

[[noreturn]] void cannot_write(const std::string& file, const std::string& why) {
  throw usage_error(fmt::format("--image: cannot write {}: {}", file, why), "name a file in a folder you can write to");
}

}  // namespace

void write_sheet(const std::string& file, Size size, std::string_view title, const Drawing& drawing) {
  if (file.ends_with(".svg")) {
    std::ofstream stream(file, std::ios::binary);
    stream << svg_of(size, title, drawing) << std::flush;
    if (!stream) cannot_write(file, std::strerror(errno));
    return;
  }
  PngSheet sheet(size);
  drawing(sheet);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, file.c_str(), 0, sheet.halved().data(), 0, nullptr) == 0)
    cannot_write(file, image.message);
}

}  // namespace gpulab::sheet
