#pragma once
// What is swept: a lab, its variants, the values of its parameters, blocks. sweep.h makes cases of it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "labs/lab.h"
#include "runner/options/launch_options.h"
#include "runner/options/option.h"

namespace gpulab {

struct SweepOptions {
  std::shared_ptr<const Lab> lab;
  std::vector<const Variant*> variants;  ///< of the lab
  bool all_variants = false;
  std::vector<std::pair<std::string, std::vector<ParamValue>>> params;  ///< declaration order
  LaunchOptions launch;
  bool admits_races = false;  ///< variants that race on purpose run, too
};

/// The lab's parameters, --variant, and those of launch_options.h.
[[nodiscard]] OptionList sweep_options(const Lab& lab);
/// Throws usage_error for everything that is not as the lab declares it.
[[nodiscard]] SweepOptions parse_sweep_options(std::shared_ptr<const Lab> lab, const Given& given);

/// The lab that kernel_file.h makes of a file: one variant, no parameters.
[[nodiscard]] SweepOptions sweep_of_file(Lab lab, LaunchOptions launch);

/// Sizes that nobody names become small ones, for pages on which each step is looked at: `length` where the lab has one
/// size, 64 for each of several, its least value where that is more. Knobs (Param::tested, choices) stay as they are.
[[nodiscard]] Given with_small_sizes(const Lab& lab, Given given, std::int64_t length);

}  // namespace gpulab
