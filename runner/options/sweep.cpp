#include "runner/options/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/embedded.h"
#include "common/error.h"
#include "runner/case/plan.h"
#include "runner/case/shared_memory.h"

namespace gpulab {
namespace {

/// Calls `visit` with every combination of parameter values, the last parameter fastest.
template <typename Visit>
void each_combination(const SweepOptions& options, std::size_t depth, Params& params, const Visit& visit) {
  if (depth == options.params.size()) return visit(params);
  const auto& [name, values] = options.params[depth];
  for (const auto& value : values) {
    params.values[name] = value;
    each_combination(options, depth + 1, params, visit);
  }
}

/// The one compute capability that architecture-specific code (kernels_sm90a.cu) runs on: neither older nor newer ones.
std::optional<int> only_architecture(const Lab& lab, const Variant& variant) {
  for (const auto& kernels : embedded_kernels())
    if (kernels.lab == lab.name && kernels.file == variant.file && !kernels.cubin.empty())
      return kernels.compute_capability;
  return std::nullopt;
}

/// What this machine lacks for the variant, or nothing.
std::optional<std::string> lack(const Lab& lab, const Variant& variant, const Host& host) {
  if (variant.vendor.run != nullptr && !host.capabilities.runs_vendor_code) {
    return fmt::format("variant '{}' calls a vendor library and needs a GPU", variant.name);
  }
  if (variant.gpu_only && !host.capabilities.runs_vendor_code) {
    return fmt::format("variant '{}' uses what the simulator does not have, and needs a GPU", variant.name);
  }
  if (variant.vendor.lack != nullptr) {
    if (const auto missing = variant.vendor.lack(); !missing.empty()) {
      return fmt::format("variant '{}': {}", variant.name, missing);
    }
  }
  const auto& device = host.device;
  const int here = device.compute_major * 10 + device.compute_minor;
  if (const auto only = only_architecture(lab, variant); only && *only != here) {
    return fmt::format("variant '{}' is for compute capability {}.{} alone, {} has {}.{}", variant.name, *only / 10,
                       *only % 10, device.profile.empty() ? device.name : device.profile, device.compute_major,
                       device.compute_minor);
  }
  if (launches_kernels(variant) && device.compute_major * 10 + device.compute_minor < variant.min_compute_capability) {
    return fmt::format("variant '{}' needs compute capability {}.{}, {} has {}.{}", variant.name,
                       variant.min_compute_capability / 10, variant.min_compute_capability % 10,
                       device.profile.empty() ? device.name : device.profile, device.compute_major,
                       device.compute_minor);
  }
  return std::nullopt;
}

/// A variant that races on purpose may give another answer every time. It runs only under racecheck, which names the
/// race, or where the user asks for it (--allow-racy).
void check_race(const SweepOptions& options, const Variant& variant) {
  if (!variant.racy || options.admits_races) return;
  throw usage_error(fmt::format("variant '{}' races on purpose: its answer may be wrong", variant.name),
                    "'--sanitize racecheck' names the race; '--allow-racy' runs it all the same");
}

/// The plan's own complaint, or nothing.
std::optional<Error> complaint(const SweepOptions& options, const SweepCase& swept) {
  try {
    check_race(options, *swept.variant);
    check_shared_memory(*options.lab, *swept.variant,
                        plan(*options.lab, *swept.variant, swept.settings, options.launch.grid), options.launch.grid);
    if (swept.variant->calculate) (void)swept.variant->calculate(swept.settings);  // as quick as a plan
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

Error nothing_runs(const std::vector<SweepCase>& cases) {
  return Error(ExitCode::missing, cases.front().skip, {},
               "'gpulab doctor' shows what this machine has; '--variant all' skips what cannot run");
}

}  // namespace

std::vector<SweepCase> product(const SweepOptions& options) {
  std::vector<SweepCase> cases;
  const auto block_count = std::max<std::size_t>(1, options.launch.blocks.size());
  Params params;
  each_combination(options, 0, params, [&](const Params& combination) {
    for (std::size_t b = 0; b < block_count; ++b) {
      for (const auto* variant : options.variants) {
        SweepCase swept;
        swept.variant = variant;
        swept.named = !options.all_variants;
        swept.settings.params = combination;
        swept.settings.seed = options.launch.seed;
        swept.settings.block =
            options.launch.blocks.empty() ? default_block(*options.lab, *variant) : options.launch.blocks[b];
        if (options.launch.blocks.empty() && variant->block) swept.settings.block = variant->block(swept.settings);
        cases.push_back(std::move(swept));
      }
    }
  });
  return cases;
}

std::vector<SweepCase> sweep(const SweepOptions& options, const Host& host) {
  auto cases = product(options);
  std::optional<Error> first;
  for (auto& swept : cases) {
    swept.settings.sm_count = std::max(1, host.device.sm_count);
    swept.settings.max_threads_per_sm = host.max_threads_per_sm;
    if (!host.device.profile.empty()) swept.settings.gpu = &gpu_profile(host.device.profile);
    if (const auto missing = lack(*options.lab, *swept.variant, host)) {
      swept.skip = *missing;
    } else if (auto error = complaint(options, swept)) {
      if (swept.named) throw *error;
      swept.skip = error->what();
      if (swept.variant->racy && !options.admits_races) swept.skip += " (--allow-racy runs it)";
      if (!first) first = std::move(error);
    }
  }
  const bool none = std::all_of(cases.begin(), cases.end(), [](const SweepCase& swept) { return !swept.skip.empty(); });
  if (none && first) throw *first;
  if (none) throw nothing_runs(cases);
  return cases;
}

}  // namespace gpulab
