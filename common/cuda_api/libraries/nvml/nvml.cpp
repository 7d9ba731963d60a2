#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/nvml/interface.h"

namespace {

std::atomic<int> users = 0;
constexpr int kMostGpus = 64;

std::array<nvmlDevice_st, kMostGpus>& devices() {
  static auto* const all = [] {
    auto* made = new std::array<nvmlDevice_st, kMostGpus>;
    for (int i = 0; i < kMostGpus; ++i) (*made)[static_cast<std::size_t>(i)].index = i;
    return made;
  }();
  return *all;
}

/// A function of the CUDA runtime in the process, which is ours.
template <typename Function>
Function of_runtime(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

int gpus() { return gpulab::libraries::runtime().gpus(); }

int attribute(nvmlDevice_t device, cudaDeviceAttr which) {
  static const auto get = of_runtime<cudaError_t (*)(int*, cudaDeviceAttr, int)>("cudaDeviceGetAttribute");
  int value = 0;
  if (get != nullptr) (void)get(&value, which, device->index);
  return value;
}
cudaDeviceProp properties(nvmlDevice_t device) {
#if CUDART_VERSION >= 13000
  constexpr const char* name = "cudaGetDeviceProperties";
#else
  constexpr const char* name = "cudaGetDeviceProperties_v2";
#endif
  static const auto get = of_runtime<cudaError_t (*)(cudaDeviceProp*, int)>(name);
  cudaDeviceProp made{};
  if (get != nullptr) (void)get(&made, device->index);
  return made;
}

nvmlReturn_t check(bool valid) {
  if (users <= 0) return NVML_ERROR_UNINITIALIZED;
  return valid ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}
bool is_device(nvmlDevice_t device) {
  return device >= devices().data() && device < devices().data() + std::min(gpus(), kMostGpus);
}
#define GPULAB_CHECK(valid) \
  if (const auto wrong = check(valid); wrong != NVML_SUCCESS) return wrong

nvmlReturn_t put(const std::string& text, char* to, unsigned length) {
  if (text.size() + 1 > length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}
nvmlReturn_t tell(nvmlDevice_t device, unsigned* to, cudaDeviceAttr which, unsigned divisor = 1) {
  GPULAB_CHECK(is_device(device) && to != nullptr);
  *to = static_cast<unsigned>(attribute(device, which)) / divisor;
  return NVML_SUCCESS;
}
/// What a sensor would say.
nvmlReturn_t unmeasured(nvmlDevice_t device) {
  GPULAB_CHECK(is_device(device));
  return NVML_ERROR_NOT_SUPPORTED;
}

std::string uuid_of(nvmlDevice_t device) {
  const auto made = properties(device);
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(made.uuid.bytes[i]));
  }
  return text;
}
std::string bus_of(nvmlDevice_t device) {
  return fmt::format("{:08X}:{:02X}:{:02X}.0", attribute(device, cudaDevAttrPciDomainId),
                     attribute(device, cudaDevAttrPciBusId), attribute(device, cudaDevAttrPciDeviceId));
}

/// Bytes in all and free ones: asked of the runtime with that GPU as the thread's own.
bool memory_of(nvmlDevice_t device, std::size_t& free, std::size_t& total) {
  static const auto current = of_runtime<cudaError_t (*)(int*)>("cudaGetDevice");
  static const auto choose = of_runtime<cudaError_t (*)(int)>("cudaSetDevice");
  static const auto get = of_runtime<cudaError_t (*)(std::size_t*, std::size_t*)>("cudaMemGetInfo");
  int before = 0;
  if (get == nullptr || current(&before) != cudaSuccess) return false;
  if (before != device->index) (void)choose(device->index);
  const bool told = get(&free, &total) == cudaSuccess;
  if (before != device->index) (void)choose(before);
  return told;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlInit_v2() {
  (void)gpulab::libraries::runtime();
  ++users;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlInit() { return nvmlInit_v2(); }
nvmlReturn_t nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
nvmlReturn_t nvmlShutdown() {
  if (users <= 0) return NVML_ERROR_UNINITIALIZED;
  --users;
  return NVML_SUCCESS;
}
const char* nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
  }
  return "Unknown Error";
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned length) {
  GPULAB_CHECK(version != nullptr);
  return put("580.00", version, length);
}
nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  GPULAB_CHECK(version != nullptr);
  return put(fmt::format("{}.580.00", CUDART_VERSION / 1000), version, length);
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *version = CUDART_VERSION;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) { return nvmlSystemGetCudaDriverVersion_v2(version); }

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned* count) {
  GPULAB_CHECK(count != nullptr);
  *count = static_cast<unsigned>(std::min(gpus(), kMostGpus));
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t* device) {
  GPULAB_CHECK(device != nullptr && index < static_cast<unsigned>(std::min(gpus(), kMostGpus)));
  *device = &devices()[index];
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  GPULAB_CHECK(uuid != nullptr && device != nullptr);
  for (int i = 0; i < std::min(gpus(), kMostGpus); ++i)
    if (uuid_of(&devices()[static_cast<std::size_t>(i)]) == uuid) {
      *device = &devices()[static_cast<std::size_t>(i)];
      return NVML_SUCCESS;
    }
  return NVML_ERROR_NOT_FOUND;
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_t* device) {
  GPULAB_CHECK(bus != nullptr && device != nullptr);
  for (int i = 0; i < std::min(gpus(), kMostGpus); ++i) {
    auto* const one = &devices()[static_cast<std::size_t>(i)];
    const std::string own = bus_of(one);
    // With a domain of eight digits, of four, or without any.
    if (own == bus || own.substr(4) == bus || own.substr(9) == bus) {
      *device = one;
      return NVML_SUCCESS;
    }
  }
  return NVML_ERROR_NOT_FOUND;
}
nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char* bus, nvmlDevice_t* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(bus, device);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  GPULAB_CHECK(is_device(device) && index != nullptr);
  *index = static_cast<unsigned>(device->index);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* number) {
  return nvmlDeviceGetIndex(device, number);
}
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  GPULAB_CHECK(is_device(device) && name != nullptr);
  return put(properties(device).name, name, length);
}
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  GPULAB_CHECK(is_device(device) && uuid != nullptr);
  return put(uuid_of(device), uuid, length);
}
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  GPULAB_CHECK(is_device(device) && pci != nullptr);
  *pci = {};
  pci->domain = static_cast<unsigned>(attribute(device, cudaDevAttrPciDomainId));
  pci->bus = static_cast<unsigned>(attribute(device, cudaDevAttrPciBusId));
  pci->device = static_cast<unsigned>(attribute(device, cudaDevAttrPciDeviceId));
  const std::string bus = bus_of(device);
  bus.copy(pci->busId, sizeof pci->busId - 1);
  bus.substr(4).copy(pci->busIdLegacy, sizeof pci->busIdLegacy - 1);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  return nvmlDeviceGetPciInfo_v3(device, pci);
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  GPULAB_CHECK(is_device(device) && major != nullptr && minor != nullptr);
  *major = attribute(device, cudaDevAttrComputeCapabilityMajor);
  *minor = attribute(device, cudaDevAttrComputeCapabilityMinor);
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  GPULAB_CHECK(is_device(device) && memory != nullptr);
  std::size_t free = 0, total = 0;
  if (!memory_of(device, free, total)) return NVML_ERROR_NOT_SUPPORTED;
  *memory = {total, free, total - free};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  GPULAB_CHECK(is_device(device) && memory != nullptr);
  std::size_t free = 0, total = 0;
  if (!memory_of(device, free, total)) return NVML_ERROR_NOT_SUPPORTED;
  *memory = {memory->version, total, 0, free, total - free};
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t device, unsigned* bits) {
  return tell(device, bits, cudaDevAttrGlobalMemoryBusWidth);
}
/// Graphics (0), SMs (1), memory (2), video (3), in MHz. The GPU runs at its data sheet's clocks.
nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned* clock) {
  GPULAB_CHECK(type >= 0 && type <= 3);
  constexpr int memory = 2;
  constexpr unsigned khz = 1000;
  return tell(device, clock, type == memory ? cudaDevAttrMemoryClockRate : cudaDevAttrClockRate, khz);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, int type, unsigned* clock) {
  return nvmlDeviceGetClockInfo(device, type, clock);
}
nvmlReturn_t nvmlDeviceGetApplicationsClock(nvmlDevice_t device, int type, unsigned* clock) {
  return nvmlDeviceGetClockInfo(device, type, clock);
}
nvmlReturn_t nvmlDeviceGetDefaultApplicationsClock(nvmlDevice_t device, int type, unsigned* clock) {
  return nvmlDeviceGetClockInfo(device, type, clock);
}
nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int* mode) {
  GPULAB_CHECK(is_device(device) && mode != nullptr);
  *mode = attribute(device, cudaDevAttrComputeMode);
  return NVML_SUCCESS;
}
/// P0: at full speed.
nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, int* state) {
  GPULAB_CHECK(is_device(device) && state != nullptr);
  *state = 0;
  return NVML_SUCCESS;
}

// Sensors.
nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, void*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long*) {
  return unmeasured(device);
}
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, int, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, int, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long*) {
  return unmeasured(device);
}
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, int*, int*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, int*) { return unmeasured(device); }
nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char*, unsigned) { return unmeasured(device); }

// What is not here ends the program by its name.
#define GPULAB_ABSENT(name) \
  void name() { gpulab::libraries::refuse(#name, __builtin_return_address(0)); }
GPULAB_ABSENT(nvmlDeviceGetComputeRunningProcesses)
GPULAB_ABSENT(nvmlDeviceGetComputeRunningProcesses_v2)
GPULAB_ABSENT(nvmlDeviceGetComputeRunningProcesses_v3)
GPULAB_ABSENT(nvmlDeviceGetGraphicsRunningProcesses)
GPULAB_ABSENT(nvmlDeviceGetGraphicsRunningProcesses_v2)
GPULAB_ABSENT(nvmlDeviceGetGraphicsRunningProcesses_v3)
GPULAB_ABSENT(nvmlDeviceGetProcessUtilization)
GPULAB_ABSENT(nvmlDeviceGetSamples)
GPULAB_ABSENT(nvmlDeviceGetFieldValues)
GPULAB_ABSENT(nvmlDeviceGetSupportedClocksThrottleReasons)
GPULAB_ABSENT(nvmlDeviceGetSupportedGraphicsClocks)
GPULAB_ABSENT(nvmlDeviceGetSupportedMemoryClocks)
GPULAB_ABSENT(nvmlDeviceSetApplicationsClocks)
GPULAB_ABSENT(nvmlDeviceResetApplicationsClocks)
GPULAB_ABSENT(nvmlDeviceSetGpuLockedClocks)
GPULAB_ABSENT(nvmlDeviceResetGpuLockedClocks)
GPULAB_ABSENT(nvmlDeviceSetPowerManagementLimit)
GPULAB_ABSENT(nvmlDeviceGetPowerManagementLimitConstraints)
GPULAB_ABSENT(nvmlDeviceSetPersistenceMode)
GPULAB_ABSENT(nvmlDeviceGetPcieThroughput)
GPULAB_ABSENT(nvmlDeviceGetMaxPcieLinkGeneration)
GPULAB_ABSENT(nvmlDeviceGetMaxPcieLinkWidth)
GPULAB_ABSENT(nvmlDeviceGetCurrPcieLinkGeneration)
GPULAB_ABSENT(nvmlDeviceGetCurrPcieLinkWidth)
GPULAB_ABSENT(nvmlDeviceGetNvLinkState)
GPULAB_ABSENT(nvmlDeviceGetNvLinkRemotePciInfo_v2)
GPULAB_ABSENT(nvmlDeviceGetNvLinkCapability)
GPULAB_ABSENT(nvmlDeviceGetTopologyCommonAncestor)
GPULAB_ABSENT(nvmlDeviceGetP2PStatus)
GPULAB_ABSENT(nvmlDeviceGetMigMode)
GPULAB_ABSENT(nvmlDeviceGetBAR1MemoryInfo)
GPULAB_ABSENT(nvmlDeviceGetBrand)
GPULAB_ABSENT(nvmlDeviceGetBoardId)
GPULAB_ABSENT(nvmlDeviceGetVbiosVersion)
GPULAB_ABSENT(nvmlDeviceGetNumGpuCores)
GPULAB_ABSENT(nvmlDeviceGetArchitecture)
GPULAB_ABSENT(nvmlDeviceGetCpuAffinity)
GPULAB_ABSENT(nvmlEventSetCreate)
GPULAB_ABSENT(nvmlEventSetWait_v2)
GPULAB_ABSENT(nvmlEventSetFree)
GPULAB_ABSENT(nvmlDeviceRegisterEvents)
#undef GPULAB_ABSENT

}  // extern "C"
