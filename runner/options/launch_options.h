#pragma once
// How kernels are launched, and the seed of what they work on: of labs and files alike.

#include <cstdint>
#include <optional>
#include <vector>

#include "common/dim3.h"
#include "runner/options/option.h"

namespace gpulab {

struct LaunchOptions {
  std::vector<Dim3> blocks;  ///< empty: each variant's default
  std::optional<Dim3> grid;  ///< absent: automatic
  std::uint64_t seed = 42;   ///< of the inputs
};

[[nodiscard]] OptionList launch_options();
/// Throws usage_error.
[[nodiscard]] LaunchOptions parse_launch_options(const Given& given);

}  // namespace gpulab
