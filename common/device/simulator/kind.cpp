// The kind "sim": the embedded simulator, which is always there and models one of configs/gpus.

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "common/device/device_kind.h"
#include "common/gpu_profile.h"
#include "common/host_cpu.h"
#include "common/host_memory.h"
#include "common/simt/compiled/ahead/ready_code.h"
#include "common/simt/compiled/llvm/library.h"
#include "common/simt/compiled/row_bitcode.h"
#include "common/simt/isa/instruction_set.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// What kernels run on: "Intel Xeon …, 8 threads, x86-64 level v3"; "Raspberry Pi 5 …, 4 threads, arm64".
std::string cpu() {
#if defined(__x86_64__)
  const auto level = fmt::format("x86-64 level {}", simt::cpu_level());
#else
  const std::string level = "arm64";
#endif
  return fmt::format("{}, {}, {}", cpu_name(), plural(std::max(1U, std::thread::hardware_concurrency()), "thread"),
                     level);
}

/// The GPU to model: where nobody names one, one that is here, else an H200.
const GpuProfile& modelled(const DeviceRequest& request) {
  if (!request.profile.empty()) return profile_carried(request.profile);
  for (const auto* kind : device_kinds())
    for (const auto& device : kind->present())
      if (!device.profile.empty()) return gpu_profile(device.profile);
  return gpu_profile("h200");
}

/// What makes machine code of kernels that run for long.
SystemCheck compiled_tier() {
  const std::string gain = "with it many that run for seconds take a half to a third of the time";
  if (simt::row_bitcode().empty())
    return {SystemCheck::State::note, "compiled",
            fmt::format("built without clang: no kernel is compiled here; {}", gain),
            "install clang (15 to 19), and build again"};
  const std::size_t ready = simt::compiled::number_of_ready();
  const std::string of_labs = ready > 0 ? fmt::format("; {} programs of the labs at once", ready) : "";
  const std::string path = simt::compiled::Library::installed();
  if (path.empty())
    return {SystemCheck::State::note, "compiled",
            fmt::format(
                "no LLVM: no kernel is compiled here{}; {}",
                ready > 0 ? fmt::format(" but {} programs of the labs, whose code came with gpulab", ready) : "", gain),
            "install libllvm15 (or 16 to 19)"};
  return {SystemCheck::State::good,
          "compiled",
          fmt::format("kernels that run for long, by {}{} (GPULAB_COMPILED=off: none)", path, of_labs),
          {}};
}

std::vector<SystemCheck> checks() {
  const auto memory = available_host_memory();
  return {{SystemCheck::State::good,
           "simulator",
           fmt::format("{}, {} available", cpu(), memory ? bytes_text(static_cast<double>(*memory)) : "unknown memory"),
           {}},
          compiled_tier()};
}

}  // namespace

namespace device_kind {

extern const DeviceKind simulator{
    .name = "sim",
    .noun = "the simulator",
    .rank = 1,
    .capabilities = simulator_capabilities,
    .problem = [] { return std::string(); },
    .present = [] { return std::vector<DeviceInfo>(); },
    .describe = [](const DeviceRequest& request) { return simulator_info(modelled(request)); },
    .open = [](const DeviceRequest& request) { return make_simulator(modelled(request), request.simulation); },
    .listing = [] { return fmt::format("Simulator (--device sim)\n  {}\n", cpu()); },
    .checks = checks};

}  // namespace device_kind
}  // namespace gpulab
