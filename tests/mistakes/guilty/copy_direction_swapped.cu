// mistake: the input goes to the GPU with cudaMemcpyDeviceToHost.
// happens: the call fails with cudaErrorInvalidValue and nothing is copied; nobody looks.
// to say: the copy at BUG failed: its kind does not fit its pointers; cudaMemcpyHostToDevice, or cudaMemcpyDefault.
#include <cstdio>

// how: plain
// says: HostToDevice|cudaMemcpyDefault|direction|host to device
__global__ void negate(int* values) { values[threadIdx.x] = -values[threadIdx.x]; }

int main() {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i + 1;
  int* values;
  cudaMalloc(&values, sizeof(host));
  cudaMemset(values, 0, sizeof(host));
  cudaMemcpy(values, host, sizeof(host), cudaMemcpyDeviceToHost);  // BUG
  negate<<<1, 64>>>(values);
  cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (-64 is right)\n", host[63]);
  cudaFree(values);
}
