// The rung above the ladder: what NVIDIA ships. cub::DeviceReduce picks vector loads, items per thread and block by
// architecture and type, reduces blocks to partial results in a first kernel and those in a second.
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <limits>
#include <string_view>

#include "labs/vendor_code.h"

namespace gpulab::labs::reduce {
namespace {

using namespace vendor;

constexpr const char* name = "cub::DeviceReduce";

enum class Op { sum, product, min, max };

struct Multiply {
  template <typename T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a * b;
  }
};

Op op_of(const Call& call) {
  const auto word = vendor::word(call, "op");
  if (word == "sum") return Op::sum;
  if (word == "product") return Op::product;
  if (word == "min") return Op::min;
  if (word == "max") return Op::max;
  throw std::logic_error("unknown op " + std::string(word));
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
std::size_t workspace_bytes_of(const Call& call) {
  std::size_t bytes = 0;
  const int n = static_cast<int>(integer(call, "n"));
  check(device_reduce<T>(op_of(call), nullptr, bytes, nullptr, nullptr, n), name);
  return bytes;
}

template <typename T>
void run_of(const Call& call) {
  const Op op = op_of(call);
  const int n = static_cast<int>(integer(call, "n"));
  const auto* in = buffer<const T>(call, "in");
  auto* out = buffer<T>(call, "out");
  const T nothing = neutral<T>(op);
  // From pageable memory: the value is taken before the call returns.
  if (n == 0) return check(cudaMemcpyAsync(out, &nothing, sizeof(T), cudaMemcpyHostToDevice, nullptr), name);
  std::size_t bytes = call.workspace_bytes;
  check(device_reduce<T>(op, call.workspace, bytes, in, out, n), name);
}

/// `work` with a value of the case's element type.
template <typename F>
auto by_type(const Call& call, const F& work) {
  const auto type = word(call, "type");
  if (type == "int") return work(std::int32_t{});
  if (type == "long") return work(std::int64_t{});
  if (type == "float") return work(float{});
  if (type == "double") return work(double{});
  throw std::logic_error("unknown type " + std::string(type));
}

std::size_t workspace_bytes(const Call& call) {
  return by_type(call, [&](auto value) { return workspace_bytes_of<decltype(value)>(call); });
}

void run(const Call& call) {
  by_type(call, [&](auto value) { run_of<decltype(value)>(call); });
}

constexpr Function functions[] = {function<workspace_bytes, run>("reduce.cub")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::reduce
