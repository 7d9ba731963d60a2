#pragma once
// Rungs that call NVIDIA's device-wide algorithms (CUB, Thrust): the yardstick of ours. GPU only.
//
// Their code, labs/*/vendor.cu, takes minutes to compile and is of no use without a GPU. So it is a library of its own,
// libgpulab_vendor.so, loaded when the first of its functions is asked for. Ladders name the rungs whether it has been
// built or not.

#include <string>

#include "labs/lab.h"

namespace gpulab {

/// The function of that name, "reduce.cub", of labs/reduce/vendor.cu.
[[nodiscard]] Vendor vendor_code(const std::string& name);

/// "libgpulab_vendor.so … is not built", or nothing where the library is there, of these sources, and has the function.
[[nodiscard]] std::string vendor_code_lack(const std::string& name);

/// The same of a library at that path: what is wrong with it, or nothing. For tests.
[[nodiscard]] std::string vendor_library_problem(const std::string& path);

}  // namespace gpulab
