#pragma once
#include <string>

namespace gpulab {

/// The CPU's name as the system tells it, "unknown CPU" where it does not.
[[nodiscard]] std::string cpu_name();

}  // namespace gpulab
