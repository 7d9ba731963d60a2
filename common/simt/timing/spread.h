#pragma once
// How far a modelled time may be off: by what bounds a launch and by what it holds, from how far off the model was for
// kernels that nobody here wrote (tests/timing/README.md).

#include <string>

#include "common/simt/timing/gpu_timing.h"
#include "common/simt/timing/modelled_time.h"
#include "common/simt/timing/trace/trace.h"

namespace gpulab::simt {

/// What of a launch the model is known to get less well, or has never been compared with.
struct LaunchKinds {
  bool polls = false;    ///< warps wait for what others store, or for a lock
  bool swaps = false;    ///< warps that only looked would try to swap at one address, had they run at once
  bool queue = false;    ///< threads take numbers from a counter until all are gone
  bool heap = false;     ///< threads take memory of the device's heap, or give it back
  bool clock = false;    ///< threads wait until a clock says that it is time
  bool prints = false;   ///< threads have called printf
  bool tensors = false;  ///< the kernel has tensor copies
  bool managed = false;  ///< pages of managed memory move between host and GPU
  bool of_host = false;  ///< memory of the host, over its link
  double local = 0;      ///< of all accesses, those of local memory: arrays of a thread, registers that are spilled
  bool loops = false;    ///< atomics of floating-point numbers in shared memory: loops of compare-and-swap
  bool gathers = false;  ///< requests of global memory are of many sectors
};
[[nodiscard]] LaunchKinds kinds_of(const GridTrace& trace, bool spills);

/// Nine of ten measured times are to lie from time / down to time * up.
struct Spread {
  double down = 1, up = 1;
  std::string no_ground;  ///< why nobody knows; empty: somebody does
};
[[nodiscard]] Spread spread_of(const LaunchKinds& kinds, const std::string& bound, const GpuTiming& gpu);

}  // namespace gpulab::simt
