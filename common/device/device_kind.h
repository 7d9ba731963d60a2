#pragma once
// A kind of device is one folder: common/device/FOLDER/kind.cpp defines `extern const DeviceKind FOLDER` in the
// namespace `gpulab::device_kind`, and the build finds it there (scripts/cmake/device_kinds.cmake). Whoever chooses,
// opens or lists devices asks the kinds and knows none of them by name: `--device`, `gpulab devices`, `gpulab doctor`,
// worker processes.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/device/simulator/simulated.h"
#include "common/system_check.h"

namespace gpulab {

/// Which device of a kind, and how it is to run kernels. A kind takes what it has a use for.
struct DeviceRequest {
  int index = 0;                  ///< of several of the kind
  std::string profile{};          ///< the GPU to model (configs/gpus); empty: as the kind sees fit
  SimulatorOptions simulation{};  ///< threads, tools, what is counted
};

struct DeviceKind {
  std::string_view name;            ///< behind --device, and DeviceInfo::kind: "gpu", "sim"
  std::string_view noun;            ///< for people: "a GPU", "the simulator"
  bool numbered = false;            ///< there may be several: "gpu:1" is the second
  bool faults_end_process = false;  ///< its cases run in a worker process, which is replaced after a fault
  /// `--device auto` takes the kind of the highest rank that is here and can do what is asked for.
  int rank = 0;
  Capabilities capabilities;  ///< of its devices, at most

  /// Why this machine has none, as a sentence; empty where there is one.
  std::string (*problem)();
  /// Those that are here, by number. A kind that models GPUs has none of its own.
  std::vector<DeviceInfo> (*present)();
  /// What one is, without opening it. Throws Error (missing) where it is not here.
  DeviceInfo (*describe)(const DeviceRequest& request);
  /// The same errors.
  std::unique_ptr<Device> (*open)(const DeviceRequest& request);
  /// Its part of `gpulab devices`: a heading, and a line for each.
  std::string (*listing)();
  /// Its lines of `gpulab doctor`.
  std::vector<SystemCheck> (*checks)();
};

/// Every kind, the highest rank first.
[[nodiscard]] std::span<const DeviceKind* const> device_kinds();
/// nullptr where there is none of that name.
[[nodiscard]] const DeviceKind* find_device_kind(std::string_view name);

/// One device by its name: "sim", "gpu", "gpu:1".
struct DeviceName {
  const DeviceKind* kind = nullptr;
  std::optional<int> index;
};
/// Nothing where no kind is called so, or its devices have no numbers.
[[nodiscard]] std::optional<DeviceName> parse_device_name(std::string_view text);
/// The way back: "gpu:1".
[[nodiscard]] std::string device_name(const DeviceKind& kind, int index);

}  // namespace gpulab
