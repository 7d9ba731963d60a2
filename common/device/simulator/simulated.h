#pragma once
// The embedded SIMT simulator behind the device interface.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "common/gpu_profile.h"
#include "common/simt/compiled/when.h"
#include "common/simt/machine/observer.h"
#include "common/trace/trace_window.h"

namespace gpulab {

struct SimulatorOptions {
  int threads = 0;             ///< CPU threads that blocks spread over; 0: all
  std::uint64_t budget = 0;    ///< warp instructions before a launch counts as hung; 0: the simulator's default
  std::uint64_t patience = 0;  ///< also where no block of it ends for so long (simt::GridOptions); 0: never
  simt::compiled::When compiled = simt::compiled::When::automatic;  ///< as machine code, where the machine has LLVM
  bool counters = true;                                             ///< count (common/counters.h); off costs nothing
  bool model = false;    ///< model the time of launches (Device::take_model), where the profile has been measured
  std::string timing{};  ///< the text of a file like configs/timing/*.json, in place of the build's own
  /// The model's L2 starts empty, as Nsight Compute leaves it; else full of lines that are still to be written back, as
  /// what a run of a lab writes to have a cold L2 leaves it.
  bool empty_l2 = false;
  /// Launches that would do again what an earlier one has done are not run (repeated_launches.h). Counters and models
  /// are to be taken behind each launch.
  bool repeats = false;
  bool lines = false;  ///< also count by source line and phase (Device::take_lines)
  /// Tools of compute-sanitizer: "memcheck", "racecheck", "initcheck", "synccheck". With any, one CPU thread runs all.
  std::vector<std::string> sanitize{};
  std::uint64_t print_limit = std::uint64_t{1} << 20;  ///< bytes of what kernels print that are kept; as a GPU's buffer
  std::uint64_t schedule = 0;  ///< seed of the interleaving of warps and blocks; 0: the fixed natural order
  std::optional<TraceWindow>
      trace{};  ///< keep what warps do, step by step (Device::take_steps); one CPU thread runs all
  /// Who else watches what kernels do. They must outlive the device.
  std::vector<simt::Observer*> observers{};
};

inline constexpr Capabilities simulator_capabilities{
    .counts = true, .models = true, .sanitizes = true, .uses_host_memory = true, .gpus = 16};

/// What a simulator that models `profile` says of itself.
[[nodiscard]] DeviceInfo simulator_info(const GpuProfile& profile);

/// A simulator that models `profile` for occupancy and residency. The profile must outlive it.
[[nodiscard]] std::unique_ptr<Device> make_simulator(const GpuProfile& profile, const SimulatorOptions& options = {});
std::unique_ptr<Device> make_simulator(GpuProfile&& profile, const SimulatorOptions& options = {}) = delete;

}  // namespace gpulab
