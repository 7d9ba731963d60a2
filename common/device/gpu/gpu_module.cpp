#include "common/device/gpu/gpu_module.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "common/demangle.h"
#include "common/embedded.h"
#include "common/error.h"
#include "common/ptx/parser.h"

namespace gpulab {
namespace {

constexpr std::size_t log_bytes = 8192;

/// ".target sm_80, debug" -> "sm_80"
std::string_view target_of(std::string_view ptx) {
  const std::size_t at = ptx.find(".target");
  if (at == std::string_view::npos) return "?";
  const std::size_t begin = ptx.find_first_not_of(" \t", at + 7);
  return ptx.substr(begin, ptx.find_first_of(" ,\t\r\n", begin) - begin);
}

std::string hint_for(CUresult result, std::string_view ptx, const std::string& log) {
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || (result == CUDA_ERROR_INVALID_PTX && log.empty()))
    return fmt::format("the kernels are compiled for {}: this GPU may be older", target_of(ptx));
  if (!log.empty()) return "the driver's compiler says: " + log.substr(0, log.find_last_not_of("\n ") + 1);
  return std::string(fault_hint(result));
}

}  // namespace

GpuModule::GpuModule(const DriverApi& driver, const ModuleImage& image, std::optional<int> optimization)
    : driver_(driver), name_(image.name), ptx_(image.ptx), optimization_(optimization), outline_(outline(ptx_)) {}

GpuModule::~GpuModule() {
  for (const auto& [entry, module] : modules_) driver_.cuModuleUnload(module);
}

std::vector<std::string_view> GpuModule::entry_names() const {
  std::vector<std::string_view> names;
  for (const auto& entry : outline_.entries)
    if (entry.has_body) names.push_back(entry.name);
  return names;
}

namespace {

/// What the driver's compiler and linker are told, and where they write what is wrong.
class JitOptions {
 public:
  explicit JitOptions(std::optional<int> optimization) : count_(optimization ? 4 : 3) {
    values_[3] = reinterpret_cast<void*>(static_cast<std::uintptr_t>(optimization.value_or(0)));
  }
  [[nodiscard]] unsigned count() const { return count_; }
  CUjit_option* options() { return options_.data(); }
  void** values() { return values_.data(); }
  std::string log() const { return log_.substr(0, log_.find('\0')); }

 private:
  std::string log_ = std::string(log_bytes, '\0');
  unsigned count_;
  std::array<CUjit_option, 4> options_ = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                                          CU_JIT_GENERATE_LINE_INFO, CU_JIT_OPTIMIZATION_LEVEL};
  // The driver takes integer options as pointer values.
  std::array<void*, 4> values_ = {log_.data(), reinterpret_cast<void*>(std::uintptr_t{log_bytes}),
                                  reinterpret_cast<void*>(std::uintptr_t{1})};
};

/// Kernels that launch kernels call functions of the device runtime, a library that is linked with them.
class Linker {
 public:
  explicit Linker(const DriverApi& driver) : driver_(driver) {}
  ~Linker() {
    if (state_ != nullptr) driver_.cuLinkDestroy(state_);
  }
  Linker(const Linker&) = delete;
  Linker& operator=(const Linker&) = delete;

  /// Leaves the error of the step that failed; `jit` has the log.
  CUresult link(const std::string& ptx, std::string_view library, JitOptions& jit, CUmodule& module) {
    CUresult result = driver_.cuLinkCreate(jit.count(), jit.options(), jit.values(), &state_);
    const auto add = [&](CUjitInputType type, std::string_view data, const char* name) {
      if (result == CUDA_SUCCESS)
        result =
            driver_.cuLinkAddData(state_, type, const_cast<char*>(data.data()), data.size(), name, 0, nullptr, nullptr);
    };
    add(CU_JIT_INPUT_PTX, {ptx.c_str(), ptx.size() + 1}, "kernels.ptx");
    add(CU_JIT_INPUT_LIBRARY, library, "libcudadevrt.a");
    void* image = nullptr;
    std::size_t bytes = 0;
    if (result == CUDA_SUCCESS) result = driver_.cuLinkComplete(state_, &image, &bytes);
    return result == CUDA_SUCCESS ? driver_.cuModuleLoadData(&module, image) : result;
  }

 private:
  const DriverApi& driver_;
  CUlinkState state_ = nullptr;
};

}  // namespace

CUmodule GpuModule::compile(const std::string& ptx) {
  JitOptions jit(optimization_);
  CUmodule module = nullptr;
  CUresult result = CUDA_SUCCESS;
  if (outline_.calls_runtime) {
    const std::string_view library = device_runtime_library();
    if (library.empty())
      throw Error(ExitCode::missing, "kernels that launch kernels need libcudadevrt.a, which this build has not", name_,
                  "build with a CUDA Toolkit that has it, or use '--device sim'");
    result = Linker(driver_).link(ptx, library, jit, module);
  } else {
    result = driver_.cuModuleLoadDataEx(&module, ptx.c_str(), jit.count(), jit.options(), jit.values());
  }
  driver_.check(result, DriverUse::load, name_, hint_for(result, ptx, jit.log()));
  return module;
}

CUmodule GpuModule::compiled(std::string_view entry) {
  const std::string_view key = outline_.separable ? entry : std::string_view{};
  if (const auto it = modules_.find(key); it != modules_.end()) return it->second;
  CUmodule module = compile(outline_.separable ? with_only_entry(ptx_, outline_, entry) : ptx_);
  modules_.emplace(key, module);
  return module;
}

std::vector<std::size_t> GpuModule::parameter_sizes(std::string_view entry) const {
  const auto module = ptx::parse(with_only_entry(ptx_, outline_, entry), name_, [](auto) { return false; });
  std::vector<std::size_t> sizes;
  for (const auto& function : module.functions)
    if (function.is_entry && function.name == entry)
      for (const auto& parameter : function.parameters) sizes.push_back(parameter.size);
  return sizes;
}

std::optional<ModuleVariable> GpuModule::variable(const std::string& name) const {
  for (const auto& [entry, module] : modules_) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    if (driver_.cuModuleGetGlobal(&address, &bytes, module, name.c_str()) == CUDA_SUCCESS)
      return ModuleVariable{address, bytes};
  }
  return std::nullopt;
}

Kernel GpuModule::kernel(std::string_view entry) {
  Kernel kernel;
  kernel.entry = entry;
  kernel.cpp_name = kernel_name(entry);
  kernel.parameter_sizes = parameter_sizes(entry);
  CUfunction function = nullptr;
  driver_.check(driver_.cuModuleGetFunction(&function, compiled(entry), kernel.entry.c_str()), DriverUse::load,
                kernel.cpp_name);
  kernel.handle = reinterpret_cast<std::uintptr_t>(function);
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    driver_.check(driver_.cuFuncGetAttribute(&value, which, function), DriverUse::load, kernel.cpp_name);
    return value;
  };
  kernel.attributes.registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  kernel.attributes.static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  kernel.attributes.local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  kernel.attributes.max_threads_per_block = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  return kernel;
}

}  // namespace gpulab
