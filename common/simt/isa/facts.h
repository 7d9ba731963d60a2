#pragma once
// What an opcode says that its row does not: its modifiers, and what kind of instruction it is to decode, the counters
// and observers. Opcodes are read here and nowhere else, once each (InstructionSet::find); whoever wants to know asks
// for the bits, in Entry::facts or Site::facts.

#include <cstdint>
#include <string_view>

namespace gpulab::simt {

enum Fact : std::uint32_t {
  // Modifiers.
  kInGlobal = 1 << 0,  ///< the state space that it names; none: generic addresses, or none at all
  kInShared = 1 << 1,
  kInLocal = 1 << 2,
  kVolatile = 1 << 3,
  kStrong = 1 << 4,  ///< .relaxed, .acquire, .release, .acq_rel
  kAcquires = 1 << 5,
  kReleases = 1 << 6,
  kAligned = 1 << 7,  ///< barriers: the threads of a warp have to come together (bar means barrier….aligned)
  // Kinds.
  kReturn = 1 << 8,
  kExit = 1 << 9,
  kTableBranch = 1 << 10,  ///< brx: its targets lie in a table
  kWarpBarrier = 1 << 11,  ///< bar.warp.sync
  kFence = 1 << 12,        ///< fence, membar
  kMbarrier = 1 << 13,
  kBulkCopy = 1 << 14,  ///< cp.async.bulk, its kin that reduce, st.async: observers do not see what they write
  kShuffle = 1 << 15,   ///< shfl: by index, unless one of these says how
  kShuffleUp = 1 << 16,
  kShuffleDown = 1 << 17,
  kShuffleXor = 1 << 18,
  kRelaxed = 1 << 19,     ///< .relaxed: at barriers and mbarriers it orders nothing by itself
  kAsyncStore = 1 << 20,  ///< st.async, red.async: the thread's own values, which an mbarrier tells of
  kQuotient = 1 << 21,    ///< a division or root to the last bit: for some operands a GPU takes a longer way
  kNap = 1 << 22,         ///< nanosleep
};

/// Bits of Fact.
[[nodiscard]] std::uint32_t facts_of(std::string_view opcode);

}  // namespace gpulab::simt
