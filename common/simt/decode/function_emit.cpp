// FunctionDecoder, second half: micro-ops and basic blocks.

#include <fmt/format.h>

#include <bit>

#include "common/error.h"
#include "common/simt/decode/decoder.h"
#include "common/simt/device_runtime/builtins.h"
#include "common/simt/isa/kind.h"
#include "common/simt/machine/observer.h"

namespace gpulab::simt {

namespace {

/// A load or store of memory that threads share. Volatile, relaxed and acquire ones are left out: kernels poll with
/// them, and polling gives way to others by itself (kPollCost).
bool is_plain_access(const Row& row, std::uint16_t mods) {
  const bool shared_by_threads = row.unit == Unit::global || row.unit == Unit::shared || row.unit == Unit::generic;
  return shared_by_threads && (row.meaning.traits & (kLoad | kStore)) && !(mods & kOrdered);
}

/// An immediate's bits as a register of `kind` holds them.
std::uint64_t immediate_bits(const ptx::Operand& operand, Kind kind) {
  if (operand.kind == ptx::Operand::Kind::f64) {
    const double value = std::bit_cast<double>(operand.bits);
    if (kind == Kind::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return operand.bits;
  }
  if (operand.kind == ptx::Operand::Kind::f32) {
    const auto bits = static_cast<std::uint32_t>(operand.bits);
    if (kind == Kind::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
    return bits;
  }
  const auto value = static_cast<std::uint64_t>(operand.integer);
  const std::uint32_t bytes = bytes_of(kind);
  return bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

}  // namespace

MicroOp FunctionDecoder::pseudo(std::string_view opcode, std::uint32_t site) const {
  MicroOp op;
  op.run = instruction_set().find(opcode).front().row->meaning.run;
  op.site = site;
  return op;
}

std::uint16_t FunctionDecoder::slot_of(std::uint32_t reg) const {
  if (lasting_[reg] >= 0) return static_cast<std::uint16_t>(lasting_[reg]);
  const FunctionInfo& info = decoder_.program.functions[index_];
  const std::uint32_t slot = allocation_.slots[reg];
  switch (register_class_[reg]) {
    case 0:
      return static_cast<std::uint16_t>(info.first_slot + 2 * slot);
    case 1:
      return static_cast<std::uint16_t>(info.wide_slot + 4 * slot);
    default:
      return static_cast<std::uint16_t>(info.first_pred + slot);
  }
}

const Symbol* FunctionDecoder::find_symbol(std::string_view name) const {
  if (const auto found = frame_.find(name); found != frame_.end()) return &found->second;
  return decoder_.find_module_symbol(name);
}

std::uint16_t FunctionDecoder::special_source(const Item& item, std::string_view name, bool wide, Emission& out) {
  const SpecialRegister* known = find_special_register(name);
  if (!known) fail(*item.instruction, fmt::format("special register '{}' is not implemented by the simulator", name));
  if (known->scope != SpecialRegister::Scope::read) return decoder_.pool.special(wide, *known);
  MicroOp read = pseudo("%special", item.site);
  read.r[0] = scratch(1, out);
  read.imm = static_cast<std::int32_t>(known - special_registers().data());
  out.before.push_back(read);
  if (wide) return read.r[0];
  MicroOp low = pseudo("%narrow", item.site);
  low.r[0] = scratch(0, out);
  low.r[1] = read.r[0];
  out.before.push_back(low);
  return low.r[0];
}

std::uint16_t FunctionDecoder::symbol_source(const Item& item, std::string_view name, std::int64_t offset, bool wide,
                                             Emission& out) {
  const Symbol* symbol = find_symbol(name);
  if (!symbol) fail(*item.instruction, fmt::format("unknown symbol '{}'", name));
  const auto plus = static_cast<std::uint64_t>(offset);
  switch (symbol->where) {
    case Symbol::Where::frame: {
      MicroOp local = pseudo("%local_address", item.site);
      local.r[0] = scratch(1, out);
      local.imm = static_cast<std::int32_t>(symbol->value + plus);
      if (local.imm != static_cast<std::int64_t>(symbol->value + plus))
        fail(*item.instruction, "the offset from a local variable does not fit 32 bits");
      out.before.push_back(local);
      if (wide) return local.r[0];
      MicroOp low = pseudo("%narrow", item.site);
      low.r[0] = scratch(0, out);
      low.r[1] = local.r[0];
      out.before.push_back(low);
      return low.r[0];
    }
    case Symbol::Where::kernel_parameter: {
      Program& program = decoder_.program;
      if (!program.parameter_address)
        program.parameter_address = decoder_.context.allocate_parameters(program.parameter_bytes);
      return decoder_.pool.constant(wide, program.parameter_address + symbol->value + plus);
    }
    default:
      return decoder_.pool.constant(wide, symbol->value + plus);
  }
}

std::uint16_t FunctionDecoder::source_pred(const Item& item, const ptx::Operand& operand, Emission& out) {
  if (operand.kind == ptx::Operand::Kind::integer) return decoder_.pool.constant_pred(operand.integer != 0);
  if (operand.kind == ptx::Operand::Kind::special) {
    MicroOp holds = pseudo("%nonzero.pred", item.site);
    holds.r[1] = special_source(item, operand.name, false, out);
    holds.r[0] = scratch(2, out);
    out.before.push_back(holds);
    return holds.r[0];
  }
  const std::uint32_t reg = register_id(*item.instruction, operand.name);
  if (register_class_[reg] != 2) fail(*item.instruction, fmt::format("'{}' is not a predicate register", operand.name));
  if (!operand.negated) return slot_of(reg);
  MicroOp invert = pseudo("%not.pred", item.site);
  invert.r[0] = scratch(2, out);
  invert.r[1] = slot_of(reg);
  out.before.push_back(invert);
  return invert.r[0];
}

std::uint16_t FunctionDecoder::source(const Item& item, const ptx::Operand& operand, Kind kind, Emission& out) {
  using OperandKind = ptx::Operand::Kind;
  if (kind == Kind::pred) return source_pred(item, operand, out);
  const bool wide = register_class(kind) == 1;
  switch (operand.kind) {
    case OperandKind::integer:
    case OperandKind::f32:
    case OperandKind::f64:
      return decoder_.pool.constant(wide, immediate_bits(operand, kind));
    case OperandKind::special:
      return special_source(item, operand.name, wide, out);
    case OperandKind::symbol:
    case OperandKind::label:
      return symbol_source(item, operand.name, operand.integer, wide, out);
    case OperandKind::underscore:
      return decoder_.pool.constant(wide, 0);
    case OperandKind::reg:
      break;
    default:
      fail(*item.instruction, "unexpected operand");
  }
  if (operand.negated || !operand.selector.empty())
    fail(*item.instruction, "negated and partial registers are not implemented");
  const std::uint32_t reg = register_id(*item.instruction, operand.name);
  if (register_class_[reg] == 2) fail(*item.instruction, fmt::format("'{}' is a predicate register", operand.name));
  const bool is_wide = register_class_[reg] == 1;
  if (is_wide == wide) return slot_of(reg);
  MicroOp convert = pseudo(wide ? "%widen.u32" : "%narrow", item.site);
  convert.r[0] = scratch(wide ? 1 : 0, out);
  convert.r[1] = slot_of(reg);
  out.before.push_back(convert);
  return convert.r[0];
}

std::uint16_t FunctionDecoder::destination(const Item& item, const ptx::Operand& operand, Kind kind, Emission& out) {
  const int wanted = register_class(kind);
  if (operand.kind == ptx::Operand::Kind::underscore || operand.name == "_") return scratch(wanted, out);
  if (operand.kind != ptx::Operand::Kind::reg) fail(*item.instruction, "the destination is not a register");
  const std::uint32_t reg = register_id(*item.instruction, operand.name);
  const int have = register_class_[reg];
  const std::uint16_t slot = slot_of(reg);
  if ((have == 2) != (wanted == 2))
    fail(*item.instruction, fmt::format("destination '{}' has the wrong type", operand.name));
  const bool is_signed = kind == Kind::s8 || kind == Kind::s16 || kind == Kind::s32;
  if (have == wanted) {
    if (is_signed && kind != Kind::s32 && have == 0 && function_.registers[reg].type.size > bytes_of(kind)) {
      MicroOp extend = pseudo(kind == Kind::s8 ? "%sign.s8" : "%sign.s16", item.site);
      extend.r[0] = extend.r[1] = slot;
      out.after.push_back(extend);
    }
    return slot;
  }
  const std::string_view how = wanted == 1         ? "%narrow"
                               : !is_signed        ? "%widen.u32"
                               : kind == Kind::s8  ? "%widen.s8"
                               : kind == Kind::s16 ? "%widen.s16"
                                                   : "%widen.s32";
  MicroOp convert = pseudo(how, item.site);
  convert.r[0] = slot;
  convert.r[1] = scratch(wanted, out);
  out.after.push_back(convert);
  return convert.r[1];
}

bool FunctionDecoder::is_kernel_parameter_load(const Item& item) const {
  if (item.entry.row->unit != Unit::param || !entry_ || item.instruction->operands.size() != 2) return false;
  const ptx::Operand& at = item.instruction->operands[1];
  if (at.kind != ptx::Operand::Kind::address || at.is_reg) return false;
  const Symbol* symbol = find_symbol(at.name);
  return symbol && symbol->where == Symbol::Where::kernel_parameter;
}

/// Where in the parameter block a load of a kernel parameter begins.
std::uint32_t FunctionDecoder::parameter_place(const Item& item) const {
  const ptx::Operand& at = item.instruction->operands[1];
  const OperandType& type = item.entry.row->meaning.operands[0];
  const std::uint64_t offset = find_symbol(at.name)->value + static_cast<std::uint64_t>(at.integer);
  if (!within(offset, std::uint64_t{bytes_of(type.kind)} * type.vector, decoder_.program.parameter_bytes))
    fail(*item.instruction,
         fmt::format("it reads beyond the kernel's {} bytes of parameters", decoder_.program.parameter_bytes));
  return static_cast<std::uint32_t>(offset);
}

void FunctionDecoder::emit_parameter_load(const Item& item, Emission& out) {
  const OperandType& type = item.entry.row->meaning.operands[0];
  const ptx::Operand& to = item.instruction->operands[0];
  const std::uint32_t base = parameter_place(item);
  for (int e = 0; e < type.vector; ++e) {
    const ptx::Operand& element = type.vector > 1 ? to.elements[e] : to;
    if (element.kind == ptx::Operand::Kind::underscore) continue;
    if (element.kind != ptx::Operand::Kind::reg) fail(*item.instruction, "the destination is not a register");
    const std::uint32_t reg = register_id(*item.instruction, element.name);
    if (register_class_[reg] == 2)
      fail(*item.instruction, fmt::format("destination '{}' has the wrong type", element.name));
    const bool wide = register_class_[reg] == 1;
    MicroOp copy = pseudo(wide ? "%copy.b64" : "%copy.b32", item.site);
    copy.r[0] = slot_of(reg);
    copy.r[1] = decoder_.pool.parameter(wide, type.kind, base + static_cast<std::uint32_t>(e) * bytes_of(type.kind));
    out.main.push_back(copy);
  }
}

MicroOp FunctionDecoder::conditional(std::uint32_t site, std::string_view guard, bool negated,
                                     std::uint32_t target_item, std::uint32_t cfg_block) const {
  MicroOp op = pseudo("%branch_if", site);
  op.r[0] = slot_of(registers_.at(guard));
  op.extra = negated;
  set_branch_blocks(op, block_of_item(target_item), block_of_item(graph_.blocks[cfg_block].end),
                    decoder_.program.blocks.back().post_dominator);
  return op;
}

void FunctionDecoder::emit_branch(const Item& item, std::uint32_t cfg_block) {
  const ptx::Instruction& instruction = *item.instruction;
  const auto item_index = static_cast<std::size_t>(&item - items_.data());
  if (item.entry.facts & kTableBranch) {
    Emission out;
    emit_operands(item, out);
    auto& table = decoder_.program.branch_tables.emplace_back();
    for (const auto target : targets_[item_index]) table.push_back(block_of_item(target));
    out.main.back().imm = static_cast<std::int32_t>(decoder_.program.branch_tables.size() - 1);
    for (const MicroOp& op : out.before) push(op);
    push(out.main.back());
    return;
  }
  const std::uint32_t target = targets_[item_index].front();
  if (!instruction.guard.empty()) {
    push(conditional(item.site, instruction.guard, instruction.guard_negated, target, cfg_block));
    return;
  }
  MicroOp op = pseudo("%fall", item.site);
  op.imm = static_cast<std::int32_t>(block_of_item(target));
  push(op);
}

void FunctionDecoder::emit_skip(const Item& item, std::uint32_t item_index, std::uint32_t cfg_block) {
  push(conditional(item.site, item.instruction->guard, !item.instruction->guard_negated, item_index + 2, cfg_block));
}

void FunctionDecoder::emit_call(const Item& item, Emission& out) {
  Program& program = decoder_.program;
  const ptx::CallSite& site = function_.calls[static_cast<std::size_t>(item.instruction->call)];
  CallInfo call;
  call.site = &site;
  call.caller = index_;
  const auto place = [&](std::string_view name) {
    const Symbol* symbol = find_symbol(name);
    if (!symbol || symbol->where != Symbol::Where::frame)
      fail(*item.instruction, fmt::format("call argument '{}' is not a .param variable", name));
    return std::pair{static_cast<std::uint32_t>(symbol->value), static_cast<std::uint32_t>(symbol->bytes)};
  };
  for (const auto& argument : site.arguments) call.arguments.push_back(place(argument.name));
  for (const auto& result : site.results) call.results.push_back(place(result));
  MicroOp op = pseudo("%call_indirect", item.site);
  if (site.target.kind == ptx::Operand::Kind::reg) {
    op.r[0] = source(item, site.target, Kind::u64, out);
  } else {
    op.run = item.entry.row->meaning.run;
    const auto found = decoder_.function_index.find(site.target.name);
    if (found != decoder_.function_index.end())
      call.callee = static_cast<std::int32_t>(found->second);
    else if ((call.builtin = find_builtin(site.target.name)) && call.builtin->communicates)
      program.communicates = true;
  }
  op.imm = static_cast<std::int32_t>(program.calls.size());
  program.calls.push_back(call);
  out.main.push_back(op);
}

/// Closes the open basic block by falling into `next_block`.
void FunctionDecoder::end_block(std::uint32_t next_block, std::uint32_t site) {
  MicroOp op = pseudo("%fall", site);
  op.imm = static_cast<std::int32_t>(next_block);
  push(op);
}

/// Tells the observers that this instruction is next, before its guard switches lanes off.
void FunctionDecoder::emit_look(const Item& item, Handler handler) {
  MicroOp look;
  look.run = handler;
  look.site = item.site;
  look.r[0] = item.instruction->guard.empty() ? kNoOperand : slot_of(registers_.at(item.instruction->guard));
  look.extra = item.instruction->guard_negated;
  push(look);
}

void FunctionDecoder::emit_item(const Item& item, std::uint32_t cfg_block) {
  Program& program = decoder_.program;
  const auto item_index = static_cast<std::uint32_t>(&item - items_.data());
  if (item.kind == Item::Kind::skip) return emit_skip(item, item_index, cfg_block);
  if (item.kind == Item::Kind::end) {
    push(pseudo(entry_ ? "exit" : "ret", item.site));
    return;
  }
  program.sites[item.site].block = static_cast<std::uint32_t>(program.blocks.size() - 1);
  ++program.blocks.back().instructions;
  if (decoder_.context.watches & kWatchInstructions) emit_look(item, observe_instruction);
  if (touches_values(item_index)) emit_look(item, observe_values);
  const ptx::Instruction& instruction = *item.instruction;
  const std::uint16_t traits = item.entry.row->meaning.traits;
  if (!targets_[item_index].empty()) return emit_branch(item, cfg_block);
  if (needs_no_code(item)) return;
  if ((traits & kEndsBlock) && instruction.call < 0) {
    push(pseudo(entry_ && (item.entry.facts & kReturn) ? "exit" : instruction.opcode, item.site));
    return;
  }
  Emission out;
  if (instruction.call >= 0)
    emit_call(item, out);
  else if (is_kernel_parameter_load(item))
    emit_parameter_load(item, out);
  else
    emit_operands(item, out);
  const bool guarded = !instruction.guard.empty() && !(traits & (kCollective | kBarrier | kSideEffect));
  for (const MicroOp& op : out.before) push(op);
  if (guarded) {
    MicroOp guard = pseudo("%guard", item.site);
    guard.r[0] = slot_of(registers_.at(instruction.guard));
    guard.extra = instruction.guard_negated;
    guard.imm = static_cast<std::int32_t>(out.main.size() + out.after.size());
    push(guard);
  }
  for (const MicroOp& op : out.main) push(op);
  for (const MicroOp& op : out.after) push(op);
  if (guarded) push(pseudo("%end_guard", item.site));
}

void FunctionDecoder::emit() {
  Program& program = decoder_.program;
  if (decoder_.context.watches & kWatchWays) find_detours();
  if (decoder_.context.watches & (kWatchValues | kWatchRegisters)) find_values_from_afar();
  // Calls split graph blocks: the caller goes on in a block of its own, entered on return.
  first_block_.clear();
  auto next = static_cast<std::uint32_t>(program.blocks.size());
  const auto is_call = [&](std::uint32_t i) {
    return items_[i].kind == Item::Kind::instruction && items_[i].instruction->call >= 0;
  };
  const auto is_border = [&](std::uint32_t i) {
    if (items_[i].kind != Item::Kind::instruction) return false;
    const Entry& entry = items_[i].entry;
    return (decoder_.context.split_at_barriers && (entry.row->meaning.traits & kBarrier)) ||
           (decoder_.context.split_at_accesses && is_plain_access(*entry.row, entry.mods));
  };
  for (const auto& block : graph_.blocks) {
    first_block_.push_back(next++);
    for (std::uint32_t i = block.first; i < block.end; ++i) next += is_call(i) || is_border(i);
  }
  program.functions[index_].entry_block = first_block_.front();
  const auto only_leaves = [&](std::uint32_t b) {
    const Item& first = items_[graph_.blocks[b].first];
    return first.kind == Item::Kind::end ||
           (first.kind == Item::Kind::instruction && first.instruction->guard.empty() &&
            (first.entry.facts & (kReturn | kExit)));
  };
  for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
    const ptx::Block& block = graph_.blocks[b];
    // Where the next common instruction only ends the function, lanes do not wait for each other.
    const std::uint32_t meet = block.post_dominator == ptx::ControlFlowGraph::exit || only_leaves(block.post_dominator)
                                   ? kNoBlock
                                   : first_block_[block.post_dominator];
    const auto open = [&](std::uint32_t item) {
      program.blocks.push_back({nullptr, 0, meet, program.ops.size()});
      if (decoder_.context.watches & kWatchTraced) push_entry(item);
    };
    open(block.first);
    push_ways_of(b);
    for (std::uint32_t i = block.first; i < block.end; ++i) {
      if (i + 1 == block.end && !ways_.empty() && ways_[b].branch >= 0)
        push_way(WayPoint::branch, static_cast<std::uint32_t>(ways_[b].branch), i);
      emit_item(items_[i], b);
      if (is_call(i)) {
        program.calls.back().return_block = static_cast<std::uint32_t>(program.blocks.size());
        open(i);
      } else if (is_border(i)) {
        end_block(static_cast<std::uint32_t>(program.blocks.size()), items_[i].site);
        open(i);
      }
    }
    const Item& last = items_[block.end - 1];
    const bool closed = last.kind != Item::Kind::instruction || !targets_[block.end - 1].empty() ||
                        ((last.entry.row->meaning.traits & kEndsBlock) && !is_call(block.end - 1));
    if (!closed) end_block(block.end < items_.size() ? block_of_item(block.end) : kNoBlock, last.site);
  }
}

}  // namespace gpulab::simt
