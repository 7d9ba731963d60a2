#include "runner/tuner/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runner/case/plan.h"

namespace gpulab {
namespace {

/// Of labs whose blocks are lines, and of those whose blocks are rectangles.
const std::vector<Dim3>& blocks_of(const Lab& lab) {
  static const std::vector<Dim3> lines{{32}, {64}, {128}, {192}, {256}, {384}, {512}, {768}, {1024}},
      rectangles{{8, 8}, {16, 8}, {32, 4}, {16, 16}, {32, 8}, {64, 4}, {32, 16}, {64, 8}, {32, 32}};
  return lab.default_block.y > 1 ? rectangles : lines;
}

/// Sizes, types and operations make another problem, whose time says nothing of this one's.
void check_one_problem(const SweepOptions& options) {
  for (const auto& [name, values] : options.params) {
    const auto& params = options.lab->params;
    const auto declared = std::ranges::find(params, name, &Param::name);
    const bool is_knob = declared != params.end() && !declared->tested.empty();
    if (values.size() > 1 && !is_knob)
      throw usage_error(
          fmt::format("--best: --{} has {} values, and the times of several problems say nothing of each other", name,
                      values.size()),
          "name one; blocks, grids and the lab's knobs are what is tuned");
  }
}

/// Blocks an SM of a kernel that strides over its data.
constexpr std::uint32_t grids_per_sm[] = {1, 2, 4, 8, 16, 32};

}  // namespace

std::vector<TunedCase> tuned_space(SweepOptions options, const Host& host) {
  check_one_problem(options);
  if (options.launch.blocks.empty()) options.launch.blocks = blocks_of(*options.lab);
  options.all_variants = true;  // what a variant does not allow is left out
  std::vector<TunedCase> space;
  for (auto& swept : sweep(options, host)) {
    if (!swept.skip.empty() || !launches_kernels(*swept.variant)) continue;
    space.push_back({swept, options.launch.grid});
    if (!swept.variant->strides || options.launch.grid) continue;
    const auto automatic = plan(*options.lab, *swept.variant, swept.settings, {});
    if (automatic.steps.size() != 1) continue;  // the grid of a plan of several launches is its own
    for (const auto blocks : grids_per_sm) {
      const Dim3 grid{blocks * static_cast<std::uint32_t>(std::max(1, host.device.sm_count))};
      if (grid == automatic.point.grid || grid.x > automatic.point.grid.volume() * 8) continue;
      space.push_back({swept, grid});
    }
  }
  if (space.size() > kMostTuned)
    throw usage_error(fmt::format("--best: {} cases are more than {}", space.size(), kMostTuned),
                      "name fewer variants, blocks or values");
  if (space.empty()) throw usage_error("--best: nothing of what was named can run here", "'--variant all' tries all");
  return space;
}

}  // namespace gpulab
