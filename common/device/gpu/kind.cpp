// The kind "gpu": NVIDIA GPUs behind the driver.

#include <fmt/format.h>

#include "common/device/device_kind.h"
#include "common/device/gpu/gpu.h"
#include "common/device/gpu/throttling.h"
#include "common/text.h"

namespace gpulab {
namespace {

std::string problem() {
  const auto why = gpu_problem();
  return why.empty() ? "" : "this machine has no GPU that works: " + why;
}

std::string listing() {
  std::string text = "GPUs (--device gpu, gpu:INDEX)\n";
  const auto found = gpus();
  if (found.empty()) return text + fmt::format("  none: {}\n", gpu_problem());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& gpu = found[i];
    text += fmt::format("  gpu:{}  {}, compute capability {}.{}, {} SMs{}\n", i, gpu.name, gpu.compute_major,
                        gpu.compute_minor, gpu.sm_count, gpu.profile.empty() ? "" : ", profile " + gpu.profile);
  }
  return text;
}

SystemCheck driver() {
  const auto version = driver_cuda_version();
  if (version) return {SystemCheck::State::good, "driver", "supports CUDA " + *version, {}};
  return {SystemCheck::State::note, "driver", gpu_problem(),
          "for GPU timing: NVIDIA's driver; the simulator needs none"};
}

SystemCheck gpu() {
  const auto found = gpus();
  if (found.empty())
    return {SystemCheck::State::note, "GPU", "none: kernels run on the simulator, which counts but cannot time", {}};
  std::vector<std::string> names;
  for (const auto& one : found) names.push_back(one.name);
  return {SystemCheck::State::good, "GPU", join(names), {}};
}

/// Of a machine with a GPU alone.
SystemCheck clocks() {
  if (const auto& problem = nvml_problem(); !problem.empty())
    return {SystemCheck::State::note, "NVML", problem, "without it nobody can tell whether a GPU's clock is held back"};
  return {SystemCheck::State::good, "NVML", "tells whether a GPU's clock is held back while it is measured", {}};
}

}  // namespace

namespace device_kind {

extern const DeviceKind gpu{.name = "gpu",
                            .noun = "a GPU",
                            .numbered = true,
                            .faults_end_process = true,
                            .rank = 2,
                            .capabilities = gpu_capabilities,
                            .problem = problem,
                            .present = gpus,
                            .describe = [](const DeviceRequest& request) { return gpu_info(request.index); },
                            .open = [](const DeviceRequest& request) { return make_gpu(request.index); },
                            .listing = listing,
                            .checks =
                                [] {
                                  std::vector checks{driver(), gpulab::gpu()};
                                  if (gpu_available()) checks.push_back(clocks());
                                  return checks;
                                }};

}  // namespace device_kind
}  // namespace gpulab
