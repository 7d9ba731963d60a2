#pragma once
// `gpulab devices` and `gpulab doctor`: what there is to run on.

#include <string>

namespace gpulab {

[[nodiscard]] std::string list_devices();
/// What is here, what is missing, and how to mend it.
[[nodiscard]] std::string doctor();

}  // namespace gpulab
