#pragma once
// Nsight Compute's own options, as handouts have them: those that choose and print are ours, too; those of a GPU's
// clocks and replays are taken and have no effect; those that write its binary report are refused with what to do
// instead.

#include <string>
#include <vector>

#include "runner/report/ncu/launch_view.h"

namespace gpulab::ncu {

enum class Page { details, raw, source };

struct NcuOptions {
  std::vector<std::string> sections{};  ///< ids
  std::vector<std::string> metrics{};
  Page page = Page::details;
  bool csv = false, base_units = false, base_names = false;
  LaunchFilter filter{};
  std::string log_file{}, provenance{}, beside{}, profile{};
  std::vector<std::string> nvcc{};     ///< words for it
  std::vector<std::string> ignored{};  ///< options that have no effect here
  std::vector<std::string> program{};  ///< its name, and its arguments
};

/// Throws usage_error.
[[nodiscard]] NcuOptions parse_ncu_options(const std::vector<std::string>& words);

}  // namespace gpulab::ncu
