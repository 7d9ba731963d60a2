#pragma once
// Kernels that libraries compute with (LibraryRuntime::compute), on a simulator of their own.

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "common/cuda_api/libraries/library_runtime.h"
#include "common/device/device.h"
#include "common/gpu_profile.h"

namespace gpulab::cuda_api {

class LibraryKernels {
 public:
  /// The profile outlives it.
  LibraryKernels(const GpuProfile& profile, int threads);
  void run(const LibraryKernel& kernel, std::uint32_t count, std::span<const std::byte> in, std::span<std::byte> out,
           std::span<const std::byte> argument);

 private:
  std::mutex mutex_;
  std::unique_ptr<Device> device_;
  std::set<std::string, std::less<>> loaded_;
};

}  // namespace gpulab::cuda_api
