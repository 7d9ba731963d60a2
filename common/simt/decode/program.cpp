#include "common/simt/decode/program.h"

#include <fmt/format.h>

#include "common/ptx/lines.h"

namespace gpulab::simt {

std::string place_of(const Program& program, std::uint32_t site) {
  if (site >= program.sites.size()) return program.module->name;
  const ptx::Instruction& instruction = *program.sites[site].instruction;
  const ptx::Lines lines(*program.module, program.module->name);
  const ptx::SourceLine line = lines.user_line(instruction.location);
  if (line.line) return fmt::format("{}:{}", lines.shown_file(line), line.line);
  return fmt::format("{} (PTX line {})", program.module->name, instruction.ptx_line);
}

const std::uint16_t* operands(const Warp& warp, const MicroOp* op) {
  return warp.program->operand_table.data() + (op->r[0] | static_cast<std::uint32_t>(op->r[1]) << 16);
}

std::string_view opcode_of(const Warp& warp, const MicroOp* op) {
  return warp.program->sites[op->site].instruction->opcode;
}

}  // namespace gpulab::simt
