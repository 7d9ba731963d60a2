#pragma once
// Which registers a PTX instruction reads and writes, for who looks through a function's code.

#include <cstddef>

#include "common/ptx/module.h"

namespace gpulab::simt {

template <typename Visit>
void each_register(const ptx::Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  if (operand.second_reg >= 0) visit(operand.second_reg);
  for (const auto& element : operand.elements) each_register(element, visit);
}

/// The first operand is what an instruction writes, but for stores and what has no result.
inline bool writes(const ptx::Instruction& instruction) {
  const auto is = [&](const char* start) { return instruction.opcode.starts_with(start); };
  return !instruction.operands.empty() && !is("st.") && !is("red.") && !is("bra") && !is("bar");
}

/// Those of its guard, too.
template <typename Visit>
void each_register_read(const ptx::Instruction& instruction, const Visit& visit) {
  if (instruction.guard_reg >= 0) visit(instruction.guard_reg);
  for (std::size_t i = writes(instruction) ? 1 : 0; i < instruction.operands.size(); ++i)
    each_register(instruction.operands[i], visit);
}

template <typename Visit>
void each_register_written(const ptx::Instruction& instruction, const Visit& visit) {
  if (writes(instruction)) each_register(instruction.operands.front(), visit);
}

}  // namespace gpulab::simt
