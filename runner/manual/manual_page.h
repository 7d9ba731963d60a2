#pragma once
// The manual page, gpulab(1), in the macros of man(7).

#include <string>

#include "runner/manual/vocabulary.h"

namespace gpulab {

[[nodiscard]] std::string manual_page(const std::vector<Lab>& labs);

}  // namespace gpulab
