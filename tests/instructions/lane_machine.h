#pragma once
// One warp with registers of its own, to run the handler of one instruction on: no module, no scheduler.

#include <array>
#include <cstdint>
#include <cstring>

#include "common/simt/isa/op.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/warp.h"
#include "tests/instructions/instruction_case.h"

namespace gpulab::simt {

class LaneMachine {
 public:
  LaneMachine() {
    warp.regs = slots_.data();
    warp.preds = preds_.data();
    ops_[1].run = [](Warp&, const MicroOp* here) { return here; };
  }
  /// Numbers the operands of a case as decode would: what is absent is nowhere, or a false predicate where it is read.
  void place(const InstructionCase& one) {
    op.extra = one.row->meaning.extra;
    op.r.fill(kNoOperand);
    int r = 0;
    for (const auto& operand : one.row->meaning.operands) {
      if (operand.role == Role::optional_in) op.r[r] = kFalse;
      r += operand.vector;
    }
    for (const auto& slots : {one.inputs, one.outputs})
      for (const auto& slot : slots)
        op.r[slot.r] = static_cast<std::uint16_t>(slot.kind == Kind::pred ? slot.r : slot.r * kSlotsEach);
  }

  void set(int r, Kind kind, int lane, std::uint64_t bits) {
    if (kind == Kind::pred) {
      const std::uint32_t bit = 1u << lane;
      preds_[op.r[r]] = bits & 1 ? preds_[op.r[r]] | bit : preds_[op.r[r]] & ~bit;
    } else if (register_class(kind) == 1) {
      std::memcpy(at(r) + lane * 8, &bits, 8);
    } else {
      std::memcpy(at(r) + lane * 4, &bits, 4);
    }
  }
  [[nodiscard]] std::uint64_t get(int r, Kind kind, int lane) {
    if (kind == Kind::pred) return preds_[op.r[r]] >> lane & 1;
    std::uint64_t bits = 0;
    std::memcpy(&bits, at(r) + lane * (register_class(kind) == 1 ? 8 : 4), register_class(kind) == 1 ? 8 : 4);
    return bits;
  }
  /// True if the handler came to the next micro-op, by return or by jump.
  bool run(Handler handler, std::uint32_t mask) {
    set_mask(warp, mask);
    return handler(warp, &op) == &ops_[1];
  }

  Warp warp{};

 private:
  std::array<MicroOp, 2> ops_{};

 public:
  MicroOp& op = ops_[0];

 private:
  static constexpr int kSlotsEach = 4;  // a 64-bit register
  static constexpr std::uint16_t kFalse = 7;
  std::byte* at(int r) { return slots_[op.r[r]].bytes; }

  std::array<Slot, 6 * kSlotsEach> slots_{};
  std::array<std::uint32_t, 8> preds_{};
};

}  // namespace gpulab::simt
