#pragma once
// Who is in the class: a CSV with columns submission, name, id, email, as far as they are there; others are nobody's.

#include <string>
#include <string_view>
#include <vector>

#include "runner/export/export.h"

namespace gpulab {

/// Throws usage_error: no column "submission", a row without one, one that is there twice.
[[nodiscard]] std::vector<RosterRow> parse_roster(std::string_view text, const std::string& file);
[[nodiscard]] std::vector<RosterRow> read_roster(const std::string& file);

}  // namespace gpulab
