#include "common/device/gpu/throttling.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>

namespace gpulab {
namespace {

/// NVML's functions, as its API reference declares them: a result of 0 is success. Its header is no part of what a
/// build needs.
struct Nvml {
  int (*init)() = nullptr;
  int (*device_at)(const char* pci_bus_id, void** device) = nullptr;
  int (*reasons)(void* device, unsigned long long* mask) = nullptr;
  const char* (*error_text)(int result) = nullptr;
  std::string problem;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

Nvml load() {
  Nvml nvml;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);  // stays loaded, as the driver
  if (library == nullptr) {
    const char* why = dlerror();
    nvml.problem = why != nullptr ? why : "libnvidia-ml.so.1 cannot be loaded";
    return nvml;
  }
  // Named anew by newer drivers, which keep the old name.
  const bool has_reasons = find(library, "nvmlDeviceGetCurrentClocksEventReasons", nvml.reasons) ||
                           find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.reasons);
  if (!has_reasons || !find(library, "nvmlInit_v2", nvml.init) || !find(library, "nvmlErrorString", nvml.error_text) ||
      !find(library, "nvmlDeviceGetHandleByPciBusId_v2", nvml.device_at)) {
    nvml.problem = "libnvidia-ml.so.1 is older than what gpulab asks of it";
    return nvml;
  }
  if (const int result = nvml.init(); result != 0) nvml.problem = fmt::format("NVML: {}", nvml.error_text(result));
  return nvml;
}

const Nvml& nvml() {
  static const Nvml loaded = load();
  return loaded;
}

struct Reason {
  std::uint64_t bit;
  const char* text;
};
/// nvmlClocksEventReason…, by their bits. Absent: 0x1 idle, 0x2 clocks set by applications, 0x10 sync boost, 0x100 set
/// by a display.
constexpr std::array reasons{Reason{0x4, "power cap"}, Reason{0x8, "hardware slowdown"},
                             Reason{0x20, "thermal slowdown by the driver"},
                             Reason{0x40, "thermal slowdown by the hardware"}, Reason{0x80, "power brake"}};

}  // namespace

std::string throttle_reasons(std::uint64_t mask) {
  std::string text;
  for (const auto& reason : reasons)
    if ((mask & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text;
}

const std::string& nvml_problem() { return nvml().problem; }

Throttling::Throttling(const std::string& pci_bus_id) : problem_(nvml().problem) {
  if (!problem_.empty()) return;
  if (const int result = nvml().device_at(pci_bus_id.c_str(), &handle_); result != 0)
    problem_ = fmt::format("NVML knows no GPU at {}: {}", pci_bus_id, nvml().error_text(result));
  unsigned long long mask = 0;
  if (problem_.empty())
    if (const int result = nvml().reasons(handle_, &mask); result != 0)
      problem_ = fmt::format("NVML does not say why clocks change: {}", nvml().error_text(result));
}

std::string Throttling::now() const {
  unsigned long long mask = 0;
  if (!problem_.empty() || nvml().reasons(handle_, &mask) != 0) return {};
  return throttle_reasons(mask);
}

}  // namespace gpulab
