#pragma once
// What a class's grades come to, item by item and class of inputs by class of inputs.

#include <array>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runner/export/grade_record.h"

namespace gpulab {

struct PartStatistics {
  std::string name;
  bool hidden = false;
  std::size_t passed = 0, partial = 0, failed = 0, pending = 0;
};

struct ItemStatistics {
  std::string name;
  bool hidden = false;
  double points = 0;
  std::size_t passed = 0, partial = 0, failed = 0, pending = 0;
  std::optional<double> mean;           ///< of what is earned, where that is known
  std::vector<PartStatistics> parts{};  ///< of the submissions that had kernels to judge
};

/// What is not judged (attention, infrastructure) counts for no item.
struct ClassStatistics {
  std::size_t submissions = 0;
  std::array<std::size_t, 5> of_status{};  ///< by GradeStatus
  double max = 0;
  std::optional<double> mean;  ///< of the scores
  std::vector<ItemStatistics> items{};
};

[[nodiscard]] ClassStatistics statistics_of(const std::vector<Grade>& grades);

/// `summary` of gpulab.grades.v1.
[[nodiscard]] nlohmann::ordered_json statistics_json(const ClassStatistics& statistics);
/// A row for each item, and behind it one for each of its classes or expressions.
[[nodiscard]] std::string statistics_csv(const ClassStatistics& statistics);

}  // namespace gpulab
