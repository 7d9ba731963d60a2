#pragma once
// The generic address space, as a GPU has it: windows for shared memory, local memory and code; all else is global.

#include <cstdint>

namespace gpulab::simt {

inline constexpr std::uint64_t kSharedWindow = 0x0000'0100'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0000'0200'0000'0000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
inline constexpr std::uint64_t kGlobalStart = 0x0000'7000'0000'0000;
/// A program's own memory, which it registers for kernels, lies where its host has it: anywhere from here.
inline constexpr std::uint64_t kHostStart = 0x0000'0400'0000'0000;
/// In a cluster the shared window has room for the memory of each of its blocks, one behind the other, as on an H100.
/// An address below kRankBytes is the block's own, whichever block has it: so `mov` gives the address of a variable.
/// Generic addresses name the block (`cvta.shared`, `mapa`), for a block may give them to its siblings.
inline constexpr std::uint32_t kRankBytes = 1 << 24;
constexpr std::uint32_t rank_window(std::uint32_t rank) { return (rank + 1) * kRankBytes; }
/// What of an address in the shared window remains where it names the block itself, whose memory begins at `own_window`
/// there (0: a block without siblings).
constexpr std::uint64_t without_own(std::uint64_t address, std::uint32_t own_window) {
  return own_window != 0 && address - own_window < kRankBytes ? address - own_window : address;
}
inline constexpr std::uint64_t kCodeWindow = 0x0000'0300'0000'0000;  ///< function addresses

}  // namespace gpulab::simt
