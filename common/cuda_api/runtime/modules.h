#pragma once
// What programs register before main: fat binaries, and which of the host's functions and variables stand for which of
// theirs. PTX is taken out of them when the first kernel is asked for.

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/cuda_api/cubin.h"
#include "common/device/device.h"
#include "common/embedded.h"

namespace gpulab::cuda_api {

/// A kernel as the device has it, and what the program has set for it.
struct LoadedFunction {
  Kernel kernel;
  std::string name;                     ///< demangled, with its parameters
  std::size_t dynamic_shared_most = 0;  ///< by cudaFuncSetAttribute; 0: not set
  int carveout = -1;
  Dim3 cluster{0, 0, 0};      ///< by cudaFuncSetAttribute, where the kernel is compiled for none; 0: not set
  bool may_be_large = false;  ///< clusters of a size that is not portable are allowed
  int cluster_policy = 0;
};

struct FunctionEntry {
  const void* host = nullptr;  ///< the stub that the program calls
  std::string name;            ///< mangled
  std::size_t module = 0;
  std::map<int, LoadedFunction> loaded;  ///< by GPU
};

struct VariableEntry {
  const void* host = nullptr;
  std::string name;
  std::size_t module = 0, bytes = 0;
  void** managed = nullptr;  ///< of a __managed__ one: what the host's pointer to it is to be
};

struct FatModule {
  const void* data = nullptr;      ///< of the fat binary
  std::vector<const void*> parts;  ///< of a program that was linked (-rdc=true): its objects' fat binaries
  std::string name, ptx;           ///< empty: not taken out yet
  std::vector<KernelUse> uses;     ///< what ptxas said of its kernels, where the program holds their machine code, too
  std::vector<PtxasRow> rows;      ///< the same for the device
  std::vector<FrameUse> frame_uses;
  std::vector<FrameRow> frames;  ///< the same for the device
  bool loaded = false;           ///< by the device
  bool placed = false;           ///< its managed variables are where the host looks for them
};

class Modules {
 public:
  /// `wrapper`: nvcc's struct around a fat binary. Its handle is the module's number.
  std::size_t add(const void* wrapper);
  /// PTX that the program loads itself. `name` is no other module's.
  std::size_t add_text(std::string name, std::string ptx);
  void add_function(std::size_t module, const void* host, const char* name);
  /// The entry of a kernel that a module has, made by the first who asks; its own address is a handle of it.
  FunctionEntry& function_of(std::size_t module, const std::string& name);
  /// `handle` is another name of it.
  void alias(FunctionEntry* function, const void* handle) { by_host_[handle] = function; }
  void add_variable(VariableEntry variable);
  /// Nothing of it is asked for any more.
  void remove(std::size_t module);

  [[nodiscard]] FatModule& at(std::size_t module) { return modules_.at(module); }
  [[nodiscard]] std::size_t size() const { return modules_.size(); }
  [[nodiscard]] FunctionEntry* function(const void* host);
  [[nodiscard]] const VariableEntry* variable(const void* host) const;
  [[nodiscard]] const std::deque<VariableEntry>& variables() const { return variables_; }
  /// Of which a string of the program's is the name, as CUDA 4 took symbols; `text` may lead nowhere.
  [[nodiscard]] const VariableEntry* variable_named(const void* text) const;
  /// The text for a GPU of that architecture. Throws Error (missing) where there is none.
  const FatModule& take_ptx(std::size_t module, int architecture);
  /// The device that knew them is gone.
  void forget_loaded();

 private:
  std::deque<FatModule> modules_;
  std::deque<FunctionEntry> functions_;  ///< they stay where they are: programs hold their addresses
  std::deque<VariableEntry> variables_;
  std::unordered_map<const void*, FunctionEntry*> by_host_;
  std::map<std::pair<std::size_t, std::string>, FunctionEntry*> by_name_;  ///< those of function_of()
  std::unordered_map<const void*, const VariableEntry*> variable_by_host_;
};

}  // namespace gpulab::cuda_api
