#pragma once
// Charts as SVG, for --image: a curve, a ladder as bars, a sweep as lines.

#include <string>

#include "runner/case/result.h"

namespace gpulab {

/// Above a chart: what it shows, and of which case. Cut at the chart's width.
struct Heading {
  std::string title, of;
};

/// One bar per point, the marked one in another colour.
[[nodiscard]] std::string curve_svg(const Curve& curve, const Heading& heading);

/// A row per result, named where it did not end well; beside each other the numbers that tell them apart (panels.h):
/// time where a GPU measured it, then counters. Empty where no result has any.
[[nodiscard]] std::string ladder_svg(const Run& run, const Heading& heading);

/// A sweep over three values of a number, or more: the same numbers as lines over it, one for each variant. Empty where
/// the run is no such sweep.
[[nodiscard]] std::string sweep_svg(const Run& run, const Heading& heading);

}  // namespace gpulab
