#include "labs/julia/colors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gpulab::labs::julia {
namespace {

/// IEC 61966-2-1: linear light to the 8 bits that a screen expects.
std::uint8_t encoded(double linear) {
  const double light = std::clamp(linear, 0.0, 1.0);
  const double value = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * value));
}

/// Oklab (Ottosson 2020), in which equal distances look equal: lightness 0..1, chroma, hue in degrees.
Rgb oklch(double lightness, double chroma, double hue) {
  const double radians = hue * std::numbers::pi / 180;
  const double a = chroma * std::cos(radians), b = chroma * std::sin(radians);
  const auto cube = [](double x) { return x * x * x; };
  const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {encoded(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encoded(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encoded(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

std::vector<Rgb> palette(std::int64_t iterations) {
  std::vector<Rgb> colors;
  for (std::int64_t count = 0; count < iterations; ++count) {
    const double t = std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(iterations));
    // The hue turns from blue (265) through red (360) to yellow (465 - 360); chroma is smallest at the ends, where
    // few colours of much chroma can be shown.
    colors.push_back(oklch(0.18 + 0.78 * t, 0.06 + 0.11 * std::sin(std::numbers::pi * t), 265 + 200 * t));
  }
  colors.push_back({0, 0, 0});
  return colors;
}

}  // namespace gpulab::labs::julia
