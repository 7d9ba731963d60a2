// What a warp's registers hold before its first instruction: constants, kernel parameters, special registers.

#include <algorithm>
#include <cstring>

#include "common/simt/machine/block.h"

namespace gpulab::simt {

namespace {

void broadcast(Warp& w, std::uint16_t slot, bool wide, std::uint64_t bits) {
  if (wide) {
    auto* to = reinterpret_cast<std::uint64_t*>(w.regs + slot);
    std::fill_n(to, kLanes, bits);
  } else {
    auto* to = reinterpret_cast<std::uint32_t*>(w.regs + slot);
    std::fill_n(to, kLanes, static_cast<std::uint32_t>(bits));
  }
}

/// A parameter's value as a register of `slot` holds it: sign-extended where its type is signed.
std::uint64_t parameter_value(const ParameterSlot& slot, std::span<const std::byte> bytes) {
  const auto read = [&]<typename T>(T value) {
    if (slot.offset + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + slot.offset, sizeof(T));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  };
  switch (slot.kind) {
    case Kind::u8:
      return read(std::uint8_t{});
    case Kind::s8:
      return read(std::int8_t{});
    case Kind::u16:
    case Kind::f16:
    case Kind::bf16:
      return read(std::uint16_t{});
    case Kind::s16:
      return read(std::int16_t{});
    case Kind::s32:
      return read(std::int32_t{});
    case Kind::u64:
    case Kind::s64:
    case Kind::f64:
      return read(std::uint64_t{});
    default:
      return read(std::uint32_t{});
  }
}

}  // namespace

/// What stays the same for all blocks that this context runs.
void BlockContext::fill_launch_values(Warp& w) {
  const Program& program = *launch.program;
  for (const auto& c : program.constants) broadcast(w, c.slot, c.wide, c.bits);
  for (const auto& p : program.parameters) broadcast(w, p.slot, p.wide, parameter_value(p, launch.parameters));
  if (program.true_pred >= 0) w.preds[program.true_pred] = kFullMask;
  for (const auto& s : program.specials) {
    if (s.which->scope != SpecialRegister::Scope::lane) {
      broadcast(w, s.slot, s.wide, s.which->value(w, 0));
      continue;
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint64_t value = s.which->value(w, lane);
      if (s.wide)
        reinterpret_cast<std::uint64_t*>(w.regs + s.slot)[lane] = value;
      else
        reinterpret_cast<std::uint32_t*>(w.regs + s.slot)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}

/// What differs from block to block, and what the block before may have changed. A variable that nobody gave a value
/// holds on a GPU what the register held before; here the same in every block, so that a wrong result is repeatable and
/// shows: a NaN in each floating-point type (f16, bf16, f32, f64), a large integer; of a predicate, false.
void BlockContext::fill_block_values() {
  for (const auto& s : launch.program->specials) {
    if (s.which->scope != SpecialRegister::Scope::block) continue;
    const std::uint64_t value = s.which->value(warps.front(), 0);
    for (Warp& w : warps) broadcast(w, s.slot, s.wide, value);
  }
  constexpr std::uint64_t arbitrary = 0x7ff57ff57ff57ff5;
  for (const auto& unset : launch.program->unset)
    for (Warp& w : warps)
      if (unset.bytes == 0)
        w.preds[unset.at] = 0;
      else
        broadcast(w, unset.at, unset.bytes == 8, arbitrary);
}

}  // namespace gpulab::simt
