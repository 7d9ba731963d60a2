#pragma once
// mbarrier objects: 64 opaque bits in shared memory (PTX ISA: Parallel Synchronization: mbarrier), and the sleep of
// threads whose test of one fails. Here:
//   bits 0-19 pending arrivals · 20-39 arrivals of the next phases · 40-60 bytes still to come, plus 2^20
//   61-62 the mark of an initialised object · 63 parity of the current phase

#include <cstdint>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

enum class Arrival : std::uint8_t {
  plain,
  dropping,        ///< arrive_drop: the thread takes no part in later phases
  not_completing,  ///< arrive.noComplete: must not be the last
};

/// Addresses are those of the shared window, without the block's own (without_own): a sibling's may be one. All fault
/// where no initialised mbarrier is, or a count goes wrong.
void init_mbarrier(Warp& warp, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t count);
void invalidate_mbarrier(Warp& warp, const MicroOp* op, int lane, std::uint32_t address);
/// Returns the state before: what later tests name the phase by.
std::uint64_t arrive(Warp& warp, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t count, Arrival how);
/// expect_tx: this many more bytes belong to the phase.
void expect_bytes(Warp& warp, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t bytes);
void complete_bytes(Warp& warp, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t bytes);
/// One more arrival in this phase alone (cp.async.mbarrier.arrive without .noinc).
void add_pending(Warp& warp, const MicroOp* op, int lane, std::uint32_t address);
/// Whether the phase of this parity is over. Finishes what copies the mbarrier tracks.
bool phase_is_over(Warp& warp, const MicroOp* op, int lane, std::uint32_t address, bool parity);

[[nodiscard]] constexpr bool parity_of(std::uint64_t state) { return state >> 63 != 0; }
[[nodiscard]] constexpr std::uint32_t pending_of(std::uint64_t state) { return state & 0xfffff; }

}  // namespace gpulab::simt
