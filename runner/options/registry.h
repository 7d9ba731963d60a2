#pragma once
// Labs and variants by name.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "labs/lab.h"

namespace gpulab {

/// Throws usage_error with a did-you-mean hint.
[[nodiscard]] const Lab& find_lab(std::span<const Lab> labs, std::string_view name);
[[nodiscard]] const Variant& find_variant(const Lab& lab, std::string_view name);

[[nodiscard]] std::vector<std::string> lab_names(std::span<const Lab> labs);
[[nodiscard]] std::vector<std::string> variant_names(const Lab& lab);

/// A lab whose declaration contradicts itself is a defect of the lab: says which field and why, or nothing.
[[nodiscard]] std::vector<std::string> defects(const Lab& lab);

}  // namespace gpulab
