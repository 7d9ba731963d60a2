// The rung above the ladder: what NVIDIA ships. cub::DeviceReduce picks vector loads, items per thread and block by
// architecture and type, reduces blocks to partial results in a first kernel and those in a second.
#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <limits>
#include <string>
#include <type_traits>

#include "common/launch_error.h"
#include "labs/reduce/vendor.h"

namespace gpulab::labs::reduce {
namespace {

enum class Op { sum, product, min, max };

struct Multiply {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  throw LaunchError(error == cudaErrorMemoryAllocation ? "out_of_memory" : "fault",
                    std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error), "cub::DeviceReduce");
}

Op op_of(const Params& params) {
  const std::string& word = params.word("op");
  if (word == "sum") return Op::sum;
  if (word == "product") return Op::product;
  if (word == "min") return Op::min;
  if (word == "max") return Op::max;
  throw std::logic_error("cub: unknown op " + word);
}

/// The answer for no elements.
template <typename T>
T neutral(Op op) {
  using Limits = std::numeric_limits<T>;
  if (op == Op::sum) return T{0};
  if (op == Op::product) return T{1};
  if constexpr (Limits::has_infinity) return op == Op::min ? Limits::infinity() : -Limits::infinity();
  return op == Op::min ? Limits::max() : Limits::lowest();
}

/// CUB's two-phase call: without a workspace it only says how large it must be.
template <typename T>
cudaError_t device_reduce(Op op, void* workspace, std::size_t& bytes, const T* in, T* out, int n) {
  using Reduce = cub::DeviceReduce;
  if (op == Op::sum) return Reduce::Sum(workspace, bytes, in, out, n);
  if (op == Op::min) return Reduce::Min(workspace, bytes, in, out, n);
  if (op == Op::max) return Reduce::Max(workspace, bytes, in, out, n);
  return Reduce::Reduce(workspace, bytes, in, out, n, Multiply{}, T{1});
}

template <typename T>
std::size_t workspace_bytes_of(const VendorCall& call) {
  std::size_t bytes = 0;
  const int n = static_cast<int>(call.params->integer("n"));
  check(device_reduce<T>(op_of(*call.params), nullptr, bytes, nullptr, nullptr, n));
  return bytes;
}

template <typename T>
void run_of(const VendorCall& call) {
  const Op op = op_of(*call.params);
  const int n = static_cast<int>(call.params->integer("n"));
  const auto* in = static_cast<const T*>(call.buffers.at("in"));
  auto* out = static_cast<T*>(call.buffers.at("out"));
  const T nothing = neutral<T>(op);
  // From pageable memory: the value is taken before the call returns.
  if (n == 0) return check(cudaMemcpyAsync(out, &nothing, sizeof(T), cudaMemcpyHostToDevice, nullptr));
  std::size_t bytes = call.workspace_bytes;
  check(device_reduce<T>(op, call.workspace, bytes, in, out, n));
}

/// `work` with a value of the case's element type.
template <typename F>
auto by_type(const VendorCall& call, const F& work) {
  const auto type = *scalar_named(call.params->word("type"));
  if (type == Scalar::i32) return work(std::int32_t{});
  if (type == Scalar::i64) return work(std::int64_t{});
  if (type == Scalar::f32) return work(float{});
  if (type == Scalar::f64) return work(double{});
  throw std::logic_error("cub: unknown type " + call.params->word("type"));
}

std::size_t workspace_bytes(const VendorCall& call) {
  return by_type(call, [&](auto value) { return workspace_bytes_of<decltype(value)>(call); });
}

void run(const VendorCall& call) {
  by_type(call, [&](auto value) { run_of<decltype(value)>(call); });
}

}  // namespace

Vendor cub_vendor() { return {&workspace_bytes, &run}; }

}  // namespace gpulab::labs::reduce
