#include "common/simt/counting/used_memory.h"

#include <algorithm>
#include <bit>

#include "common/simt/device_runtime/builtins.h"
#include "common/simt/isa/facts.h"

namespace gpulab::simt {
namespace {

MemoryKnown known_of(const Site& site) {
  switch (site.row->unit) {
    case Unit::atomic:
      return site.facts & kInShared ? MemoryKnown::all : MemoryKnown::atomics;
    case Unit::texture:  // a store's first operand is the surface
      return site.row->meaning.operands[0].role == Role::out ? MemoryKnown::stores : MemoryKnown::nothing;
    case Unit::async:
      return site.facts & kBulkCopy ? MemoryKnown::nothing : MemoryKnown::all;
    default:
      return MemoryKnown::all;
  }
}

MemoryKnown known_of(const Builtin& builtin) {
  if (builtin.name == "__assertfail") return MemoryKnown::all;  // the launch ends
  return builtin.name == "vprintf" ? MemoryKnown::stores : MemoryKnown::nothing;
}

}  // namespace

MemoryKnown memory_known_of(const Program& program) {
  MemoryKnown known = MemoryKnown::all;
  for (const Site& site : program.sites)
    if (site.block != kNoBlock) known = std::max(known, known_of(site));
  for (const CallInfo& call : program.calls)
    if (call.builtin) known = std::max(known, known_of(*call.builtin));
  return known;
}

UsedMemory used_memory(const Workers& workers, const GlobalMemory& memory, MemoryKnown known) {
  constexpr std::uint64_t word_bytes = std::uint64_t{32} * 64;  // of the sectors of a footprint's word
  UsedMemory used;
  const auto add = [](Stretch& stretch, std::uint64_t bits, std::uint64_t first) {
    if (bits == 0) return;
    const std::uint64_t begin = first + 32 * static_cast<std::uint64_t>(std::countr_zero(bits));
    const std::uint64_t end = first + word_bytes - 32 * static_cast<std::uint64_t>(std::countl_zero(bits));
    if (stretch.bytes == 0) stretch.offset = begin;
    stretch.bytes = end - stretch.offset;
  };
  for (const auto& allocation : memory.allocations()) {
    if (!allocation->host) continue;
    UsedAllocation mine;
    mine.address = allocation->address;
    const std::size_t words = workers[0]->footprint.words(allocation->index);
    for (std::size_t k = 0; k < words; ++k) {
      std::uint64_t loads = 0, stores = 0;
      for (const auto& worker : workers) {
        loads |= worker->footprint.loaded(allocation->index)[k];
        stores |= worker->footprint.stored(allocation->index)[k];
      }
      add(mine.loaded, loads, k * word_bytes);
      add(mine.stored, stores, k * word_bytes);
      mine.meets |= (loads & stores) != 0 || (known != MemoryKnown::all && stores != 0);
    }
    if (mine.loaded.bytes + mine.stored.bytes == 0) continue;
    used.of_host |= is_of_host(*allocation);
    used.allocations.push_back(mine);
  }
  return used;
}

}  // namespace gpulab::simt
