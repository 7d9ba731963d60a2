#include "runner/report/trace/accused.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "common/text.h"

namespace gpulab {

namespace {

struct Place {
  std::uint64_t block = 0;
  std::uint32_t warp = 0;
  int lane = 0;
};

Place place_of(const StepTrace& trace, const FindingSite& at) {
  const Dim3 &g = trace.grid, &b = trace.block;
  const std::uint64_t thread = at.thread.x + std::uint64_t{b.x} * (at.thread.y + std::uint64_t{b.y} * at.thread.z);
  return {at.block.x + std::uint64_t{g.x} * (at.block.y + std::uint64_t{g.y} * at.block.z),
          static_cast<std::uint32_t>(thread / 32), static_cast<int>(thread % 32)};
}

/// "s[35]" -> the name and 35.
std::optional<std::pair<std::string, std::int64_t>> element_of(const std::string& address) {
  const auto open = address.find('[');
  if (open == std::string::npos) return std::nullopt;
  return std::pair{address.substr(0, open), std::int64_t{std::strtoll(address.c_str() + open + 1, nullptr, 10)}};
}

bool touches(const StepTrace& trace, const TraceStep& step, int lane, const std::string& address) {
  const auto element = element_of(address);
  if (!element || step.access == no_step_part) return !element;
  const StepAccess& access = trace.accesses[step.access];
  const std::uint64_t at = step.address + static_cast<std::uint64_t>(access.relative[static_cast<std::size_t>(lane)]);
  const bool shared = access.space == StepAccess::Space::shared;
  return std::any_of(trace.arrays.begin(), trace.arrays.end(), [&](const StepArray& array) {
    return array.name == element->first && array.shared == shared && at - array.address < array.bytes &&
           static_cast<std::int64_t>((at - array.address) / access.width) == element->second;
  });
}

/// Steps that may be the one that is accused.
std::vector<std::size_t> candidates(const StepTrace& trace, const FindingSite& at) {
  const Place place = place_of(trace, at);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    const StepWarp& warp = trace.warps[step.warp];
    if (step.site == no_step_part || warp.block != place.block || warp.warp != place.warp) continue;
    if (!((step.active & ~step.off) >> place.lane & 1)) continue;
    if (static_cast<int>(trace.sites[step.site].line) != at.line && trace.sites[step.site].line != 0) continue;
    if (step.access != no_step_part) {
      const StepAccess& access = trace.accesses[step.access];
      if (at.access == "write" && !access.store) continue;
      if (at.access == "read" && !access.load) continue;
    }
    if (touches(trace, step, place.lane, at.address)) found.push_back(i);
  }
  return found;
}

/// How many barriers of a step's block were complete before it.
std::vector<std::uint32_t> barriers_before(const StepTrace& trace) {
  std::map<std::uint64_t, std::uint32_t> complete;  // by block
  std::vector<std::uint32_t> before;
  before.reserve(trace.steps.size());
  for (const TraceStep& step : trace.steps) {
    std::uint32_t& count = complete[trace.warps[step.warp].block];
    before.push_back(count);
    count += step.site == no_step_part;
  }
  return before;
}

/// The pair that lies closest together, if there is one with no barrier between the two: a barrier would order them.
std::pair<std::optional<std::size_t>, std::optional<std::size_t>> closest(const StepTrace& trace,
                                                                          const std::vector<std::size_t>& first,
                                                                          const std::vector<std::size_t>& second) {
  if (first.empty() || second.empty())
    return {first.empty() ? std::nullopt : std::optional(first.front()),
            second.empty() ? std::nullopt : std::optional(second.front())};
  std::pair<std::optional<std::size_t>, std::optional<std::size_t>> best;
  const std::vector<std::uint32_t> barriers = barriers_before(trace);
  const auto block = [&](std::size_t i) { return trace.warps[trace.steps[i].warp].block; };
  std::pair<bool, std::size_t> apart{true, SIZE_MAX};
  for (const std::size_t a : first) {
    const auto behind = std::lower_bound(second.begin(), second.end(), a);
    const auto look = [&](std::size_t b) {
      const std::size_t between = a > b ? a - b : b - a;
      const std::pair<bool, std::size_t> now{block(a) == block(b) && barriers[a] != barriers[b], between};
      if (between == 0 || now >= apart) return;
      apart = now;
      best = {a, b};
    };
    if (behind != second.end()) look(*behind);
    if (behind != second.begin()) look(*(behind - 1));
    if (!apart.first && a > *best.first + apart.second) break;
  }
  return best;
}

}  // namespace

bool is_of_launch(const Finding& finding, const StepTrace& trace) {
  return finding.message.starts_with(trace.kernel + ":");  // tools name the kernel first
}

std::vector<AccusedStep> accused_steps(const TraceView& view) {
  std::vector<AccusedStep> accused;
  const StepTrace& trace = *view.steps;
  for (std::size_t f = 0; f < view.result->findings.size(); ++f) {
    const Finding& finding = view.result->findings[f];
    if (!is_of_launch(finding, trace)) continue;
    std::vector<std::vector<std::size_t>> possible;
    for (const FindingSite& at : finding.at) possible.push_back(candidates(trace, at));
    std::vector<std::optional<std::size_t>> chosen;
    if (possible.size() == 2) {
      const auto [a, b] = closest(trace, possible[0], possible[1]);
      chosen = {a, b};
    } else {
      for (const auto& steps : possible) chosen.push_back(steps.empty() ? std::nullopt : std::optional(steps.front()));
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (!chosen[k]) continue;
      const FindingSite& at = finding.at[k];
      const Place place = place_of(trace, at);
      accused.push_back({*chosen[k], f, k, place.lane,
                         visible(fmt::format("{}: lane {} of block {}'s warp {}, {} of {}", finding.tool, place.lane,
                                             place.block, place.warp, at.access, at.address))});
    }
  }
  std::sort(accused.begin(), accused.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return accused;
}

}  // namespace gpulab
