#pragma once
// A sweep as lines over one of its parameters.

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

/// Values of a parameter that make a sweep.
inline constexpr std::size_t fewest_swept = 3;

struct SweepSeries {
  std::string name;
  std::vector<std::pair<double, const Result*>> points;  ///< by the value of the parameter; of results that are right
};

/// The number of which the run has most values, by its place among the parameters; nothing where it is no sweep.
[[nodiscard]] std::optional<std::size_t> swept_param(const Run& run);

/// One for each variant, and each set of the other things that the sweep varies. Points refer to `run`.
[[nodiscard]] std::vector<SweepSeries> series_of(const Run& run, std::size_t param);

}  // namespace gpulab
