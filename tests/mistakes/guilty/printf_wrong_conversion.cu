// mistake: %d prints a float in a kernel.
// happens: the bits of the double are shown as an int; the number is nonsense.
// to say: at BUG the conversion %d gets a double; %f or %g.
#include <cstdio>

// how: plain
// says: format|%[fge]|float|double
__global__ void report(const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 2.0f) {
    printf("large: %d at %d\n", x[i], i);  // BUG
  }
}

int main() {
  float host[8] = {0.5f, 1.5f, 2.5f, 0, 0, 0, 0, 3.5f};
  float* x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  report<<<2, 4>>>(x, 8);
  cudaDeviceSynchronize();
  cudaFree(x);
}
