#pragma once
// What a case must do and count, worked out thread by thread from its steps and the definitions in common/counters.h,
// by brute force: nothing here is shared with the simulator.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/fidelity/suite.h"

namespace gpulab::fidelity {

struct Expected {
  std::map<std::string, std::uint64_t> counters;  ///< by common/counters.h's names, those that derive from addresses
  std::vector<std::vector<std::byte>> buffers;    ///< in the order of enum Buffer
};
[[nodiscard]] Expected expected(const Case& one);

/// Additions to shared memory that hardware has no instruction for: of floats, and of 64 bits.
[[nodiscard]] bool has_swap_loop(const Step& step);
/// The same for such additions, which ptxas compiles to a loop of compare-and-swaps; no two warps meet in one. In every
/// turn of the loop the lanes that are left load the old value, add, and try to swap. One lane of each bank and pass
/// succeeds, and one of all lanes of the warp on one address.
[[nodiscard]] Expected expected_of_swap_loops(const Case& one);

}  // namespace gpulab::fidelity
