#pragma once
// Who is in the class: a CSV with columns submission, name, id, email, as far as they are there; others are nobody's.

#include <string>
#include <string_view>
#include <vector>

namespace gpulab {

struct RosterRow {
  std::string submission;  ///< as Submission::name is shown
  std::string name{}, id{}, email{};
};

/// Throws usage_error: no column "submission", a row without one, one that is there twice.
[[nodiscard]] std::vector<RosterRow> parse_roster(std::string_view text, const std::string& file);
[[nodiscard]] std::vector<RosterRow> read_roster(const std::string& file);

}  // namespace gpulab
