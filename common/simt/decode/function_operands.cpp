// FunctionDecoder: a PTX instruction's operands to the entries of its micro-op.

#include <fmt/format.h>

#include <algorithm>

#include "common/simt/decode/decoder.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

/// The first address of an instruction keeps its offset in MicroOp::imm; it may be 32 bits wide (kAddress32).
std::uint16_t FunctionDecoder::first_address(const Item& item, const ptx::Operand& operand, MicroOp& op,
                                             Emission& out) {
  if (operand.is_reg) {
    const std::uint32_t reg = register_id(*item.instruction, operand.name);
    if (register_class_[reg] == 2) fail(*item.instruction, fmt::format("'{}' is a predicate register", operand.name));
    op.imm = static_cast<std::int32_t>(operand.integer);
    if (op.imm != operand.integer) fail(*item.instruction, "the address offset does not fit 32 bits");
    if (register_class_[reg] == 0) op.mods |= kAddress32;
    return slot_of(reg);
  }
  op.imm = static_cast<std::int32_t>(operand.integer);
  if (op.imm == operand.integer) return fixed_address(item, operand, 0, out);
  op.imm = 0;
  return fixed_address(item, operand, operand.integer, out);
}

std::uint16_t FunctionDecoder::fixed_address(const Item& item, const ptx::Operand& operand, std::int64_t offset,
                                             Emission& out) {
  return operand.name.empty() ? decoder_.pool.constant(true, static_cast<std::uint64_t>(offset))
                              : symbol_source(item, operand.name, offset, true, out);
}

/// Further ones (copies have two or three) are 64 bits wide, their offset added.
std::uint16_t FunctionDecoder::further_address(const Item& item, const ptx::Operand& operand, Emission& out) {
  if (!operand.is_reg) return fixed_address(item, operand, operand.integer, out);
  ptx::Operand base = operand;
  base.kind = ptx::Operand::Kind::reg;
  const std::uint16_t slot = source(item, base, Kind::u64, out);
  if (operand.integer == 0) return slot;
  MicroOp add = pseudo("%offset", item.site);
  add.r[0] = scratch(1, out);
  add.r[1] = slot;
  add.r[2] = decoder_.pool.constant(true, static_cast<std::uint64_t>(operand.integer));
  out.before.push_back(add);
  return add.r[0];
}

std::uint16_t FunctionDecoder::optional_destination(const Item& item, const ptx::Operand& operand, bool second,
                                                    Kind kind, Emission& out) {
  const std::string_view name = second ? operand.second : operand.name;
  if (name.empty() || name == "_") return kNoOperand;
  if (!second) return destination(item, operand, kind, out);
  ptx::Operand half;
  half.name = name;
  return destination(item, half, kind, out);
}

std::vector<std::uint16_t> FunctionDecoder::operand_slots(const Item& item, MicroOp& op, Emission& out) {
  const Meaning& meaning = item.entry.row->meaning;
  const auto& given = item.instruction->operands;
  std::vector<std::uint16_t> slots;
  std::size_t cursor = 0;
  bool has_address = false;
  for (std::size_t k = 0; k < meaning.operands.size() && meaning.operands[k].role != Role::none; ++k) {
    const OperandType& type = meaning.operands[k];
    if (type.role == Role::optional_out && k > 0) {  // the second half of the operand before
      slots.push_back(optional_destination(item, given[cursor - 1], true, type.kind, out));
      continue;
    }
    const ptx::Operand* operand = cursor < given.size() ? &given[cursor] : nullptr;
    const auto element = [&](std::size_t e) -> const ptx::Operand& {
      return operand->kind == ptx::Operand::Kind::vector ? operand->elements[e] : *operand;
    };
    switch (type.role) {
      case Role::optional_out:
        slots.push_back(optional_destination(item, *operand, false, type.kind, out));
        break;
      case Role::out:
        for (std::size_t e = 0; e < type.vector; ++e) slots.push_back(destination(item, element(e), type.kind, out));
        break;
      case Role::in:
      case Role::optional_in:
        if (!operand) {
          slots.push_back(type.kind == Kind::pred ? decoder_.pool.constant_pred(false)
                                                  : decoder_.pool.constant(register_class(type.kind) == 1, 0));
          continue;
        }
        for (std::size_t e = 0; e < type.vector; ++e) slots.push_back(source(item, element(e), type.kind, out));
        break;
      case Role::address:
        slots.push_back(has_address ? further_address(item, *operand, out) : first_address(item, *operand, op, out));
        has_address = true;
        break;
      case Role::immediate:
        op.imm = static_cast<std::int32_t>(operand->integer);
        if (op.imm != operand->integer) fail(*item.instruction, "the immediate does not fit 32 bits");
        break;
      case Role::label:
      case Role::none:
        break;
    }
    ++cursor;
  }
  return slots;
}

void FunctionDecoder::emit_operands(const Item& item, Emission& out) {
  const Meaning& meaning = item.entry.row->meaning;
  MicroOp op;
  op.site = item.site;
  op.mods = item.entry.mods;
  op.extra = meaning.extra;
  const auto slots = operand_slots(item, op, out);
  if (meaning.traits & kOperandTable) {
    auto& table = decoder_.program.operand_table;
    op.r[0] = static_cast<std::uint16_t>(table.size());
    op.r[1] = static_cast<std::uint16_t>(table.size() >> 16);
    table.insert(table.end(), slots.begin(), slots.end());
  } else {
    std::copy(slots.begin(), slots.end(), op.r.begin());
  }
  // kResultUsed: the old value that an atomic returns is read later. A kernel that reads such a value, or loads with a
  // memory order, may wait for other blocks.
  if ((meaning.traits & kAtomic) && !writes_[&item - items_.data()].empty() &&
      read_anywhere_[writes_[&item - items_.data()].front()])
    op.mods |= kResultUsed;
  if (!(item.entry.facts & kInShared) &&
      (((meaning.traits & kLoad) && (op.mods & kOrdered)) || (op.mods & kResultUsed)))
    decoder_.program.communicates = true;
  // A parameter that is loaded through a register: the kernel has taken the parameter's address, which is a generic
  // address into the copy of the parameters.
  const auto& given = item.instruction->operands;
  const bool is_param = item.entry.row->unit == Unit::param;
  const bool by_address = is_param && entry_ && (meaning.traits & kLoad) && given.size() == 2 && given[1].is_reg;
  const bool modified = meaning.modified && (by_address || (item.entry.mods != 0 && !is_param));
  op.run = modified ? meaning.modified : decoder_.context.counters && meaning.counted ? meaning.counted : meaning.run;
  const auto push_look = [&](Handler look) {
    MicroOp looks = op;
    looks.run = look;
    out.main.push_back(looks);
  };
  if (const Handler look = look_at(item)) push_look(look);
  const bool accesses = meaning.traits & (kLoad | kStore | kAtomic);
  const bool traced = accesses || (item.entry.facts & (kQuotient | kNap)) != 0;
  if (traced && (decoder_.context.watches & kWatchTraced)) push_look(observe_traced_access);
  out.main.push_back(op);
}

/// What tells the observers of an access, a fence or a collective; nullptr where none of them asks.
Handler FunctionDecoder::look_at(const Item& item) const {
  const Row& row = *item.entry.row;
  const std::uint16_t watches = decoder_.context.watches;
  if (row.meaning.traits & kCollective) return watches & kWatchCollectives ? observe_collective : nullptr;
  if (row.meaning.traits & (kLoad | kStore | kAtomic)) return watches & kWatchAccesses ? observe_access : nullptr;
  if (item.entry.facts & kFence) return watches & kWatchFences ? observe_fence : nullptr;
  return nullptr;
}

}  // namespace gpulab::simt
