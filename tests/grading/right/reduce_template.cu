// right: reduce total total
// A template in a namespace, with a second parameter that has a default, and a program around it.
#include <iostream>
#include <vector>

namespace mine {
template <typename T>
__device__ T add(T a, T b) {
  return a + b;
}

template <typename T, int PER_THREAD = 4>
__global__ void __launch_bounds__(512) total(const T* __restrict__ x, T* __restrict__ y, const int size) {
  extern __shared__ unsigned char memory[];
  T* s = reinterpret_cast<T*>(memory);
  T sum = 0;
  const int first = blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k)
    if (first + k * int(blockDim.x) < size) sum = add(sum, x[first + k * blockDim.x]);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int step = blockDim.x / 2; step > 0; step >>= 1) {
    if (threadIdx.x < step) s[threadIdx.x] = add(s[threadIdx.x], s[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(y, s[0]);
}
}  // namespace mine

int main() {
  std::vector<float> host(1000, 1.0f);
  float *in, *out;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 4);
  cudaMemcpy(in, host.data(), 4000, cudaMemcpyHostToDevice);
  cudaMemset(out, 0, 4);
  mine::total<<<1, 256, 1024>>>(in, out, 1000);
  std::cout << cudaGetErrorString(cudaDeviceSynchronize()) << "\n";
}
