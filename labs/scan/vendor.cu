// The rung above the ladder: what NVIDIA ships. cub::DeviceScan is a single pass with decoupled look-back; loads, items
// per thread and the delay between two looks are tuned by architecture and type.
#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <limits>
#include <string_view>

#include "labs/vendor_code.h"

namespace gpulab::labs::scan {
namespace {

using namespace vendor;

constexpr const char* name = "cub::DeviceScan";

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

/// CUB's two-phase call: without a workspace it only says how large it must be.
template <typename T, typename Op>
void scan(const Call& call, void* workspace, std::size_t& bytes, Op op, T nothing) {
  const auto* in = buffer<const T>(call, "in");
  auto* out = buffer<T>(call, "out");
  const int n = static_cast<int>(integer(call, "n"));
  if (word(call, "kind") == "inclusive") {
    check(cub::DeviceScan::InclusiveScan(workspace, bytes, in, out, op, n), name);
  } else {
    check(cub::DeviceScan::ExclusiveScan(workspace, bytes, in, out, op, nothing, n), name);
  }
}

template <typename T>
void by_operation(const Call& call, void* workspace, std::size_t& bytes) {
  using Limits = std::numeric_limits<T>;
  const auto word = vendor::word(call, "op");
  if (word == "sum") return scan(call, workspace, bytes, cuda::std::plus<>{}, T{0});  // CUB is tuned for this one
  if (word == "product") return scan(call, workspace, bytes, Multiply{}, T{1});
  if (word == "max") {
    return scan(call, workspace, bytes, Larger{}, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  }
  throw std::logic_error("unknown op " + std::string(word));
}

void by_type(const Call& call, void* workspace, std::size_t& bytes) {
  const auto type = word(call, "type");
  if (type == "int") return by_operation<std::int32_t>(call, workspace, bytes);
  if (type == "float") return by_operation<float>(call, workspace, bytes);
  throw std::logic_error("unknown type " + std::string(type));
}

std::size_t workspace_bytes(const Call& call) {
  std::size_t bytes = 0;
  by_type(call, nullptr, bytes);
  return bytes;
}

void run(const Call& call) {
  std::size_t bytes = call.workspace_bytes;
  if (integer(call, "n") > 0) by_type(call, call.workspace, bytes);
}

constexpr Function functions[] = {function<workspace_bytes, run>("scan.cub")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::scan
