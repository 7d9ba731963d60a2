#pragma once
// Whether a launch counts what another one has counted, though memory holds something else: whoever launches a kernel a
// thousand times over new data wants it counted once (common/device/simulator/known_counts.h).

#include <vector>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

/// On what, beside the shape of a grid, it depends which instructions each warp executes and where it accesses memory:
/// then all counters and the modelled time are the same.
struct CountsDependOn {
  /// What memory holds, clocks, or what other blocks do meanwhile.
  bool memory = false;
  std::vector<bool> parameters;  ///< of the kernel's, those by whose values a branch, a guard or an address is chosen
};

/// By the PTX, whose registers are followed from loads and parameters to branches and addresses, whatever their order.
/// A kernel that calls functions, or whose blocks may wait for each other, is not looked at: it depends on memory.
[[nodiscard]] CountsDependOn counts_depend_on(const Program& program);

}  // namespace gpulab::simt
