// The rung above the ladder: what NVIDIA ships. cub::DeviceHistogram keeps a histogram per block in shared memory, too
// (in global memory where there are more bins than that holds), loads several elements at once, and merges runs of
// equal ones in registers before they become atomics.
#include <cuda_runtime.h>

#include <cub/device/device_histogram.cuh>
#include <string>

#include "common/launch_error.h"
#include "labs/atomics/vendor.h"

namespace gpulab::labs::atomics {
namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  throw LaunchError(error == cudaErrorMemoryAllocation ? "out_of_memory" : "fault",
                    std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error), "cub::DeviceHistogram");
}

/// CUB's two-phase call: without a workspace it only says how large it must be. `bins` bins of width 1 from 0 on.
cudaError_t histogram(const VendorCall& call, void* workspace, std::size_t& bytes) {
  const int n = static_cast<int>(call.params->integer("n")), bins = static_cast<int>(call.params->integer("bins"));
  const auto* in = static_cast<const int*>(call.buffers.at("in"));
  auto* counts = static_cast<int*>(call.buffers.at("counts"));
  return cub::DeviceHistogram::HistogramEven(workspace, bytes, in, counts, bins + 1, 0, bins, n);
}

std::size_t workspace_bytes(const VendorCall& call) {
  std::size_t bytes = 0;
  check(histogram(call, nullptr, bytes));
  return bytes;
}

void run(const VendorCall& call) {
  if (call.params->integer("n") == 0) return;  // the counts are zeros already
  std::size_t bytes = call.workspace_bytes;
  check(histogram(call, call.workspace, bytes));
}

}  // namespace

Vendor cub_vendor() { return {&workspace_bytes, &run}; }

}  // namespace gpulab::labs::atomics
