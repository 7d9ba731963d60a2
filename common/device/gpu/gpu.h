#pragma once
// NVIDIA GPUs behind device.h, through the driver API. Nothing here needs a driver to be installed until a
// function says so.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "common/gpu_profile.h"

namespace gpulab {

/// A driver that works and at least one GPU. Creates no context.
[[nodiscard]] bool gpu_available();

/// Why there is none, in the driver's or the dynamic loader's words; empty where there is one.
[[nodiscard]] std::string gpu_problem();

/// The CUDA version that the installed driver supports ("13.0"); absent without one.
[[nodiscard]] std::optional<std::string> driver_cuda_version();

/// The GPUs in the driver's order (CUDA_VISIBLE_DEVICES applies); empty without one. Creates no context.
[[nodiscard]] std::vector<DeviceInfo> gpus();

/// The same for one. Throws Error (missing, exit 3) where it is not there.
[[nodiscard]] DeviceInfo gpu_info(int index);

inline constexpr Capabilities gpu_capabilities{.measures_time = true, .counts = false, .runs_vendor_code = true};

/// The GPU, with its primary context, which vendor libraries in this process share. Throws as gpu_info does. A
/// faulting kernel ends the context for the whole process: run cases in a worker (worker.h).
/// `optimization`: of PTX by the driver's compiler, 0 (none) to 4; absent: as the driver sees fit.
[[nodiscard]] std::unique_ptr<Device> make_gpu(int index, std::optional<int> optimization = std::nullopt);

/// The id of the profile that stands for a GPU: of the same name, else the one of its compute capability (which fixes
/// all per-SM limits) with the nearest number of SMs, else empty.
[[nodiscard]] std::string matching_profile(const DeviceInfo& gpu, std::span<const GpuProfile> profiles);

}  // namespace gpulab
