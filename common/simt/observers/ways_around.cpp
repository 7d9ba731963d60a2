#include "common/simt/observers/ways_around.h"

#include <algorithm>
#include <bit>

namespace gpulab::simt {

void WaysAround::restart(const BlockContext& block) {
  const std::size_t ways = block.launch.program->ways;
  now_ = 0;
  if (ways == 0) return;
  warps_ = block.warps.size();
  branch_sites_.resize(ways, kNoSite);
  of_warps_.assign(ways * warps_, {});
  of_threads_.assign(ways * warps_ * kLanes, {});
  for (Lasts* lasts : {&worked_, &branched_}) {
    lasts->warps.assign(warps_, {});
    lasts->threads.assign(warps_ * kLanes, {});
  }
}

void WaysAround::passed(const Warp& w, std::uint32_t site, WayPoint point, std::uint32_t way) {
  ++now_;
  const auto pass = [&](AtBranch& branch) {
    if (point == WayPoint::branch) {
      ++branch.times;
      branch_sites_[way] = site;
    }
    (point == WayPoint::branch ? branch.branch_at : branch.met_at) = now_;
  };
  Lasts* const lasts = point == WayPoint::work ? &worked_ : point == WayPoint::branch ? &branched_ : nullptr;
  if (w.mask == kFullMask) {
    if (lasts) lasts->warps[w.index] = {now_, site};
    if (point != WayPoint::work) pass(of_warps_[way * warps_ + w.index]);
    return;
  }
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::size_t thread = w.index * std::size_t{kLanes} + static_cast<std::size_t>(std::countr_zero(left));
    if (lasts) lasts->threads[thread] = {now_, site};
    if (point != WayPoint::work) pass(of_threads_[way * warps_ * kLanes + thread]);
  }
}

WaysAround::AtBranch WaysAround::at(std::uint32_t way, std::size_t thread) const {
  const AtBranch &all = of_warps_[way * warps_ + thread / kLanes], &own = of_threads_[way * warps_ * kLanes + thread];
  return {all.times + own.times, std::max(all.branch_at, own.branch_at), std::max(all.met_at, own.met_at)};
}

const WaysAround::Last& WaysAround::Lasts::of(std::size_t thread) const {
  const Last &all = warps[thread / kLanes], &own = threads[thread];
  return all.at > own.at ? all : own;
}

std::optional<WaysAround::Round> WaysAround::who_went_round(const BlockContext& block, const Suspect& waiter) const {
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
      const auto went_on = [&](std::uint32_t site, bool worked) {
        return Round{{static_cast<std::uint32_t>(block.linear), t, site}, worked};
      };
      // In a loop it came to the same branch again, while the others waited behind it.
      if (other.times > own.times && own.times > 0) return went_on(branch_sites_[detour.way], false);
      if (other.times != own.times || other.met_at < other.branch_at) continue;
      if (worked_.of(t).at > other.met_at) return went_on(worked_.of(t).site, true);
      if (branched_.of(t).at > other.met_at) return went_on(branch_sites_[detour.way], false);
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::simt
