// The rung above the ladder: what NVIDIA ships. cub::DeviceScan is a single pass with decoupled look-back; loads, items
// per thread and the delay between two looks are tuned by architecture and type.
#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <string>

#include "common/launch_error.h"
#include "labs/scan/vendor.h"

namespace gpulab::labs::scan {
namespace {

struct Plus {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
  __host__ __device__ std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
  }
};
struct Multiply {
  __host__ __device__ float operator()(float a, float b) const { return a * b; }
  __host__ __device__ std::int32_t operator()(std::int32_t a, std::int32_t b) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
  }
};
struct Larger {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  throw LaunchError(error == cudaErrorMemoryAllocation ? "out_of_memory" : "fault",
                    std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error), "cub::DeviceScan");
}

/// CUB's two-phase call: without a workspace it only says how large it must be.
template <typename T, typename Op>
void scan(const VendorCall& call, void* workspace, std::size_t& bytes, Op op, T nothing) {
  const auto* in = static_cast<const T*>(call.buffers.at("in"));
  auto* out = static_cast<T*>(call.buffers.at("out"));
  const int n = static_cast<int>(call.params->integer("n"));
  if (call.params->word("kind") == "inclusive") {
    check(cub::DeviceScan::InclusiveScan(workspace, bytes, in, out, op, n));
  } else {
    check(cub::DeviceScan::ExclusiveScan(workspace, bytes, in, out, op, nothing, n));
  }
}

template <typename T>
void by_operation(const VendorCall& call, void* workspace, std::size_t& bytes) {
  using Limits = std::numeric_limits<T>;
  const std::string& word = call.params->word("op");
  if (word == "sum") return scan(call, workspace, bytes, Plus{}, T{0});
  if (word == "product") return scan(call, workspace, bytes, Multiply{}, T{1});
  if (word == "max") {
    return scan(call, workspace, bytes, Larger{}, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  }
  throw std::logic_error("cub: unknown op " + word);
}

void by_type(const VendorCall& call, void* workspace, std::size_t& bytes) {
  const auto type = *scalar_named(call.params->word("type"));
  if (type == Scalar::i32) return by_operation<std::int32_t>(call, workspace, bytes);
  if (type == Scalar::f32) return by_operation<float>(call, workspace, bytes);
  throw std::logic_error("cub: unknown type " + call.params->word("type"));
}

std::size_t workspace_bytes(const VendorCall& call) {
  std::size_t bytes = 0;
  by_type(call, nullptr, bytes);
  return bytes;
}

void run(const VendorCall& call) {
  std::size_t bytes = call.workspace_bytes;
  if (call.params->integer("n") > 0) by_type(call, call.workspace, bytes);
}

}  // namespace

Vendor cub_vendor() { return {&workspace_bytes, &run}; }

}  // namespace gpulab::labs::scan
