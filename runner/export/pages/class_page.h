#pragma once
// A class's grades as a page for instructors: hidden items are in it.

#include <string>

#include "runner/export/export.h"

namespace gpulab {

/// Of one submission alone: its student's page.
[[nodiscard]] std::string class_page(const GradedClass& graded);

}  // namespace gpulab
