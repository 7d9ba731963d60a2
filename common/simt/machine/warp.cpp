#include "common/simt/machine/warp.h"

#include "common/simt/machine/block.h"
#include "common/simt/machine/memory.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

void defer_atomic(Warp& w, std::byte* host, std::uint64_t value, void (*apply)(std::byte*, std::uint64_t)) {
  w.worker->log.atomics.push_back({host, value, apply});
}

void mark_far(Warp& w, const std::uint64_t* addresses, bool store) {
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const std::uint64_t address = addresses[__builtin_ctz(left)];
    const Allocation* a = w.global->find(address);
    if (!a) continue;
    const std::uint64_t sector = (address - a->address) >> 5;
    std::uint64_t* bits = store ? w.footprint->stored(a->index) : w.footprint->loaded(a->index);
    bits[sector >> 6] |= std::uint64_t{1} << (sector & 63);
  }
}

std::uint64_t simulated_clock(const Warp& w) {
  return w.block->executed + w.block->polled + static_cast<std::uint64_t>(w.block->slice - w.fuel);
}

}  // namespace gpulab::simt
