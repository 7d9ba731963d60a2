// FunctionDecoder: a register that is written once, with a value that does not change while a block runs (a parameter,
// a special register, an immediate, an address), gets no slot of its own: its readers read the slot of that value, and
// the copying instruction makes no micro-op. It is counted all the same, because counts come from basic blocks.
// Example: `mov.u32 %r1, %tid.x`.

#include "common/simt/decode/decoder.h"

namespace gpulab::simt {

/// The slot that holds the result of a copying instruction for good, -1 if there is none.
int FunctionDecoder::lasting_slot(const Item& item, std::uint32_t reg) {
  const ptx::Instruction& instruction = *item.instruction;
  const OperandType& type = item.entry.row->meaning.operands[0];
  const bool wide = register_class_[reg] == 1;
  if (register_class_[reg] != register_class(type.kind) || type.vector != 1) return -1;
  if (is_kernel_parameter_load(item)) {
    return decoder_.pool.parameter(wide, type.kind, parameter_place(item));
  }
  if (!(item.entry.row->meaning.traits & kCopies)) return -1;
  const ptx::Operand& from = instruction.operands[1];
  if (from.kind == ptx::Operand::Kind::reg && from.selector.empty() && !from.negated) {
    const std::uint32_t source_reg = register_id(instruction, from.name);
    return register_class_[source_reg] == register_class_[reg] ? lasting_[source_reg] : -1;
  }
  Emission added;
  const std::uint16_t slot = source(item, from, type.kind, added);
  return added.before.empty() ? slot : -1;  // clocks and addresses in the local frame are worked out each time
}

void FunctionDecoder::find_lasting() {
  lasting_.assign(register_class_.size(), -1);
  std::vector<int> writers(register_class_.size());
  for (const auto& writes : writes_)
    for (const auto reg : writes) ++writers[reg];
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    if (item.kind != Item::Kind::instruction || !item.instruction->guard.empty() || writes_[i].size() != 1) continue;
    const std::uint32_t reg = writes_[i].front();
    if (item.instruction->call >= 0 || writers[reg] != 1 || register_class_[reg] == 2) continue;
    lasting_[reg] = lasting_slot(item, reg);
  }
}

bool FunctionDecoder::needs_no_code(const Item& item) const {
  const auto& writes = writes_[static_cast<std::size_t>(&item - items_.data())];
  return writes.size() == 1 && lasting_[writes.front()] >= 0;
}

}  // namespace gpulab::simt
