// FunctionDecoder, first half: rows, frames, control flow, registers.

#include <fmt/format.h>

#include <algorithm>

#include "common/demangle.h"
#include "common/error.h"
#include "common/ptx/lines.h"
#include "common/simt/decode/contraction.h"
#include "common/simt/decode/decoder.h"

namespace gpulab::simt {

namespace {

/// How many PTX operands a meaning takes, at least and at most, and whether vectors have the right widths.
bool fits(const Meaning& meaning, const ptx::Instruction& instruction) {
  const auto& given = instruction.operands;
  std::size_t cursor = 0;
  for (std::size_t k = 0; k < meaning.operands.size(); ++k) {
    const OperandType& type = meaning.operands[k];
    if (type.role == Role::none) break;
    if (type.role == Role::optional_out && k > 0) {
      continue;  // the second half of `d|p`, part of the operand before
    }
    if (cursor == given.size()) {
      if (type.role != Role::optional_in) return false;
      continue;
    }
    const ptx::Operand& operand = given[cursor];
    const std::size_t width = operand.kind == ptx::Operand::Kind::vector ? operand.elements.size() : 1;
    if (width != type.vector) return false;
    if ((type.role == Role::address) != (operand.kind == ptx::Operand::Kind::address)) return false;
    ++cursor;
  }
  return cursor == given.size();
}

/// 90 of "sm_90a"; 0 where it names none.
int sm_number(std::string_view target) {
  int number = 0;
  for (const char c : target.substr(std::min(target.find('_') + 1, target.size())))
    if (c >= '0' && c <= '9' && number < 1000) number = number * 10 + (c - '0');
  return number;
}

/// The CUDA line, or the PTX line, which of a .ptx file is the line of the file.
std::string place_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  const ptx::Lines lines(module, module.name);
  const ptx::SourceLine line = lines.user_line(instruction.location);
  if (line.line) return fmt::format("{}:{}", lines.shown_file(line), line.line);
  if (module.name.ends_with(".cu")) return fmt::format("{} (PTX line {})", module.name, instruction.ptx_line);
  return fmt::format("{}:{}", module.name, instruction.ptx_line);
}

bool needs_own_branch(std::uint16_t traits) {
  return !(traits & kConditional) && (traits & (kEndsBlock | kCollective | kBarrier | kSideEffect));
}

}  // namespace

FunctionDecoder::FunctionDecoder(Decoder& decoder, std::uint32_t index)
    : decoder_(decoder),
      index_(index),
      function_(*decoder.program.functions[index].function),
      entry_(index == 0),
      frame_layout_(kMostLocalBytes) {
  for (const auto& reg : function_.registers) {
    registers_.emplace(reg.name, static_cast<std::uint32_t>(register_class_.size()));
    register_class_.push_back(reg.type.name == "pred" ? 2 : reg.type.size == 8 ? 1 : 0);
  }
  for (const auto& label : function_.labels) labels_.emplace(label.name, label.instruction);
}

void FunctionDecoder::fail(const ptx::Instruction& instruction, const std::string& what) const {
  throw usage_error(what, "the instruction is: " + std::string(instruction.opcode),
                    place_of(decoder_.module, instruction));
}

void FunctionDecoder::not_implemented(const ptx::Instruction& instruction) const {
  const auto near = instruction_set().similar(instruction.opcode);
  throw usage_error(fmt::format("PTX instruction '{}' is not implemented by the simulator", instruction.opcode),
                    near.empty() ? std::string{} : fmt::format("it knows: {}", fmt::join(near, ", ")),
                    place_of(decoder_.module, instruction));
}

const Entry* FunctionDecoder::choose_row(const ptx::Instruction& instruction) const {
  const auto candidates = instruction_set().find(instruction.opcode);
  if (candidates.empty()) not_implemented(instruction);
  if (instruction.call >= 0) return &candidates.front();
  const Entry* chosen = nullptr;
  for (const Entry& entry : candidates) {
    if (!fits(entry.row->meaning, instruction)) continue;
    if (predicates_fit(entry.row->meaning, instruction)) return &entry;
    if (!chosen) chosen = &entry;
  }
  if (chosen) return chosen;
  fail(instruction, fmt::format("'{}' with these operands is not a form that the simulator knows: {}",
                                instruction.opcode, candidates.front().row->form));
}

/// Forms may differ in whether an operand is a predicate alone: cp.async's source size, or whether to ignore it.
bool FunctionDecoder::predicates_fit(const Meaning& meaning, const ptx::Instruction& instruction) const {
  std::size_t cursor = 0;
  for (const OperandType& type : meaning.operands) {
    if (cursor == instruction.operands.size() || type.role == Role::none) break;
    if (type.role == Role::optional_out && cursor > 0) continue;
    const ptx::Operand& operand = instruction.operands[cursor++];
    if (operand.kind != ptx::Operand::Kind::reg || (type.role != Role::in && type.role != Role::optional_in)) continue;
    if ((register_class_[register_id(instruction, operand.name)] == 2) != (type.kind == Kind::pred)) return false;
  }
  return true;
}

void FunctionDecoder::add_item(const ptx::Instruction& instruction) {
  const Entry entry = *choose_row(instruction);
  const auto site = static_cast<std::uint32_t>(decoder_.program.sites.size());
  decoder_.program.sites.push_back({&function_, &instruction, entry.row, entry.facts});
  if (entry.row->unit == Unit::texture) decoder_.program.uses_textures = true;
  if (!instruction.guard.empty() && needs_own_branch(entry.row->meaning.traits))
    items_.push_back({Item::Kind::skip, &instruction, entry, site});
  items_.push_back({Item::Kind::instruction, &instruction, entry, site});
}

void FunctionDecoder::make_items() {
  for (const auto& instruction : function_.instructions) {
    item_of_instruction_.push_back(static_cast<std::uint32_t>(items_.size()));
    add_item(instruction);
  }
  if (items_.empty()) {  // an empty body returns: so every function has an instruction to say where it is
    ptx::Instruction& implied = decoder_.program.implied_returns.emplace_back();
    implied.opcode = "ret";
    implied.ptx_line = function_.ptx_line;
    add_item(implied);
  }
  item_of_instruction_.push_back(static_cast<std::uint32_t>(items_.size()));
  items_.push_back({Item::Kind::end, nullptr, {}, items_.back().site});
  if (!decoder_.module.debug) contract();
}

/// A sum that ptxas makes one instruction with its product reads the factors. The product stays: it is an instruction
/// of the PTX, which is what counts, and nothing else reads it then.
void FunctionDecoder::contract() {
  const auto& instructions = function_.instructions;
  std::vector<bool> writes_first;
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Row* row = items_[item_of_instruction_[i + 1] - 1].entry.row;
    const Role first = row->meaning.operands[0].role;
    writes_first.push_back(instructions[i].call < 0 && (first == Role::out || first == Role::optional_out));
  }
  for (const Contraction& c : contractions(function_, writes_first)) {
    const ptx::Instruction& sum = instructions[c.sum];
    const ptx::Instruction& product = instructions[c.product];
    const std::string_view type = std::string_view(sum.opcode).substr(3);
    const std::string_view how = c.minus_product  ? c.minus_addend ? "%fnms" : "%fnma"
                                 : c.minus_addend ? "%fms"
                                                  : "%fma";
    ptx::Instruction& both = contracted_.emplace_back(sum);
    both.operands = {sum.operands[0], product.operands[1], product.operands[2], sum.operands[c.addend]};
    Item& item = items_[item_of_instruction_[c.sum]];
    item.instruction = &both;
    const std::string_view quotient = product.opcode.starts_with("div.approx") ? ".approx"
                                      : product.opcode.starts_with("div.full") ? ".full"
                                                                               : "";
    item.entry = instruction_set().find(fmt::format("{}{}{}", how, quotient, type)).front();
  }
}

std::uint32_t FunctionDecoder::add_frame_variable(const ptx::Variable& variable) {
  const auto at = frame_layout_.place(variable.size, variable.align);
  if (!at)
    throw usage_error(fmt::format("the local variables of '{}' need more than the {} bytes that a thread has: '{}' of "
                                  "{} bytes does not fit",
                                  kernel_name(function_.name), kMostLocalBytes, variable.name, variable.size),
                      "put large arrays into global memory",
                      fmt::format("{}:{}", decoder_.module.name, function_.ptx_line));
  frame_[variable.name] = {Symbol::Where::frame, *at, variable.size};
  return static_cast<std::uint32_t>(*at);
}

/// Since PTX 8.1 a kernel for sm_70 and later has 32,764 bytes of parameters, else 4,352 (PTX ISA: Kernel Function
/// Parameters; ptxas says the same).
void FunctionDecoder::layout_kernel_parameters() {
  const ptx::Module& module = decoder_.module;
  const bool large =
      std::pair(module.version_major, module.version_minor) >= std::pair(8, 1) && sm_number(module.target) >= 70;
  const std::uint64_t most = large ? 32764 : 4352;
  Layout layout(most);
  for (const auto& parameter : function_.parameters) {
    const auto at = layout.place(parameter.size, parameter.align);
    if (!at)
      throw usage_error(fmt::format("a kernel has at most {} bytes of parameters: '{}' of {} bytes does not fit", most,
                                    parameter.name, parameter.size),
                        "pass a pointer to large structs", fmt::format("{}:{}", module.name, function_.ptx_line));
    frame_[parameter.name] = {Symbol::Where::kernel_parameter, *at, parameter.size};
    decoder_.program.parameter_offsets.push_back(static_cast<std::uint32_t>(*at));
  }
  decoder_.program.parameter_bytes = static_cast<std::uint32_t>(layout.end());
}

void FunctionDecoder::layout_frame() {
  FunctionInfo& info = decoder_.program.functions[index_];
  const auto own = [&](const std::vector<ptx::Variable>& variables, auto& places) {
    for (const auto& variable : variables) {
      const std::uint32_t at = add_frame_variable(variable);
      places.emplace_back(at, static_cast<std::uint32_t>(variable.size));
    }
  };
  // Parameters and results come first in the frame. So all functions of one prototype have them at the same offsets,
  // and a call through a pointer need not know which function it calls.
  if (!entry_) {
    own(function_.parameters, info.parameters);
    own(function_.results, info.results);
  } else {
    layout_kernel_parameters();
  }
  for (const auto& variable : function_.variables)
    if (variable.space == ptx::Space::local)
      info.locals.emplace_back(variable.name, add_frame_variable(variable));
    else if (variable.space == ptx::Space::param)
      add_frame_variable(variable);
  info.variable_bytes = static_cast<std::uint32_t>(frame_layout_.end());
  info.frame_bytes = static_cast<std::uint32_t>((frame_layout_.end() + 15) / 16 * 16);
}

std::uint32_t FunctionDecoder::label_target(const ptx::Instruction& instruction, std::string_view label) const {
  const auto found = labels_.find(label);
  if (found == labels_.end()) fail(instruction, fmt::format("branch to unknown label '{}'", label));
  return item_of_instruction_[found->second];
}

std::vector<std::uint32_t> FunctionDecoder::table_targets(const ptx::Instruction& instruction) const {
  const std::string_view name = instruction.operands.back().name;
  for (const auto& table : function_.branch_targets)
    if (table.name == name) {
      std::vector<std::uint32_t> items;
      for (const auto label : table.labels) items.push_back(label_target(instruction, label));
      return items;
    }
  fail(instruction, fmt::format("unknown branch table '{}'", name));
}

std::uint32_t FunctionDecoder::register_id(const ptx::Instruction& instruction, std::string_view name) const {
  const auto found = registers_.find(name);
  if (found == registers_.end()) fail(instruction, fmt::format("unknown register '{}'", name));
  return found->second;
}

void FunctionDecoder::add_access(const ptx::Operand& operand, bool write, std::vector<std::uint32_t>& list) const {
  using Kind = ptx::Operand::Kind;
  const auto add = [&](std::string_view name) {
    if (const auto found = registers_.find(name); found != registers_.end()) list.push_back(found->second);
  };
  if (operand.kind == Kind::reg || (operand.kind == Kind::address && operand.is_reg && !write)) add(operand.name);
  if (!operand.second.empty()) add(operand.second);  // `_|p` too
  for (const auto& element : operand.elements) add_access(element, write, list);
}

void FunctionDecoder::collect_accesses() {
  read_anywhere_.assign(register_class_.size(), false);
  for (const Item& item : items_) {
    auto& reads = reads_.emplace_back();
    auto& writes = writes_.emplace_back();
    if (item.kind == Item::Kind::end) continue;
    const ptx::Instruction& instruction = *item.instruction;
    if (!instruction.guard.empty()) reads.push_back(register_id(instruction, instruction.guard));
    if (item.kind == Item::Kind::skip) {
      for (const auto r : reads) read_anywhere_[r] = true;
      continue;
    }
    if (instruction.call >= 0) {
      const ptx::CallSite& call = function_.calls[static_cast<std::size_t>(instruction.call)];
      add_access(call.target, false, reads);
    } else {
      const auto& types = item.entry.row->meaning.operands;
      const bool writes_first = types[0].role == Role::out || types[0].role == Role::optional_out;
      for (std::size_t k = 0; k < instruction.operands.size(); ++k) {
        const bool write = k == 0 && writes_first;
        add_access(instruction.operands[k], write, write ? writes : reads);
      }
    }
    for (const auto r : reads) read_anywhere_[r] = true;
  }
}

void FunctionDecoder::allocate() {
  std::vector<ptx::Flow> flows(items_.size());
  targets_.resize(items_.size());
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item& item = items_[i];
    ptx::Flow& flow = flows[i];
    if (item.kind == Item::Kind::end) {
      flow = {false, true, {}};
      continue;
    }
    const std::uint16_t traits = item.entry.row->meaning.traits;
    if (item.kind == Item::Kind::skip) {
      targets_[i] = {static_cast<std::uint32_t>(i + 2)};
    } else if (traits & kConditional) {
      targets_[i] = {label_target(*item.instruction, item.instruction->operands.at(0).name)};
      flow.falls_through = !item.instruction->guard.empty();
    } else if (item.entry.facts & kTableBranch) {
      targets_[i] = table_targets(*item.instruction);
      flow.falls_through = false;
    } else if ((traits & kEndsBlock) && item.instruction->call < 0) {
      flow = {false, true, {}};
    }
    flow.targets = targets_[i];
  }
  graph_ = ptx::control_flow_graph(flows);
  collect_accesses();
  find_lasting();
  std::vector<ptx::RegisterAccess> accesses;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const bool guarded = items_[i].kind == Item::Kind::instruction && !items_[i].instruction->guard.empty();
    const std::uint16_t traits = items_[i].entry.row ? items_[i].entry.row->meaning.traits : 0;
    accesses.push_back({reads_[i], writes_[i], guarded, (traits & kEarlyClobber) || writes_[i].size() > 1});
  }
  std::vector<ptx::VirtualRegister> registers;
  for (const int c : register_class_) registers.push_back({static_cast<std::uint8_t>(c), false});
  allocation_ = ptx::allocate_registers(registers, graph_, accesses);
  allocation_.slot_count.resize(3);
  FunctionInfo& info = decoder_.program.functions[index_];
  Program& program = decoder_.program;
  info.first_slot = program.slots;
  program.slots += 2 * allocation_.slot_count[0];
  program.slots = (program.slots + 3) / 4 * 4;
  info.wide_slot = program.slots;
  program.slots += 4 * allocation_.slot_count[1];
  info.slot_end = program.slots;
  info.first_pred = program.preds;
  program.preds += allocation_.slot_count[2];
  info.pred_end = program.preds;
  check_registers();
  for (const std::uint32_t reg : allocation_.entering) {
    if (lasting_[reg] >= 0) continue;
    const std::uint32_t bytes = register_class_[reg] == 2 ? 0 : function_.registers[reg].type.size;
    program.unset.push_back({slot_of(reg), static_cast<std::uint8_t>(bytes)});
  }
}

/// Micro-ops name slots and predicates by 16 bits, of which kNoOperand is none.
void FunctionDecoder::check_registers() const {
  const Program& program = decoder_.program;
  if (program.slots >= kNoOperand || program.preds >= kNoOperand)
    throw usage_error(fmt::format("kernel {} needs more registers than the simulator has", program.name));
}

}  // namespace gpulab::simt
