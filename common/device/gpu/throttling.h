#pragma once
// Whether a GPU's clock is held back, by NVML (libnvidia-ml.so.1), which is loaded at run time as the driver is.

#include <cstdint>
#include <string>

namespace gpulab {

class Throttling {
 public:
  /// Of the GPU at this place on the bus ("0000:1b:00.0").
  explicit Throttling(const std::string& pci_bus_id);

  /// Why the clock is held back now: "power cap, thermal slowdown"; empty: it is not, or nobody can tell.
  [[nodiscard]] std::string now() const;
  /// Why nobody can tell: the dynamic loader's words, or NVML's; empty where it can be told.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void* handle_ = nullptr;  ///< nvmlDevice_t
  std::string problem_;
};

/// The reasons that NVML's mask names and that take speed from a kernel; not: that nothing runs, or that somebody has
/// set the clock.
[[nodiscard]] std::string throttle_reasons(std::uint64_t mask);

/// Why NVML cannot be asked; empty where it can.
[[nodiscard]] const std::string& nvml_problem();

}  // namespace gpulab
