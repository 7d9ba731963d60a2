#pragma once
// What holds of every module that the parser returns, whatever the text was. For unit tests and the fuzzer.

#include <string>
#include <string_view>
#include <unordered_set>

#include "common/ptx/lines.h"
#include "common/ptx/module.h"

namespace gpulab::ptx {

inline bool is_register(const Function& function, std::int32_t index, std::string_view name) {
  return index >= 0 && static_cast<std::size_t>(index) < function.registers.size() &&
         function.registers[static_cast<std::size_t>(index)].name == name;
}

using Labels = std::unordered_set<std::string_view>;

inline std::string broken_invariant(const Function& function, const Labels& labels, const Operand& operand) {
  using Kind = Operand::Kind;
  const bool names_register = operand.kind == Kind::reg || (operand.kind == Kind::address && operand.is_reg);
  if (names_register != (operand.reg >= 0)) return "operand.reg disagrees with its kind";
  if (names_register && !is_register(function, operand.reg, operand.name)) return "operand.reg is another register";
  if (operand.second_reg >= 0 && !is_register(function, operand.second_reg, operand.second)) return "second_reg";
  if (operand.kind == Kind::label && !labels.contains(operand.name)) return "a label that the function lacks";
  if (operand.kind == Kind::symbol && operand.name.empty()) return "a symbol without a name";
  for (const Operand& element : operand.elements) {
    if (auto broken = broken_invariant(function, labels, element); !broken.empty()) return broken;
  }
  return {};
}

inline std::string broken_invariant(const Module& module, const Function& function) {
  if (!function.has_body && !function.instructions.empty()) return "instructions without a body";
  Labels labels;
  for (const Label& label : function.labels) {
    if (label.instruction > function.instructions.size()) return "a label behind the end";
    if (!labels.insert(label.name).second) return "two labels of one name";
  }
  for (const Instruction& instruction : function.instructions) {
    if (instruction.opcode.empty() || instruction.ptx_line == 0) return "an instruction without opcode or line";
    if (instruction.guard.empty() != (instruction.guard_reg < 0)) return "guard and guard_reg disagree";
    if (instruction.guard_reg >= 0 && !is_register(function, instruction.guard_reg, instruction.guard)) return "guard";
    if (instruction.location >= static_cast<std::int32_t>(module.locations.size())) return "location out of range";
    if (instruction.call >= static_cast<std::int32_t>(function.calls.size())) return "call out of range";
    for (const Operand& operand : instruction.operands) {
      if (auto broken = broken_invariant(function, labels, operand); !broken.empty()) return broken;
    }
  }
  for (const CallSite& call : function.calls) {
    if (call.target.name.empty()) return "a call without a target";
  }
  return {};
}

/// Empty: all is well.
inline std::string broken_invariant(const Module& module) {
  const Lines lines(module, "");
  for (std::size_t i = 0; i < module.locations.size(); ++i) {
    if (module.locations[i].inlined_at >= static_cast<std::int32_t>(i)) return "a call site behind its callee";
  }
  for (const Variable& variable : module.variables) {
    if (variable.initial.size() > variable.size) return "more initial values than bytes";
    for (const auto& relocation : variable.relocations) {
      if (relocation.offset + relocation.size > variable.size) return "an address outside of its variable";
    }
  }
  for (const Function& function : module.functions) {
    if (auto broken = broken_invariant(module, function); !broken.empty()) return broken;
  }
  if (!module.locations.empty()) (void)lines.chain(static_cast<std::int32_t>(module.locations.size()) - 1);
  return {};
}

}  // namespace gpulab::ptx
