#pragma once
// What the tools' files share: a resident block's state, and the address and the value of one lane's access.

#include <array>
#include <cstring>

#include "common/simt/observers/sanitizer.h"

namespace gpulab::simt {

/// What is known of a resident block.
struct Sanitizer::Block {
  Block(std::uint32_t block, std::uint32_t threads, const BlockContext& context)
      : history(block, threads),
        shared_bytes(context.warps[0].shared_bytes),
        local_bytes(std::uint64_t{context.warps[0].local_stride} * threads),
        race(shared_bytes),
        init(shared_bytes),
        local_init(local_bytes),
        alone(context.warps.size()) {}
  BlockHistory history;
  std::uint64_t shared_bytes, local_bytes;
  RaceShadow race;
  InitShadow init, local_init;
  std::vector<std::uint32_t> alone;  ///< by warp: lanes that went on without those that polled, since a barrier
};

inline std::uint64_t address_of(const Warp& w, const MicroOp* op, std::uint16_t slot, int lane) {
  if (op->mods & kAddress32)
    return static_cast<std::uint32_t>(reinterpret_cast<const std::uint32_t*>(w.regs + slot)[lane] +
                                      static_cast<std::uint32_t>(op->imm));
  return reinterpret_cast<const std::uint64_t*>(w.regs + slot)[lane] +
         static_cast<std::uint64_t>(std::int64_t{op->imm});
}

/// The bytes that a lane stores.
struct Stored {
  std::array<std::byte, 16> bytes{};
  Stored() = default;
  Stored(const Warp& w, const MicroOp* op, const Access& access, int lane) {
    for (std::uint32_t k = 0; k * access.element < access.bytes && k < 4; ++k) {
      const Slot* slot = w.regs + op->r[access.value + k];
      const std::size_t stride = access.element == 8 ? 8 : 4;
      std::memcpy(bytes.data() + k * access.element, slot->bytes + 0 + static_cast<std::size_t>(lane) * stride,
                  access.element);
    }
  }
};

constexpr std::uint32_t thread_in_block(const Warp& w, int lane) {
  return w.index * kLanes + static_cast<std::uint32_t>(lane);
}

}  // namespace gpulab::simt
