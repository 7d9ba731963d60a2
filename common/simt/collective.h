#pragma once
// Instructions that lanes of a warp execute together (.sync): a handler that finds some missing stops its split until
// they have come. Only for isa/*.cpp (see lanes.h).

#include "common/simt/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// True if all members that have not exited are here; else the warp is set to wait for them.
inline bool all_here(Warp& w, const MicroOp* op, u32 members) {
  if ((members & w.live & ~w.mask) == 0) return true;
  w.stop = Stop::collective;
  w.stop_value = members;
  w.resume = op;
  return false;
}
/// The same for the member mask in operand k.
inline bool all_here(Warp& w, const MicroOp* op, int k, u32& members) {
  members = values<u32>(w, op, k)[__builtin_ctz(w.mask)];
  return all_here(w, op, members);
}

/// `.sync.aligned` instructions on matrices take a whole warp: they have no meaning for less.
inline bool whole_warp_here(Warp& w, const MicroOp* op) {
  if (w.live != kFullMask)
    fault_message(w, op, "matrix instruction in a warp of which some of the 32 threads have exited or never were");
  return all_here(w, op, kFullMask);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
