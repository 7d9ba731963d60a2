#include "common/simt/machine/sync/stillness.h"

#include <algorithm>
#include <utility>

#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/sync/repetition.h"

namespace gpulab::simt {

bool Stillness::found(bool polls, std::uint64_t blocks, const GlobalMemory& memory) {
  const bool same_blocks = std::exchange(blocks_, blocks) == blocks;
  const bool goes_on = std::exchange(polled_, polls) && same_blocks;
  if (!polls) return false;
  const auto now = Clock::now();
  if (!goes_on) {
    look_at_ = now + kHalf;
    memory_.reset();
  }
  if (now < look_at_) return false;
  StateHash hash;
  for (const auto& one : memory.allocations())
    if (one->host != nullptr) hash.add(one->host, one->bytes);
  const auto before = std::exchange(memory_, hash.value());
  const auto then = Clock::now();
  look_at_ = then + std::max<Clock::duration>(kHalf, kShare * (then - now));
  return before == memory_;
}

}  // namespace gpulab::simt
