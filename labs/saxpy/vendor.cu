// The array level: no kernel, no index, no launch. One says what happens to each element; Thrust, which comes with the
// toolkit, makes a kernel of it and chooses blocks, elements per thread and loads.
#include <thrust/execution_policy.h>
#include <thrust/system_error.h>
#include <thrust/transform.h>

#include "labs/vendor_code.h"

namespace gpulab::labs::saxpy {
namespace {

using namespace vendor;

template <typename T>
struct ScaleAndAdd {
  T a;
  __host__ __device__ T operator()(T x, T y) const { return a * x + y; }
};

std::size_t no_workspace(const Call&) { return 0; }

template <typename T>
void run_typed(const Call& call) {
  const auto n = integer(call, "n");
  const auto* x = buffer<const T>(call, "x");
  auto* y = buffer<T>(call, "y");
  try {
    // Without a wait at its end, as our kernels are launched.
    thrust::transform(thrust::cuda::par_nosync, x, x + n, y, y, ScaleAndAdd<T>{static_cast<T>(real(call, "a"))});
  } catch (const thrust::system_error& error) {
    throw Error(Failure::fault, error.what(), "thrust::transform");
  }
}
void run(const Call& call) { word(call, "type") == "float" ? run_typed<float>(call) : run_typed<double>(call); }

constexpr Function functions[] = {function<no_workspace, run>("saxpy.thrust")};

}  // namespace

std::span<const Function> vendor_functions() { return functions; }

}  // namespace gpulab::labs::saxpy
