#pragma once
// The modules that the host has loaded, and the kernels of theirs that somebody has asked for: parsed and decoded when
// the first asks.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/device/device.h"
#include "common/device/simulator/module_variables.h"
#include "common/gpu_profile.h"
#include "common/simt/decode/decode.h"

namespace gpulab {

/// A kernel ready to run.
struct LoadedKernel {
  std::shared_ptr<simt::Program> program;
  Kernel kernel;                               ///< as the host sees it; its handle is the library's
  ModuleImage image;                           ///< the module that it is from
  int gpu = 0;                                 ///< whose variables it uses
  std::size_t module = 0;                      ///< that GPU's, by number
  std::vector<std::uint32_t> frames{};         ///< of the program's functions, as StackLimit's
  std::shared_ptr<simt::Program> uncounted{};  ///< the same without counts, once somebody has asked for it
  /// Arguments laid out as the PTX parameter list has them.
  [[nodiscard]] std::vector<std::byte> parameter_block(std::span<const KernelArgument> arguments) const;
};

class KernelLibrary {
 public:
  /// `decoding`: how programs are decoded; where variables and parameters lie, the library adds.
  KernelLibrary(const GpuProfile& profile, simt::GlobalMemory& memory, simt::DecodeContext decoding)
      : profile_(profile), memory_(memory), decoding_(std::move(decoding)) {}

  /// Each GPU has what is loaded, with variables of its own: what is found from now on is this one's.
  void use_gpu(int gpu);
  void load(const ModuleImage& image);
  /// By C++ or mangled name. Throws Error (usage) that lists near misses when there is none.
  const LoadedKernel& find(std::string_view name);
  /// By mangled name, of the module of that name.
  const LoadedKernel& find(std::string_view module, std::string_view entry);
  std::optional<ModuleVariable> variable(std::string_view module, std::string_view name);
  [[nodiscard]] const LoadedKernel& at(std::size_t handle) const { return kernels_.at(handle); }
  /// The kernel decoded anew, so that nothing of its launches is counted and nobody watches them.
  std::shared_ptr<simt::Program> uncounted(std::size_t handle);
  /// Of a module of which a kernel has been found.
  [[nodiscard]] std::optional<ModuleVariable> variable(std::string_view name) const;
  /// The one whose memory has this address.
  [[nodiscard]] std::optional<ModuleVariable> variable_at(std::uint64_t address) const;
  /// The kernel whose program this is.
  [[nodiscard]] const LoadedKernel& of(const simt::Program& program) const;

 private:
  struct Module {
    std::size_t number = 0;  ///< in images_
    ModuleImage image;
    std::vector<std::string_view> entries;       ///< as they stand in the text
    std::unordered_set<std::string_view> names;  ///< of these, to be found among hundreds of thousands
    ModuleVariables variables;
  };
  struct OfGpu {
    std::vector<Module> modules;
    std::map<std::string, std::size_t, std::less<>> by_name;  ///< handles; to compare C++ names takes longer
  };
  /// Of the GPU in use; what it has not loaded yet, it loads.
  std::vector<Module>& modules();
  Module& module_of(std::string_view name);
  void place(Module& module, const ptx::Module& parsed) {
    module.variables.place(parsed, memory_, gpu_, managed_[module.number]);
  }
  const LoadedKernel& find_among_all(std::string_view name);
  const LoadedKernel& decode(Module& module, std::string_view entry);
  [[nodiscard]] KernelAttributes attributes_of(const simt::Program& program, const ModuleImage& image,
                                               std::string_view entry) const;

  const GpuProfile& profile_;
  simt::GlobalMemory& memory_;
  simt::DecodeContext decoding_;
  std::vector<ModuleImage> images_;
  std::vector<ModuleVariables::Places> managed_;  ///< variables of each, which all GPUs share
  std::deque<OfGpu> gpus_{1};
  int gpu_ = 0;                       ///< in use
  std::deque<LoadedKernel> kernels_;  ///< by handle; they stay where they are
};

}  // namespace gpulab
