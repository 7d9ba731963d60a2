#pragma once
// Charts as SVG, for --image: a curve, or a ladder as bars. Plain SVG 1.1 that every browser and editor draws.

#include <string>

#include "runner/case/result.h"

namespace gpulab {

/// Above a chart: what it shows, and of which case. Cut at the chart's width.
struct Heading {
  std::string title, of;
};

/// One bar per point, the marked one in another colour.
[[nodiscard]] std::string curve_svg(const Curve& curve, const Heading& heading);

/// One bar per result: GB/s or time where a GPU measured, else warp instructions as simulated. Empty where no result
/// has any of these.
[[nodiscard]] std::string ladder_svg(const Run& run, const Heading& heading);

}  // namespace gpulab
