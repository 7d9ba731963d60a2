#pragma once
// A module's variables (__device__, __constant__) in global memory: where each lies, with which bytes it starts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/device/device.h"
#include "common/ptx/module.h"
#include "common/simt/machine/memory/memory.h"

namespace gpulab {

class ModuleVariables {
 public:
  using Places = std::unordered_map<std::string, ModuleVariable>;
  /// Gives each variable memory and its initial bytes, in which the addresses of variables and functions are filled in.
  /// Once: all kernels of a module share its variables. Throws Error where an initial value names anything else.
  /// They are the memory of `gpu`, but for managed ones, which all GPUs share: `managed` knows those that are there.
  void place(const ptx::Module& module, simt::GlobalMemory& memory, int gpu, Places& managed);
  [[nodiscard]] std::optional<std::uint64_t> address_of(std::string_view name) const;
  [[nodiscard]] std::optional<ModuleVariable> find(std::string_view name) const;
  /// The one that begins there.
  [[nodiscard]] std::optional<ModuleVariable> at(std::uint64_t address) const;

 private:
  [[nodiscard]] std::uint64_t target_of(const ptx::Variable::Relocation& relocation, const ptx::Module& module) const;

  bool placed_ = false;
  Places places_;
};

}  // namespace gpulab
