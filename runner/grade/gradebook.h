#pragma once
// All grades of a class: a CSV, and a table for people.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "runner/grade/roster.h"

namespace gpulab {

/// A row for each document, in their order, then one for everybody on the roster who handed nothing in. A score that is
/// not known is left empty, and never 0.
[[nodiscard]] std::string gradebook_csv(std::span<const nlohmann::json> grades, const std::vector<RosterRow>& roster);

[[nodiscard]] std::string grades_table(std::span<const nlohmann::json> grades, const std::string& title,
                                       std::size_t width);
/// gpulab.grades.v1: the documents in one.
[[nodiscard]] std::string grades_json(std::span<const nlohmann::json> grades);

}  // namespace gpulab
