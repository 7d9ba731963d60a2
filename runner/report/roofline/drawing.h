#pragma once
// One drawing of a roofline, for SVG and for PNG (runner/report/plots/sheet.h).

#include <string>
#include <vector>

#include "runner/report/plots/sheet.h"
#include "runner/report/roofline/roofline.h"

namespace gpulab::sheet {

[[nodiscard]] Size size_of(const Roofline& roofline, bool headed = true);
/// `headed`: with what it is of above it.
void draw(const Roofline& roofline, Sheet& sheet, bool headed = true);

/// What of both axes is shown: all rows, with room around them, and where slope and flat roofs meet if that is near.
struct Window {
  double left = 0, right = 0, bottom = 0, top = 0;
};
[[nodiscard]] Window window_of(const Roofline& roofline);

/// What is marked on an axis: 1, 10, 100, or 1, 3, 10, 30 where that is few, or 1, 2, 5, 10, or 1, 1.5, 2, 3, 4, 5, 7;
/// nine at most.
[[nodiscard]] std::vector<double> ticks(double low, double high);

/// Of each row that is in the picture: its number, from 1 on; 0: it is not.
[[nodiscard]] std::vector<std::size_t> numbers(const Roofline& roofline);

/// As people read it: µs for the document's us.
[[nodiscard]] std::string unit_text(const Ceiling& ceiling);

/// A roof of the picture: from one end to the other, in operations a byte and operations a second.
struct Roof {
  std::string words;
  bool is_slope = false, dashed = false;
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
};
/// Cut to the window; those that lie outside are left away.
[[nodiscard]] std::vector<Roof> roofs(const Roofline& roofline, const Window& window);

}  // namespace gpulab::sheet
