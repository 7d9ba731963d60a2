#pragma once
// --image: what a run drew, as a file: a lab's picture (PNG), its curve, the ladder or the sweep (SVG).

#include <string>

#include "runner/case/result.h"

namespace gpulab {

/// Throws usage_error where the name ends neither in .png nor in .svg.
void check_image_name(const std::string& file);

/// Writes the picture of the run's first result that has one, else several results as a sweep or a ladder, else the
/// first curve. Throws Error: nothing to draw, a format that does not fit what there is to draw, a file that cannot be
/// written.
void write_image(const std::string& file, const Run& run);

}  // namespace gpulab
