#pragma once
// Time on a GPU: CUDA events around queued work; and the SMs' clock right before and after it.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/device/gpu/driver_api.h"

namespace gpulab {

/// Needs its context current, at destruction too.
class GpuTimer {
 public:
  /// `l2_bytes`: of the GPU's L2 cache, which a cold measurement overwrites.
  GpuTimer(const DriverApi& driver, std::size_t l2_bytes);
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// Milliseconds on the GPU from before `work` (launches only) to its end. Resolution: about 0.5 microseconds.
  double time(const std::function<void()>& work, bool cold);
  /// Of an SM beside the last `time`: clock64 against globaltimer, the mean of right before and right after. 0: not
  /// read.
  [[nodiscard]] double sm_mhz() const { return sm_mhz_; }

 private:
  void flush_l2();
  void hold_stream(std::uint64_t nanoseconds, std::size_t reading);
  void read_clock();

  const DriverApi& driver_;
  std::size_t flush_bytes_;
  CUevent start_ = nullptr, stop_ = nullptr;
  CUdeviceptr flush_buffer_ = 0;
  CUdeviceptr readings_ = 0;  ///< what the holds before and after the work have seen
  CUmodule hold_module_ = nullptr;
  CUfunction hold_ = nullptr;
  unsigned flushes_ = 0;
  double sm_mhz_ = 0;
};

}  // namespace gpulab
