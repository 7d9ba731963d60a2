#pragma once
// A student's own CSV of ncu, beside ours.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/report/ncu/ncu_report.h"

namespace gpulab::ncu {

/// A launch as ncu measured it: values by ncu's metric names, in base units as far as the file tells them.
struct MeasuredLaunch {
  std::string kernel;  ///< base name
  std::string grid, block;
  std::map<std::string, double> values{};
};

/// The launches of `ncu --csv`, of the details page or the raw one; lines before the table are ncu's log. Throws
/// usage_error where there is no table; `name` is the file's.
[[nodiscard]] std::vector<MeasuredLaunch> read_ncu_csv(std::string_view text, const std::string& name);

/// Launch by launch, paired by kernel, grid and block in order: ncu's value, ours, by how much they differ.
[[nodiscard]] std::string beside_text(const View& view, const std::vector<MeasuredLaunch>& measured);

}  // namespace gpulab::ncu
