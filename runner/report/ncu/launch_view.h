#pragma once
// The launches of a program, in order, each with what is known of it by itself.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda_api/program_run.h"
#include "common/gpu_profile.h"
#include "common/occupancy.h"

namespace gpulab::ncu {

struct LaunchView {
  std::size_t number = 0;  ///< ncu's ID: of the launches shown, from 0
  const cuda_api::KernelRecord* kernel = nullptr;
  const GpuProfile* gpu = nullptr;
  Dim3 grid, block;
  std::uint32_t stream = 0;
  std::uint64_t shared_bytes = 0;  ///< static and dynamic
  std::optional<int> registers{};
  const Counters* counters = nullptr;   ///< null: not known by itself
  const ModelledTime* model = nullptr;  ///< null: the launch is not modelled
  bool has_lines = false;               ///< what is known of the kernel's source lines is true of this launch
  std::optional<Occupancy> occupancy{};
  std::optional<BlockLimits> limits{};
  std::optional<Spread> spread{};
};

/// Which launches: ncu's --kernel-name (a name, or regex:EXPRESSION), --launch-skip, --launch-count.
struct LaunchFilter {
  std::string kernel{};  ///< empty: all
  std::uint64_t skip = 0, count = UINT64_MAX;
};

/// Throws usage_error where the filter's expression is none.
[[nodiscard]] std::vector<LaunchView> launch_views(const ProgramRun& run, const LaunchFilter& filter);

/// "scale" of "ns::scale<float>(float*, int)".
[[nodiscard]] std::string base_name(std::string_view kernel);

}  // namespace gpulab::ncu
