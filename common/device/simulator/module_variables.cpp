#include "common/device/simulator/module_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "common/demangle.h"
#include "common/error.h"
#include "common/host_memory.h"
#include "common/launch_error.h"
#include "common/simt/decode/program.h"

namespace gpulab {

namespace {

/// Throws LaunchError where the host has not that much: kernels write where they please, and pages come as they do.
std::uint64_t allocate(const ptx::Variable& variable, simt::GlobalMemory& memory, std::uint64_t& left) {
  const auto refuse = [&](std::uint64_t most) {
    throw LaunchError(
        LaunchFailure::out_of_memory,
        fmt::format("'{}' needs {} bytes, this machine has {} left", demangle(variable.name), variable.size, most), {},
        "make the variable smaller");
  };
  if (variable.size > left) refuse(left);
  left -= variable.size;
  try {
    return variable.is_managed ? memory.allocate_shared(variable.name, variable.size)
                               : memory.allocate(variable.name, variable.size);
  } catch (const std::bad_alloc&) {
    refuse(std::min(left, available_host_memory().value_or(0)));
    throw;
  }
}

}  // namespace

void ModuleVariables::place(const ptx::Module& module, simt::GlobalMemory& memory, int gpu, Places& managed) {
  if (std::exchange(placed_, true)) return;
  const auto is_placed = [](const ptx::Variable& variable) {
    return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
  };
  Places fresh;  // managed ones that no other GPU has placed
  double bytes = 0;
  for (const auto& variable : module.variables) bytes += is_placed(variable) ? static_cast<double>(variable.size) : 0;
  std::uint64_t left = memory_short_of(bytes).value_or(UINT64_MAX);
  for (const auto& variable : module.variables) {
    if (!is_placed(variable)) continue;
    if (const auto shared = managed.find(std::string(variable.name)); shared != managed.end()) {
      places_.insert(*shared);
      continue;
    }
    const std::uint64_t address = allocate(variable, memory, left);
    const auto place = places_.emplace(variable.name, ModuleVariable{address, variable.size}).first;
    if (variable.is_managed)
      fresh.insert(*place);
    else
      memory.give_to(address, gpu);
    if (!variable.initial.empty())
      std::memcpy(memory.host(address, variable.initial.size()), variable.initial.data(), variable.initial.size());
  }
  for (const auto& variable : module.variables) {
    if (managed.contains(std::string(variable.name))) continue;
    for (const auto& relocation : variable.relocations) {
      const std::uint64_t target = target_of(relocation, module) >> relocation.shift;
      const std::uint64_t place = places_.at(std::string(variable.name)).address + relocation.offset;
      std::memcpy(memory.host(place, relocation.size), &target, relocation.size);
    }
  }
  managed.merge(fresh);
}

std::optional<std::uint64_t> ModuleVariables::address_of(std::string_view name) const {
  const auto found = find(name);
  return found ? std::optional(found->address) : std::nullopt;
}

std::optional<ModuleVariable> ModuleVariables::find(std::string_view name) const {
  const auto found = places_.find(std::string(name));
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ModuleVariable> ModuleVariables::at(std::uint64_t address) const {
  for (const auto& [name, place] : places_)
    if (place.address == address) return place;
  return std::nullopt;
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
