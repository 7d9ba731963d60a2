#include "common/simt/program.h"

#include <fmt/format.h>

#include "common/ptx/lines.h"

namespace gpulab::simt {

std::string place_of(const Program& program, std::uint32_t site) {
  if (site >= program.sites.size()) return program.module->name;
  const ptx::Instruction& instruction = *program.sites[site].instruction;
  const ptx::Lines lines(*program.module, program.module->name);
  const ptx::SourceLine line = lines.user_line(instruction.location);
  if (line.line) return fmt::format("{}:{}", program.module->name, line.line);
  return fmt::format("{} (PTX line {})", program.module->name, instruction.ptx_line);
}

}  // namespace gpulab::simt
