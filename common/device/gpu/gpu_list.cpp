#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <tuple>

#include "common/device/gpu/driver_api.h"
#include "common/device/gpu/gpu.h"
#include "common/error.h"

namespace gpulab {
namespace {

int device_count(const DriverApi& driver) {
  int count = 0;
  return driver.cuDeviceGetCount(&count) == CUDA_SUCCESS ? count : 0;
}

DeviceInfo describe(const DriverApi& driver, int index) {
  CUdevice device = 0;
  driver.check(driver.cuDeviceGet(&device, index), DriverUse::start, fmt::format("gpu:{}", index));
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    driver.check(driver.cuDeviceGetAttribute(&value, which, device), DriverUse::start, fmt::format("gpu:{}", index));
    return value;
  };
  std::array<char, 256> name{};
  driver.check(driver.cuDeviceGetName(name.data(), name.size(), device), DriverUse::start);
  DeviceInfo info;
  info.kind = "gpu";
  info.name = name.data();
  info.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.sm_count = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.profile = matching_profile(info, gpu_profiles());
  return info;
}

}  // namespace

bool gpu_available() { return gpu_problem().empty(); }

std::string gpu_problem() {
  if (driver() == nullptr) return driver_problem();
  return device_count(*driver()) > 0 ? "" : "the driver works, but it shows no GPU (CUDA_VISIBLE_DEVICES?)";
}

std::optional<std::string> driver_cuda_version() {
  int version = 0;
  if (driver() == nullptr || driver()->cuDriverGetVersion(&version) != CUDA_SUCCESS) return std::nullopt;
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

std::vector<DeviceInfo> gpus() {
  std::vector<DeviceInfo> found;
  if (driver() == nullptr) return found;
  const int count = device_count(*driver());
  for (int index = 0; index < count; ++index) found.push_back(describe(*driver(), index));
  return found;
}

DeviceInfo gpu_info(int index) {
  const std::string where = index == 0 ? "--device gpu" : fmt::format("--device gpu:{}", index);
  if (!gpu_available())
    throw Error(ExitCode::missing, "no GPU: " + gpu_problem(), where,
                "'--device sim' runs the same kernels on the simulator; 'gpulab doctor' says what is missing");
  const int count = device_count(*driver());
  if (index < 0 || index >= count)
    throw Error(ExitCode::missing, fmt::format("no GPU {}: this machine has {}", index, count), where,
                "'gpulab devices' lists them");
  return describe(*driver(), index);
}

std::string matching_profile(const DeviceInfo& gpu, std::span<const GpuProfile> profiles) {
  const GpuProfile* nearest = nullptr;
  const auto distance = [&](const GpuProfile& p) { return std::abs(p.sm_count - gpu.sm_count); };
  for (const auto& profile : profiles) {
    if (profile.name == gpu.name) return profile.id;
    const bool same =
        std::tie(profile.compute_major, profile.compute_minor) == std::tie(gpu.compute_major, gpu.compute_minor);
    if (same && (nearest == nullptr || distance(profile) < distance(*nearest))) nearest = &profile;
  }
  return nearest == nullptr ? "" : nearest->id;
}

}  // namespace gpulab
