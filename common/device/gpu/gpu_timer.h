#pragma once
// Time on a GPU: CUDA events around queued work.

#include <cstddef>
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

 private:
  void flush_l2();
  void hold_stream();

  const DriverApi& driver_;
  std::size_t flush_bytes_;
  CUevent start_ = nullptr, stop_ = nullptr;
  CUdeviceptr flush_buffer_ = 0;
  CUmodule hold_module_ = nullptr;
  CUfunction hold_ = nullptr;
  unsigned flushes_ = 0;
};

}  // namespace gpulab
