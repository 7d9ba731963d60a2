#pragma once
// Some kernels of a module's PTX, for people to read: a ladder of templates is a text of tens of thousands of lines.

#include <span>
#include <string>
#include <string_view>

namespace gpulab {

/// The entries of these mangled names with all that they refer to (functions, variables, names of inlined functions)
/// and the module's head: a module again. Debugger's tables of kernels that are compiled without optimisation are left
/// out. The text must be as the CUDA compilers write it: a directive per line.
[[nodiscard]] std::string ptx_excerpt(std::string_view ptx, std::span<const std::string_view> entries);

}  // namespace gpulab
