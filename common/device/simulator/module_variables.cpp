#include "common/device/simulator/module_variables.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "common/error.h"
#include "common/simt/decode/program.h"

namespace gpulab {

void ModuleVariables::place(const ptx::Module& module, simt::GlobalMemory& memory) {
  if (std::exchange(placed_, true)) return;
  for (const auto& variable : module.variables) {
    if (variable.space != ptx::Space::global && variable.space != ptx::Space::constant) continue;
    const std::uint64_t address = memory.allocate(variable.name, variable.size);
    addresses_.emplace(variable.name, address);
    if (!variable.initial.empty())
      std::memcpy(memory.host(address, variable.initial.size()), variable.initial.data(), variable.initial.size());
  }
  for (const auto& variable : module.variables)
    for (const auto& relocation : variable.relocations) {
      const std::uint64_t target = target_of(relocation, module) >> relocation.shift;
      const std::uint64_t place = addresses_.at(std::string(variable.name)) + relocation.offset;
      std::memcpy(memory.host(place, relocation.size), &target, relocation.size);
    }
}

std::optional<std::uint64_t> ModuleVariables::address_of(std::string_view name) const {
  const auto found = addresses_.find(std::string(name));
  return found == addresses_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t ModuleVariables::target_of(const ptx::Variable::Relocation& relocation, const ptx::Module& module) const {
  const auto addend = static_cast<std::uint64_t>(relocation.addend);
  if (const auto address = address_of(relocation.symbol)) return *address + addend;
  for (std::size_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].name == relocation.symbol) return simt::code_address(i) + addend;
  throw usage_error(
      fmt::format("initial value names '{}', whose address is not known before a launch", relocation.symbol), {},
      module.name);
}

}  // namespace gpulab
