#include "common/simt/observers/shadows/dynamic_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace gpulab::simt {

void DynamicArrays::start(const LaunchState& launch, const Locator& locator) {
  words_.clear();
  array_of_.clear();
  const Program& program = *launch.program;
  SharedVariables dynamic = 0, used = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(program.shared_variables.size(), 64); ++i)
    dynamic |= SharedVariables{program.shared_variables[i].dynamic} << i;
  if (std::popcount(dynamic) < 2) return;
  std::vector<std::uint8_t> array_of(program.sites.size(), kNone);
  for (std::uint32_t site = 0; site < program.sites.size(); ++site) {
    const SharedVariables meant = locator.meant_at(site);
    if (std::popcount(meant) != 1 || (meant & dynamic) == 0) continue;
    array_of[site] = static_cast<std::uint8_t>(std::countr_zero(meant));
    used |= meant;
  }
  if (std::popcount(used) >= 2) array_of_ = std::move(array_of);
}

void DynamicArrays::access(const Warp& w, const MicroOp* op, const Locator& locator, Accusations& accusations) {
  if (array_of_.empty()) return;
  const MemoryUse& use = locator.use();
  const std::uint8_t array = array_of_[op->site];
  for (std::uint32_t left = locator.lanes(); left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Place place = locator.place(lane);
    if (!place.shared || place.sibling) continue;
    std::vector<Word>& words = words_.of(*w.block).of;
    const std::uint64_t end = std::min<std::uint64_t>((place.offset + use.bytes + 3) / 4, words.size());
    for (std::uint64_t at = place.offset / 4; at < end; ++at) {
      Word& word = words[at];
      if (!use.store && array != kNone && word.array != kNone && word.array != array) {
        const auto& all = w.program->shared_variables;
        const auto block = static_cast<std::uint32_t>(w.block->linear);
        accusations.add(
            {.tool = "memcheck",
             .message = fmt::format("'{}' and '{}' are the same memory: all extern __shared__ arrays of a "
                                    "kernel begin where its dynamic shared memory does; declare one, and "
                                    "let a pointer to the second begin behind the elements of the first",
                                    all[std::min(array, word.array)].name, all[std::max(array, word.array)].name),
             .address = fmt::format("{}[{}]", all[array].name, place.offset / std::max<unsigned>(use.bytes, 1)),
             .first = {block, word.thread, word.site},
             .second = suspect(w, lane, op->site),
             .severity = Severity::warning});
        word.array = kNone;
      }
      if (use.store || use.atomic) word = {op->site, thread_in_block(w, lane), array};
    }
  }
}

}  // namespace gpulab::simt
