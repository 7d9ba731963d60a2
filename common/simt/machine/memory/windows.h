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
inline constexpr std::uint64_t kCodeWindow = 0x0000'0300'0000'0000;  ///< function addresses

}  // namespace gpulab::simt
