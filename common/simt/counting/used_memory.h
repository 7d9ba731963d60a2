#pragma once
// What a launch used of global memory, as far as it is counted: whoever asks whether the same launch would do the same
// again (common/device/simulator/repeated_launches.h).

#include <cstdint>
#include <vector>

#include "common/simt/machine/memory/stretch.h"
#include "common/simt/machine/worker.h"

namespace gpulab::simt {

/// How much of a program's use of memory the sectors that it is counted for tell.
enum class MemoryKnown : std::uint8_t {
  all,      ///< what it loads and what it stores; it leaves nothing else behind
  atomics,  ///< the same, and it loads where its atomics store
  stores,   ///< what it stores: textures load without a count, and what is printed is shown each time
  nothing   ///< it stores what nobody counts: bulk copies, surfaces, what built-in functions do
};
[[nodiscard]] MemoryKnown memory_known_of(const Program& program);

/// Of one allocation, from the first sector to the last. No bytes: none.
struct UsedAllocation {
  std::uint64_t address = 0;
  Stretch loaded, stored;
  bool meets = false;  ///< some sector is loaded and stored
  [[nodiscard]] bool operator==(const UsedAllocation&) const = default;
};
struct UsedMemory {
  std::vector<UsedAllocation> allocations;
  bool of_host = false;  ///< some of it is memory that the host may write at any time
};
/// Of all workers, at the end of a launch that counted. `known` of its program.
[[nodiscard]] UsedMemory used_memory(const Workers& workers, const GlobalMemory& memory, MemoryKnown known);

}  // namespace gpulab::simt
