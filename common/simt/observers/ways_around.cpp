#include "common/simt/observers/ways_around.h"

#include <bit>

namespace gpulab::simt {

void WaysAround::restart(const BlockContext& block) {
  const std::size_t threads = block.warps.size() * kLanes, ways = block.launch.program->ways;
  now_ = 0;
  if (ways == 0) return;
  branches_.assign(ways * threads, {});
  worked_.assign(threads, {});
}

void WaysAround::passed(const Warp& w, std::uint32_t site, WayPoint point, std::uint32_t way) {
  ++now_;
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::size_t thread = w.index * std::size_t{kLanes} + static_cast<std::size_t>(std::countr_zero(left));
    if (point == WayPoint::work) {
      worked_[thread] = {now_, site};
      continue;
    }
    AtBranch& branch = branches_[way * worked_.size() + thread];
    if (point == WayPoint::branch) {
      ++branch.times;
    } else {
      branch.met = branch.times;
      branch.met_at = now_;
    }
  }
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
    const AtBranch& own = at(detour.way, waiter.thread);
    if (own.times == 0 || own.met == own.times) continue;  // not between branch and meeting
    for (std::uint32_t t = 0; t < threads; ++t) {
      const AtBranch& other = at(detour.way, t);
      const bool gone = !(block.warps[t / kLanes].live >> t % kLanes & 1);
      if (gone && other.met == own.times && worked_[t].at > other.met_at)
        return Suspect{static_cast<std::uint32_t>(block.linear), t, worked_[t].site};
    }
  }
  return std::nullopt;
}

}  // namespace gpulab::simt
