#pragma once
// A bar within a line of text or a cell.

#include <string>

namespace gpulab::html {

/// What a bar shows, each as a share (0..1) of its whole length.
struct Measure {
  double value = 0;
  double low = -1, high = -1;  ///< a range around it, as a thin line; none where negative
  int series = 0;              ///< its colour, 0 to 6
};
/// For the eye alone: the number stands beside it as text, so that assistive technology skips the bar.
[[nodiscard]] std::string measure(const Measure& shown);

}  // namespace gpulab::html
