// A kernel whose inputs are variables of the module and a struct by value; extern "C", so that only the source says
// what its parameters are.
struct Shape {
  float scale;
  int shift;
  double* unused = nullptr;
};

__constant__ float factors[4];
__device__ int calls;
namespace lab {
__device__ float bias;
}

extern "C" __global__ void weigh(const float* __restrict__ in, Shape shape, int n, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i] * factors[i % 4] + shape.scale + shape.shift + lab::bias;
  atomicAdd(&calls, 1);
}
