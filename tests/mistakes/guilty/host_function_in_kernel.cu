// mistake: a kernel calls an ordinary function.
// happens: the compiler refuses it: the function exists for the host only.
// to say: at BUG a __host__ function is called from a kernel; __device__ (or __host__ __device__) before it.
#include <cstdio>

// build: fails
// how: plain
// says: __device__|__host__
float fahrenheit(float celsius) { return celsius * 1.8f + 32.0f; }

__global__ void convert(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = fahrenheit(x[i]);  // BUG
}

int main() {
  float host[4] = {0, 20, 37, 100}, *x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  convert<<<1, 32>>>(x, 4);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g (212 is right)\n", host[3]);
  cudaFree(x);
}
