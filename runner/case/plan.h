#pragma once
// From a variant and a point of the sweep to launches: the grid, the kernel's name, limits of the hardware.

#include <optional>
#include <string>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

struct Plan {
  Case point;               ///< with its grid resolved
  std::vector<Step> steps;  ///< empty for vendor and host variants
};

/// Throws usage_error: a block that the variant or the hardware refuses, a grid too small or too large.
[[nodiscard]] Plan plan(const Lab& lab, const Variant& variant, Case point, const std::optional<Dim3>& grid);

/// Does the variant launch kernels of ours (rather than call a library or run on the host)?
[[nodiscard]] bool launches_kernels(const Variant& variant);

/// Why the variant refuses this block, or nothing.
[[nodiscard]] std::optional<std::string> refusal(const BlockRule& rule, const Dim3& block);
/// The blocks a rule allows, in words: "powers of two up to 1024 threads".
[[nodiscard]] std::string blocks_text(const BlockRule& rule);
/// The lab's default block, or the nearest that the variant allows.
[[nodiscard]] Dim3 default_block(const Lab& lab, const Variant& variant);

/// The C++ kernel name with {type}, {Op}, {block} … replaced by the case's values.
[[nodiscard]] std::string kernel_name(std::string_view pattern, const Case& point);

}  // namespace gpulab
