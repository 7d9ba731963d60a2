#include "common/cuda_api/runtime/libraries/library_kernels.h"

#include <vector>

#include "common/device/simulator/simulated.h"

namespace gpulab::cuda_api {
namespace {

std::unique_ptr<Device> opened(const GpuProfile& profile, int threads) {
  SimulatorOptions options;
  options.threads = threads;
  options.counters = false;
  return make_simulator(profile, options);
}

}  // namespace

LibraryKernels::LibraryKernels(const GpuProfile& profile, int threads) : device_(opened(profile, threads)) {}

void LibraryKernels::run(const LibraryKernel& kernel, std::uint32_t count, std::span<const std::byte> in,
                         std::span<std::byte> out, std::span<const std::byte> argument) {
  if (count == 0) return;
  const std::lock_guard lock(mutex_);
  if (loaded_.emplace(kernel.module).second) device_->load({kernel.module, kernel.ptx, {}});
  const DevicePointer from = device_->allocate("in", in.size()), to = device_->allocate("out", out.size());
  device_->write(from, in);
  constexpr std::uint32_t block = 128;
  const std::vector<KernelArgument> arguments{KernelArgument::of(from), KernelArgument::of(to),
                                              KernelArgument::of(count),
                                              KernelArgument{{argument.begin(), argument.end()}}};
  device_->launch(device_->kernel_of(kernel.module, kernel.entry), {{(count + block - 1) / block}, {block}}, arguments);
  device_->synchronize();
  device_->read(out, to);
  device_->release(from);
  device_->release(to);
}

}  // namespace gpulab::cuda_api
