// The rung above the ladder: what NVIDIA ships. cub::DeviceHistogram keeps a histogram per block in shared memory, too
// (in global memory where there are more bins than that holds), loads several elements at once, and merges runs of
// equal ones in registers before they become atomics.
#include <cub/device/device_histogram.cuh>

#include "labs/vendor_code.h"

namespace gpulab::labs::atomics {
namespace {

using namespace vendor;

/// CUB's two-phase call: without a workspace it only says how large it must be. `bins` bins of width 1 from 0 on.
cudaError_t histogram(const Call& call, void* workspace, std::size_t& bytes) {
  const int n = static_cast<int>(integer(call, "n")), bins = static_cast<int>(integer(call, "bins"));
  const auto* in = buffer<const int>(call, "in");
  auto* counts = buffer<int>(call, "counts");
  return cub::DeviceHistogram::HistogramEven(workspace, bytes, in, counts, bins + 1, 0, bins, n);
}

std::size_t workspace_bytes(const Call& call) {
  std::size_t bytes = 0;
  check(histogram(call, nullptr, bytes), "cub::DeviceHistogram");
  return bytes;
}

void run(const Call& call) {
  if (integer(call, "n") == 0) return;  // the counts are zeros already
  std::size_t bytes = call.workspace_bytes;
  check(histogram(call, call.workspace, bytes), "cub::DeviceHistogram");
}

constexpr Function functions[] = {function<workspace_bytes, run>("atomics.cub")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::atomics
