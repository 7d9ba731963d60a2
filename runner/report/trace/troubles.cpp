#include "runner/report/trace/troubles.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

#include "runner/report/trace/accused.h"

namespace gpulab {
namespace {

constexpr std::uint32_t wavefront = 4, sector_bytes = 32;
constexpr std::uint32_t divergence_costs = 2 * wavefront;  ///< both ways are executed one after the other

/// Lanes that come to an address at which another one is, too.
std::uint32_t lanes_that_meet(const StepAccess& access) {
  std::set<std::int64_t> addresses;
  for (std::uint32_t left = access.mask; left != 0; left &= left - 1)
    addresses.insert(access.relative[static_cast<std::size_t>(std::countr_zero(left))]);
  return static_cast<std::uint32_t>(std::popcount(access.mask)) - static_cast<std::uint32_t>(addresses.size());
}

}  // namespace

std::uint32_t excess_of(const StepAccess& access) {
  using enum StepAccess::Space;
  if (access.atomic) return wavefront * lanes_that_meet(access);
  if (access.space == shared)
    return wavefront * (std::max(access.wavefronts, access.ideal_wavefronts) - access.ideal_wavefronts);
  if (access.space == local) return 0;
  const std::uint32_t fewest = (access.distinct_bytes + sector_bytes - 1) / sector_bytes;
  // One sector more is what a request takes that does not start where a sector does.
  return access.sectors >= 2 * fewest && access.sectors > fewest + 1 ? access.sectors - fewest : 0;
}

std::optional<Trouble> trouble_of(const StepTrace& trace, const TraceStep& step) {
  if (step.site == no_step_part) return std::nullopt;
  if (step.access == no_step_part)
    return trace.texts[step.text].starts_with("diverges: ") ? std::optional(Trouble::divergence) : std::nullopt;
  const StepAccess& access = trace.accesses[step.access];
  if (excess_of(access) == 0) return std::nullopt;
  return access.atomic                               ? Trouble::atomic
         : access.space == StepAccess::Space::shared ? Trouble::conflict
                                                     : Trouble::uncoalesced;
}

std::size_t opening_step(const TraceView& view) {
  const StepTrace& trace = *view.steps;
  if (const auto accused = accused_steps(view); !accused.empty()) return accused.front().step;
  if (!trace.ended.empty()) return trace.steps.empty() ? 0 : trace.steps.size() - 1;
  struct Found {
    std::uint64_t cost = 0;
    std::size_t first = 0;
  };
  std::array<Found, 4> found;  // by Trouble
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const auto trouble = trouble_of(trace, step);
    if (!trouble) continue;
    Found& one = found[static_cast<std::size_t>(*trouble)];
    if (one.cost == 0) one.first = i;
    one.cost += *trouble == Trouble::divergence ? divergence_costs : excess_of(trace.accesses[step.access]);
  }
  return std::ranges::max_element(found, {}, &Found::cost)->first;
}

}  // namespace gpulab
