// What NVIDIA ships, and what array code falls back to where the GPU has no fitting kernel.
//
// cub::DeviceSegmentedReduce sums segments of one array, one block per segment. Ours has a segment for each bag and
// feature, whose elements lie `features` apart: an iterator hands them out as if they were side by side. Empty segments
// become 0, so a second pass puts the default there.
#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_reduce.cuh>
#include <string>
#include <vector>

#include "common/launch_error.h"
#include "labs/segsum/bags.h"
#include "labs/segsum/vendor.h"

namespace gpulab::labs::segsum {
namespace {

void check(cudaError_t error, const char* where) {
  if (error == cudaSuccess) return;
  throw LaunchError(error == cudaErrorMemoryAllocation ? "out_of_memory" : "fault",
                    std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error), where);
}

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
cudaError_t segmented_sum(const VendorCall& call, void* workspace, std::size_t& bytes) {
  const int bags = static_cast<int>(call.params->integer("bags"));
  const auto* first_row = static_cast<const int*>(call.buffers.at("first_row"));
  const thrust::counting_iterator<long> from_zero(0);
  const auto x = thrust::make_transform_iterator(
      from_zero, ByFeature{static_cast<const float*>(call.buffers.at("x")), first_row, bags});
  const auto begins = thrust::make_transform_iterator(from_zero, Boundary{first_row, bags, 0});
  const auto ends = thrust::make_transform_iterator(from_zero, Boundary{first_row, bags, 1});
  return cub::DeviceSegmentedReduce::Sum(workspace, bytes, x, static_cast<float*>(call.buffers.at("out")), bags * width,
                                         begins, ends);
}

std::size_t workspace_bytes(const VendorCall& call) {
  std::size_t bytes = 0;
  check(segmented_sum(call, nullptr, bytes), "cub::DeviceSegmentedReduce");
  return bytes;
}

void run_cub(const VendorCall& call) {
  const long bags = call.params->integer("bags");
  if (bags == 0) return;
  std::size_t bytes = call.workspace_bytes;
  check(segmented_sum(call, call.workspace, bytes), "cub::DeviceSegmentedReduce");
  const FillEmpty fill{static_cast<const int*>(call.buffers.at("first_row")),
                       static_cast<const float*>(call.buffers.at("fallback")),
                       static_cast<float*>(call.buffers.at("out"))};
  const thrust::counting_iterator<long> from_zero(0);
  thrust::for_each(thrust::cuda::par_nosync, from_zero, from_zero + bags * width, fill);
}

template <typename T>
std::vector<T> downloaded(const VendorCall& call, const char* buffer, std::size_t count) {
  std::vector<T> host(count);
  if (count == 0) return host;
  check(cudaMemcpy(host.data(), call.buffers.at(buffer), count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return host;
}

/// All of x over the bus, a loop on the CPU, the sums back. cudaMemcpy waits for what runs on the GPU before.
void run_round_trip(const VendorCall& call) {
  const auto bags = static_cast<std::size_t>(call.params->integer("bags"));
  if (bags == 0) return;
  const auto first_row = downloaded<int>(call, "first_row", bags + 1);
  const auto x = downloaded<float>(call, "x", static_cast<std::size_t>(first_row.back()) * features);
  const auto fallback = downloaded<float>(call, "fallback", features);
  std::vector<float> out(bags * features);
  sum_bags(x, first_row, fallback, out);
  check(cudaMemcpy(call.buffers.at("out"), out.data(), out.size() * sizeof(float), cudaMemcpyHostToDevice),
        "cudaMemcpy");
}

}  // namespace

Vendor cub_vendor() { return {&workspace_bytes, &run_cub}; }
Vendor round_trip_vendor() { return {nullptr, &run_round_trip}; }

}  // namespace gpulab::labs::segsum
