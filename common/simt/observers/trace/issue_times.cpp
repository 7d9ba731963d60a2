// Recorder: when the model issues each step. ptxas makes other code of PTX than one instruction for each: of those that
// it merges, unrolls away or predicates nothing is said. The others' n-th issue in a warp is their n-th execution.

#include <map>
#include <utility>

#include "common/simt/observers/trace/recorder.h"

namespace gpulab::simt {

void Recorder::add_times(const std::vector<IssuedInstruction>& issued) {
  if (!trace_) return;
  if (issued.empty()) {
    trace_->not_timed =
        trace_->ended.empty() ? "the model has no times for this launch" : "a launch that fails has no time";
    return;
  }
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> numbers;
  for (std::uint32_t n = 0; n < trace_->warps.size(); ++n)
    numbers.emplace(std::pair{trace_->warps[n].block, trace_->warps[n].warp}, n);
  using Place = std::pair<std::uint32_t, std::uint32_t>;  // warp of the trace, site
  std::map<Place, std::vector<const IssuedInstruction*>> by_place;
  for (const IssuedInstruction& one : issued)
    if (const auto number = numbers.find({one.block, one.warp}); number != numbers.end())
      by_place[{number->second, one.site}].push_back(&one);
  std::map<Place, std::uint32_t> next;
  for (TraceStep& step : trace_->steps) {
    if (step.site == no_step_part) continue;
    const auto found = by_place.find({step.warp, step.site});
    if (found == by_place.end()) continue;
    const RecordedWarp& state = states_[step.warp];
    const auto before = state.passed_over.find(step.site);
    const auto [at, fresh] = next.try_emplace(found->first, before == state.passed_over.end() ? 0 : before->second);
    const std::uint32_t turn = at->second++;
    if (state.executed.at(step.site) != found->second.size()) continue;
    const IssuedInstruction& one = *found->second[turn];
    step.issued = one.at;
    step.waited = one.waited;
    step.stall = one.stall;
  }
}

}  // namespace gpulab::simt
