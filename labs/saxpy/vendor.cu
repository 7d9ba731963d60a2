// The array level: no kernel, no index, no launch. One says what happens to each element; Thrust, which comes with the
// toolkit, makes a kernel of it and chooses blocks, elements per thread and loads.
#include <thrust/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

#include "labs/vendor_code.h"

namespace gpulab::labs::saxpy {
namespace {

using namespace vendor;

struct ScaleAndAdd {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

std::size_t no_workspace(const Call&) { return 0; }

void run(const Call& call) {
  const auto n = integer(call, "n");
  const auto* x = buffer<const float>(call, "x");
  auto* y = buffer<float>(call, "y");
  try {
    // Without a wait at its end, as our kernels are launched.
    thrust::transform(thrust::cuda::par_nosync, x, x + n, y, y, ScaleAndAdd{static_cast<float>(real(call, "a"))});
  } catch (const thrust::system_error& error) {
    throw Error(Failure::fault, error.what(), "thrust::transform");
  }
}

constexpr Function functions[] = {function<no_workspace, run>("saxpy.thrust")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::saxpy
