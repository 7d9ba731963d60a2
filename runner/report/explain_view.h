#pragma once
// What `gpulab explain` reports, as data: one launch of one result, and what of it the reader asked for.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/case/result.h"

namespace gpulab {

/// What is shown beside the launch's own counts.
struct ExplainView {
  DeviceInfo device;
  std::string lab;   ///< empty for a file
  std::string file;  ///< of a file; empty for labs
  const Result* result = nullptr;
  std::size_t launch = 0;  ///< of result->lines
  bool phases = false;
  std::optional<std::uint32_t> banks{};  ///< the line
  std::vector<std::string> metrics{};    ///< counters that are its columns, in this order; empty: those that it has
  std::vector<std::string> subject{};    ///< as Lab::subject: what never leaves for want of width
  std::string check_command{};  ///< "gpulab check LAB FILE": what counts the same; empty: no contract launches it
};

}  // namespace gpulab
