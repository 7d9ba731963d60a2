// Two files whose kernels share functions and variables (-rdc=true), with names of their own that are alike, and a kernel that launches
// one.
#include <cstdio>

#include "other.h"

__device__ int counter = 5;
static __device__ int own = 1;

__global__ void child(int* x) { x[6] += 500; }
__global__ void kernel(int* x) {
  x[threadIdx.x] = twice(threadIdx.x) + table[threadIdx.x % 4] + own;
  atomicAdd(&counter, 1);
  if (threadIdx.x == 0) child<<<1, 1>>>(x);
}

int main() {
  int *x, seen[8], count = 0;
  cudaMalloc(&x, sizeof seen);
  kernel<<<1, 8>>>(x);
  other<<<1, 1>>>(x);
  cudaMemcpy(seen, x, sizeof seen, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  for (const int value : seen) std::printf("%d ", value);
  std::printf("%d %s\n", count, cudaGetErrorString(cudaGetLastError()));
  cudaFree(x);
}
