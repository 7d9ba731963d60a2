#pragma once
// What a lab says of a case beyond counters and times: facts, text, a curve, a picture. Plain data.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace gpulab {

/// A named number: "idle_lanes", 16, "lanes". Units as people write them: "GB/s", "ratio" (shown in percent), "".
struct Metric {
  std::string name;
  double value = 0;
  std::string unit;
};

/// What a metric's name means. One that ends in _N stands for a number each: launches_depth_N.
struct MetricMeaning {
  std::string name, unit, definition;
};

/// y over x, for the terminal, JSON and an image: occupancy over block sizes.
struct Curve {
  std::string name, x_label, y_label;
  std::vector<double> x, y;  ///< of equal length, x ascending
  double y_max = 0;          ///< upper end of the axis, which starts at 0
  double marked = 0;         ///< the x of this case
};

/// Rows from top to bottom, three bytes (red, green, blue) per pixel.
struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

/// A lab parameter's value: an integer, a real number, or a word.
using ParamValue = std::variant<std::int64_t, double, std::string>;

struct Commentary {
  std::vector<Metric> metrics{};
  std::vector<std::string> lines{};  ///< paragraphs of the page; one that starts with a space is not wrapped
  std::optional<Curve> curve{};
  std::optional<Picture> picture{};
};

}  // namespace gpulab
