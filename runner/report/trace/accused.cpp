#include "runner/report/trace/accused.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
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

/// The pair that lies closest together.
std::pair<std::optional<std::size_t>, std::optional<std::size_t>> closest(const std::vector<std::size_t>& first,
                                                                          const std::vector<std::size_t>& second) {
  if (first.empty() || second.empty())
    return {first.empty() ? std::nullopt : std::optional(first.front()),
            second.empty() ? std::nullopt : std::optional(second.front())};
  std::pair<std::optional<std::size_t>, std::optional<std::size_t>> best;
  std::size_t apart = SIZE_MAX;
  for (const std::size_t a : first) {
    const auto behind = std::lower_bound(second.begin(), second.end(), a);
    const auto look = [&](std::size_t b) {
      const std::size_t between = a > b ? a - b : b - a;
      if (between >= apart || between == 0) return;
      apart = between;
      best = {a, b};
    };
    if (behind != second.end()) look(*behind);
    if (behind != second.begin()) look(*(behind - 1));
    if (apart != SIZE_MAX && a > *best.first + apart) break;
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
      const auto [a, b] = closest(possible[0], possible[1]);
      chosen = {a, b};
    } else {
      for (const auto& steps : possible) chosen.push_back(steps.empty() ? std::nullopt : std::optional(steps.front()));
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      if (!chosen[k]) continue;
      const FindingSite& at = finding.at[k];
      const int lane = place_of(trace, at).lane;
      accused.push_back({*chosen[k], f, k, lane,
                         visible(fmt::format("{}: lane {}'s {} of {}", finding.tool, lane, at.access, at.address))});
    }
  }
  std::sort(accused.begin(), accused.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
  return accused;
}

}  // namespace gpulab
