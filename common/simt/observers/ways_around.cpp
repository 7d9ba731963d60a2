#include "common/simt/observers/ways_around.h"

#include <algorithm>
#include <bit>

namespace gpulab::simt {

void WaysAround::restart(const BlockContext& block) {
  const std::size_t ways = block.launch.program->ways;
  now_ = 0;
  if (ways == 0) return;
  warps_ = block.warps.size();
  of_warps_.assign(ways * warps_, {});
  of_threads_.assign(ways * warps_ * kLanes, {});
  warps_worked_.assign(warps_, {});
  threads_worked_.assign(warps_ * kLanes, {});
}

void WaysAround::passed(const Warp& w, std::uint32_t site, WayPoint point, std::uint32_t way) {
  ++now_;
  const auto pass = [&](AtBranch& branch) {
    if (point == WayPoint::branch) ++branch.times;
    (point == WayPoint::branch ? branch.branch_at : branch.met_at) = now_;
  };
  const bool works = point == WayPoint::work;
  if (w.mask == kFullMask) {
    if (works)
      warps_worked_[w.index] = {now_, site};
    else
      pass(of_warps_[way * warps_ + w.index]);
    return;
  }
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::size_t thread = w.index * std::size_t{kLanes} + static_cast<std::size_t>(std::countr_zero(left));
    if (works)
      threads_worked_[thread] = {now_, site};
    else
      pass(of_threads_[way * warps_ * kLanes + thread]);
  }
}

WaysAround::AtBranch WaysAround::at(std::uint32_t way, std::size_t thread) const {
  const AtBranch &all = of_warps_[way * warps_ + thread / kLanes], &own = of_threads_[way * warps_ * kLanes + thread];
  return {all.times + own.times, std::max(all.branch_at, own.branch_at), std::max(all.met_at, own.met_at)};
}

WaysAround::Worked WaysAround::worked(std::size_t thread) const {
  const Worked &all = warps_worked_[thread / kLanes], &own = threads_worked_[thread];
  return all.at > own.at ? all : own;
}

std::optional<Suspect> WaysAround::who_went_round(const BlockContext& block, const Suspect& waiter) const {
  const Program& program = *block.launch.program;
  const auto leads_to = [&](const Detour& detour) {
    const Site &to = program.sites[detour.site], &here = program.sites[waiter.site];
    return detour.site == waiter.site || (to.instruction->call >= 0 && to.function != here.function);
  };
  const std::uint64_t threads = block.launch.block.volume();
  for (const Detour& detour : program.detours) {
    if (!leads_to(detour)) continue;
    const AtBranch own = at(detour.way, waiter.thread);
    if (own.met_at >= own.branch_at) continue;  // not between branch and meeting
    for (std::uint32_t t = 0; t < threads; ++t) {
      if (block.warps[t / kLanes].live >> t % kLanes & 1) continue;
      const AtBranch other = at(detour.way, t);
      const bool went_round = other.times == own.times && other.met_at > other.branch_at;
      if (went_round && worked(t).at > other.met_at)
        return Suspect{static_cast<std::uint32_t>(block.linear), t, worked(t).site};
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::simt
