// long
// case: --print-gpu-trace :: 0
// err: (?s)late\(int\*\).*\(2 more are not kept\)
#include <cuda_runtime.h>

// The trace keeps 100000 activities, and each kernel's first launch behind them: whoever compares first launches needs it.
__global__ void late(int* x) { *x += 1; }

int main() {
  int *x, one = 1;
  cudaMalloc(&x, sizeof one);
  for (int i = 0; i < 100001; ++i) cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice);
  for (int i = 0; i < 2; ++i) late<<<1, 1>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}
