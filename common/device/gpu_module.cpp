#include "common/device/gpu_module.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "common/demangle.h"
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

GpuModule::GpuModule(const DriverApi& driver, const ModuleImage& image)
    : driver_(driver), name_(image.name), ptx_(image.ptx), outline_(outline(ptx_)) {}

GpuModule::~GpuModule() {
  for (const auto& [entry, module] : modules_) driver_.cuModuleUnload(module);
}

std::vector<std::string_view> GpuModule::entry_names() const {
  std::vector<std::string_view> names;
  for (const auto& entry : outline_.entries)
    if (entry.has_body) names.push_back(entry.name);
  return names;
}

CUmodule GpuModule::compile(const std::string& ptx) {
  std::string log(log_bytes, '\0');
  std::array options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_GENERATE_LINE_INFO};
  // The driver takes integer options as pointer values.
  std::array<void*, 3> values = {log.data(), reinterpret_cast<void*>(std::uintptr_t{log_bytes}),
                                 reinterpret_cast<void*>(std::uintptr_t{1})};
  CUmodule module = nullptr;
  const CUresult result =
      driver_.cuModuleLoadDataEx(&module, ptx.c_str(), options.size(), options.data(), values.data());
  log.resize(log.find('\0'));
  driver_.check(result, DriverUse::load, name_, hint_for(result, ptx, log));
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
