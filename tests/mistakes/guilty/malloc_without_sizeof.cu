// mistake: cudaMalloc is told the number of doubles where it wants bytes.
// happens: the buffer holds an eighth of what the kernel writes.
// to say: write past the end of 300 bytes at BUG2, allocated at BUG: n * sizeof(double).
#include <cstdio>

// how: plain
// says: sizeof|bytes, not (the number of )?elements|(allocation|buffer|cudaMalloc).{0,60}(too small|holds (only )?37)
__global__ void fill(double* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    values[i] = i * 0.5;  // BUG2
  }
}

int main() {
  const int n = 300;
  double* values;
  double last = -1;
  cudaMalloc(&values, n);  // BUG
  fill<<<3, 100>>>(values, n);
  cudaDeviceSynchronize();
  cudaMemcpy(&last, values + 9, sizeof(double), cudaMemcpyDeviceToHost);
  printf("%g (4.5 is right)\n", last);
  cudaFree(values);
}
