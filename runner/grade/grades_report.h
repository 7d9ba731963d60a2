#pragma once
// All grades of a class, on standard output.

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "runner/export/statistics.h"

namespace gpulab {

/// Submissions, then items and classes of inputs: how many have passed them.
[[nodiscard]] std::string grades_table(std::span<const nlohmann::json> grades, const ClassStatistics& statistics,
                                       const std::string& title, std::size_t width);
/// What `check --assignment` says: a gpulab.grade.v1 of the status "tried", item by item. `file`: as it was named.
[[nodiscard]] std::string tried_table(const nlohmann::json& grade, const std::string& file, std::size_t width);
/// gpulab.grades.v1: the documents in one.
[[nodiscard]] std::string grades_json(std::span<const nlohmann::json> grades, const ClassStatistics& statistics);

}  // namespace gpulab
