#pragma once
// Addresses of bulk copies, lane by lane. Only for isa/memory/*.cpp.

#include "common/simt/isa/memory/memory_lanes.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/sync/cluster.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// An address of shared memory, or a generic one, in the shared window.
inline u64 in_window(const Warp& w, u64 address) {
  if (address - kSharedWindow < kWindowBytes) address -= kSharedWindow;
  return without_own(address, w.own_window);
}
/// Offset in its shared memory of `bytes` bytes, 16-byte aligned.
inline u32 bulk_shared(Warp& w, const MicroOp* op, int lane, u64 address, u32 bytes, const char* access) {
  address = in_window(w, address);
  if (!within(address, bytes, w.shared_bytes)) fault_access(w, op, kSharedWindow + address, lane, bytes, access);
  if (address & 15) fault_message(w, op, "bulk copy whose addresses are no multiples of 16 bytes");
  return static_cast<u32>(address);
}
/// Where so many bytes of a sibling's shared memory, or of its own, are to be written.
inline u32 bulk_target(Warp& w, const MicroOp* op, int lane, u64 address, u32 bytes, const char* access) {
  if (address < kRankBytes || address >= kWindowBytes) return bulk_shared(w, op, lane, address, bytes, access);
  (void)sibling_memory(w, op, lane, static_cast<u32>(address), 16, access);
  if (!within(address % kRankBytes, bytes, w.shared_bytes))
    fault_access(w, op, kSharedWindow + address, lane, bytes, access);
  return static_cast<u32>(address);
}
/// The same of st.async and red.async, whose few bytes are aligned to their number.
inline u32 async_target(Warp& w, const MicroOp* op, int lane, u64 address, u32 bytes, const char* access) {
  const u64 at = in_window(w, address);
  if (at < kRankBytes ? !within(at, bytes, w.shared_bytes) || (at & (bytes - 1)) != 0 : at >= kWindowBytes)
    fault_access(w, op, kSharedWindow + at, lane, bytes, access);
  if (at >= kRankBytes) (void)sibling_memory(w, op, lane, static_cast<u32>(at), bytes, access);
  return static_cast<u32>(at);
}
inline u32 mbarrier_in_window(Warp& w, const MicroOp* op, u64 address) {
  const u64 at = in_window(w, address);
  if (at >= kWindowBytes) fault_message(w, op, "mbarrier outside shared memory");
  return static_cast<u32>(at);
}

inline std::byte* bulk_global(Warp& w, const MicroOp* op, int lane, u64 address, u32 bytes, const char* access) {
  std::byte* host = w.global->host(address, bytes);
  if (!host) fault_access(w, op, address & ~u64{15}, lane, bytes, access);
  if (address & 15) fault_message(w, op, "bulk copy whose addresses are no multiples of 16 bytes");
  return host;
}

/// Calls f(lane, bytes) for each lane that copies anything: the third operand is its size.
template <typename F>
inline void for_each_copy(Warp& w, const MicroOp* op, F f) {
  for (u32 left = w.mask; left; left &= left - 1) {
    const int i = first_lane(left);
    const u32 bytes = values<u32>(w, op, 2)[i];
    if (bytes & 15) fault_message(w, op, "bulk copy of a size that is no multiple of 16 bytes");
    if (bytes != 0) f(i, bytes);
  }
}

/// Where a tensor map lies; constant memory and parameters are in global memory here.
inline std::byte* map_bytes(Warp& w, const MicroOp* op, int lane, u64 address, const char* access) {
  constexpr u32 bytes = 128;
  if (address - kSharedWindow < kWindowBytes) {
    const u64 at = in_window(w, address);
    if (!within(at, bytes, w.shared_bytes)) fault_access(w, op, address, lane, bytes, access);
    return w.shared + at;
  }
  std::byte* const host = w.global->host(address, bytes);
  if (!host) fault_access(w, op, address, lane, bytes, access);
  return host;
}

/// An address whose register has this slot: an instruction's first, which has an offset and may be of 32 bits.
inline u64 first_address(const Warp& w, const MicroOp* op, u16 slot, int lane) {
  const void* const registers = w.regs + slot;
  const u64 offset = static_cast<u64>(std::int64_t{op->imm});
  if (op->mods & kAddress32) return static_cast<u32>(static_cast<const u32*>(registers)[lane] + offset);
  return static_cast<const u64*>(registers)[lane] + offset;
}
template <typename T>
inline T value_in(const Warp& w, u16 slot, int lane) {
  return reinterpret_cast<const T*>(w.regs + slot)[lane];
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
