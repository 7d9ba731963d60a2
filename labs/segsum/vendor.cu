// What NVIDIA ships, and the rung above the ladder.
//
// cub::DeviceSegmentedReduce sums segments of one array, one block per segment. Ours has a segment for each bag and
// feature, whose elements lie `features` apart: an iterator hands them out as if they were side by side. Empty segments
// become 0, so a second pass puts the default there.
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>

#include "labs/segsum/features.h"
#include "labs/vendor_code.h"

namespace gpulab::labs::segsum {
namespace {

using namespace vendor;

constexpr const char* name = "cub::DeviceSegmentedReduce";
constexpr long width = features;

/// The elements of x feature by feature: element i is row i % rows of feature i / rows.
struct ByFeature {
  const float* x;
  const int* first_row;
  int bags;
  __device__ float operator()(long i) const {
    const long rows = first_row[bags];
    return x[i % rows * width + i / rows];
  }
};
/// Where the segment of bag s / width and feature s % width begins (or, `behind` 1, ends) among them.
struct Boundary {
  const int* first_row;
  int bags, behind;
  __device__ long operator()(long s) const { return s % width * first_row[bags] + first_row[s / width + behind]; }
};
struct FillEmpty {
  const int* first_row;
  const float* fallback;
  float* out;
  __device__ void operator()(long s) const {
    if (first_row[s / width] == first_row[s / width + 1]) out[s] = fallback[s % width];
  }
};

/// CUB's two-phase call: without a workspace it only says how large it must be.
cudaError_t segmented_sum(const Call& call, void* workspace, std::size_t& bytes) {
  const int bags = static_cast<int>(integer(call, "bags"));
  const auto* first_row = buffer<const int>(call, "first_row");
  const thrust::counting_iterator<long> from_zero(0);
  const auto x = thrust::make_transform_iterator(from_zero, ByFeature{buffer<const float>(call, "x"), first_row, bags});
  const auto begins = thrust::make_transform_iterator(from_zero, Boundary{first_row, bags, 0});
  const auto ends = thrust::make_transform_iterator(from_zero, Boundary{first_row, bags, 1});
  return cub::DeviceSegmentedReduce::Sum(workspace, bytes, x, buffer<float>(call, "out"), bags * width, begins, ends);
}

std::size_t workspace_bytes(const Call& call) {
  std::size_t bytes = 0;
  check(segmented_sum(call, nullptr, bytes), name);
  return bytes;
}

void run(const Call& call) {
  const long bags = integer(call, "bags");
  if (bags == 0) return;
  std::size_t bytes = call.workspace_bytes;
  check(segmented_sum(call, call.workspace, bytes), name);
  const FillEmpty fill{buffer<const int>(call, "first_row"), buffer<const float>(call, "fallback"),
                       buffer<float>(call, "out")};
  const thrust::counting_iterator<long> from_zero(0);
  thrust::for_each(thrust::cuda::par_nosync, from_zero, from_zero + bags * width, fill);
}

constexpr Function functions[] = {function<workspace_bytes, run>("segsum.cub")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::segsum
