#pragma once
// A lab's kernels as the compilers see them: PTX, and what ptxas makes of it.

#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// What ptxas says of the lab's kernels on each architecture: registers, shared, local and constant memory.
[[nodiscard]] std::string resources_text(const Lab& lab, std::size_t width);

/// The PTX of all of the lab's kernels, file by file.
[[nodiscard]] std::string ptx_text(const Lab& lab);
/// Of one file: some kernels by their C++ names, and what they share.
[[nodiscard]] std::string ptx_text(const Lab& lab, std::string_view file, const std::vector<std::string>& kernels);

}  // namespace gpulab
