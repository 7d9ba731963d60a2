#pragma once
// Where cases run, and how a simulator of it is set: what every command that runs kernels has.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/device/device_kind.h"
#include "common/gpu_profile.h"
#include "runner/options/option.h"

namespace gpulab {

struct MachineOptions {
  const DeviceKind* device = nullptr;  ///< nullptr: the best that is here and can do what is asked for
  std::optional<int> device_index;     ///< where the user named one
  std::optional<std::string> profile;
  int threads = 0;                      ///< 0: all
  bool model = false;                   ///< how long would it take on the GPU of `profile`?
  bool model_where_known = false;       ///< the same without being asked for, where the GPU has been measured
  std::string timing{};                 ///< for that, instead of what this build knows: the text of a file
  std::optional<bool> counters;         ///< absent: on where counting is free of doubt (the simulator)
  std::vector<std::string> sanitize{};  ///< tools; empty: none
  std::uint64_t schedule = 0, budget = 0;
  std::optional<TraceWindow> trace{};        ///< keep what warps do, step by step
  std::optional<std::uint64_t> print_limit;  ///< bytes; absent: the simulator's own
};

[[nodiscard]] OptionList machine_options();
/// Throws usage_error.
[[nodiscard]] MachineOptions parse_machine_options(const Given& given);

/// What --profile names: a GPU of the build, or one of a file, which `gpulab calibrate` writes: a text that ends in
/// ".json" or has a slash. Throws usage_error.
[[nodiscard]] const GpuProfile& chosen_profile(const std::string& text);
/// Of what gives points, and is to give the same everywhere. Throws usage_error for a file's.
void check_profile_for_points(const std::string& id);

/// Which steps of a launch are kept: what all have that show steps.
[[nodiscard]] OptionList trace_window_options();
/// Throws usage_error.
[[nodiscard]] TraceWindow parse_trace_window(const Given& given);

}  // namespace gpulab
