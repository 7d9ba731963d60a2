#pragma once
// The options of a lab run, checked: from the strings of the command line to values.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/gpu_profile.h"
#include "labs/lab.h"
#include "runner/case/measure.h"
#include "runner/report/report.h"

namespace gpulab {

/// What the user typed, by option name without dashes; flags have the value "true".
using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

enum class DeviceKind { automatic, gpu, simulator };

struct LabOptions {
  const Lab* lab = nullptr;
  std::vector<const Variant*> variants;
  bool all_variants = false;
  std::vector<Dim3> blocks;                                             ///< empty: each variant's default
  std::optional<Dim3> grid;                                             ///< absent: automatic
  std::vector<std::pair<std::string, std::vector<ParamValue>>> params;  ///< declaration order
  DeviceKind device = DeviceKind::automatic;
  std::optional<int> gpu_index;  ///< where the user named one
  std::optional<std::string> profile;
  int threads = 0;
  bool lines = false;                   ///< count by source line (`gpulab explain`)
  std::vector<std::string> sanitize{};  ///< tools; empty: none
  bool allow_racy = false;              ///< variants that race on purpose run without racecheck, too
  std::uint64_t seed = 42, schedule = 0, budget = 0;
  std::optional<bool> counters;  ///< absent: on where counting is free of doubt (the simulator)
  const Variant* baseline = nullptr;
  MeasureOptions measure;
  const Format* format = nullptr;
  std::string output;                          ///< file, empty: standard output
  std::string image;                           ///< file for what the run drew; empty: none
  std::map<std::string, std::string> dumps{};  ///< of `gpulab run`
};

/// The value of an option that may be given once; null where it was not given. Throws usage_error.
[[nodiscard]] const std::string* single_value(const Given& given, std::string_view name);

/// Throws usage_error for everything that is not as the contract says.
[[nodiscard]] LabOptions parse_lab_options(const Lab& lab, const Given& given);

}  // namespace gpulab
