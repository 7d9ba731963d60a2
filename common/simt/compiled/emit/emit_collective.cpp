// Instructions that the lanes of a warp execute together, of whole warps: nobody is waited for.

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

void Emitter::emit_collective(const Operation& o) {
  if (flow_.is_fixed_shuffle(o))
    emit_shuffle(o);
  else
    emit_handler(o);
}

/// A shuffle between lanes that constants name. From which lane each takes its value says the row's own handler, asked
/// with the lanes' numbers as values.
void Emitter::emit_shuffle(const Operation& o) {
  constexpr std::size_t operands = 6, slots = 2;  // of 64 bytes, a register of 32 bits
  Slot registers[operands * slots] = {};
  const auto words = [&](std::size_t operand) { return reinterpret_cast<std::uint32_t*>(registers + operand * slots); };
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    words(2)[lane] = lane;
    for (std::size_t k = 1; k < o.in.size(); ++k)
      words(2 + k)[lane] = static_cast<std::uint32_t>(*flow_.constant(o.in[k]));
  }
  std::uint32_t in_range = 0;
  Warp warp;
  warp.regs = registers;
  warp.preds = &in_range;
  warp.live = kFullMask;
  set_mask(warp, kFullMask);
  MicroOp op = *o.op;
  for (std::size_t k = 0; k < operands; ++k) op.r[k] = static_cast<std::uint16_t>(k * slots);
  op.r[1] = 0;
  o.row_of_warp->meaning.run(warp, &op);
  const Value from = vector(o.in[0]);
  std::vector<std::uint32_t> sources(words(0), words(0) + kLanes);
  for (const Variable v : o.out) {
    if (all_.is_predicate(v))
      set(v, b_.k32(in_range), {State::Kind::vector, true, 0});
    else
      set(v, b_.shuffled(from, sources), {State::Kind::vector, true, 0});
  }
}

}  // namespace gpulab::simt::compiled
