#pragma once
// A curve as characters, for the terminal.

#include <cstddef>
#include <string>
#include <vector>

#include "common/commentary.h"

namespace gpulab {

/// Columns of block characters (eighths of a line), one or two wide, with axes and a mark under `marked`. At most 96
/// columns, or `width` where that is less; more points than fit are thinned evenly. Nothing for a curve without points.
[[nodiscard]] std::vector<std::string> plot(const Curve& curve, std::size_t width);

/// A value of the y axis: in percent where the axis ends at 1.
[[nodiscard]] std::string y_text(const Curve& curve, double value);

}  // namespace gpulab
