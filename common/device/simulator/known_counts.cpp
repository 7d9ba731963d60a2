#include "common/device/simulator/known_counts.h"

#include <algorithm>
#include <span>

namespace gpulab {

KnownCounts::Key KnownCounts::key_of(const LoadedKernel& kernel, const Launch& launch) const {
  std::vector<std::byte> choosing;
  const std::span<const std::byte> all(launch.parameters);
  const auto& chooses = depend_on_.at(launch.kernel).parameters;
  for (std::size_t i = 0; i < chooses.size(); ++i) {
    if (!chooses[i]) continue;
    const auto one = all.subspan(kernel.program->parameter_offsets[i], kernel.kernel.parameter_sizes[i]);
    choosing.insert(choosing.end(), one.begin(), one.end());
  }
  return {RepeatedLaunches::shape_of(launch), std::move(choosing)};
}

const KnownCounts::Known* KnownCounts::find(const LoadedKernel& kernel, const Launch& launch) {
  const auto depends = depend_on_.find(launch.kernel);
  if (depends == depend_on_.end() || depends->second.memory) return nullptr;
  const auto found = known_.find(key_of(kernel, launch));
  if (found == known_.end() || found->second.counted < kCounted || !found->second.outcome.counters) return nullptr;
  return &found->second;
}

RepeatedLaunches::Outcome* KnownCounts::ran(const LoadedKernel& kernel, const Launch& launch, simt::UsedMemory used) {
  auto depends = depend_on_.find(launch.kernel);
  if (depends == depend_on_.end())
    depends = depend_on_.emplace(launch.kernel, simt::counts_depend_on(*kernel.program)).first;
  if (depends->second.memory) return nullptr;
  if (known_.size() >= kMostLaunches) known_.clear();
  Known& known = known_[key_of(kernel, launch)];
  known = {known.counted + 1, std::move(used), {}};
  return &known.outcome;
}

}  // namespace gpulab
