#pragma once
// What ptxas says of a kernel's registers and memory.

#include <optional>
#include <string>

#include "labs/kernel_file.h"
#include "runner/student_file/compilers/isolation.h"

namespace gpulab {

/// What `ptxas -v` says of one kernel; nothing where it does not know the architecture or the PTX, or takes too long.
[[nodiscard]] std::optional<KernelResources> resources(const std::string& ptx, const std::string& entry, int sm,
                                                       const std::string& ptxas, const Isolation& isolation);

}  // namespace gpulab
