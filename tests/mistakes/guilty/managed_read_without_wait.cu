// mistake: the host reads managed memory right after the launch.
// happens: the kernel may not have begun; the host sees old values.
// to say: the host's read at BUG is not ordered after the kernel of BUG2; cudaDeviceSynchronize() between them.
#include <cstdio>

// how: sanitize
// says: cudaDeviceSynchronize|cudaStreamSynchronize|synchroni[sz]e
__global__ void addOne(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main() {
  const int n = 256;
  int* values;
  cudaMallocManaged(&values, n * sizeof(int));
  for (int i = 0; i < n; ++i) values[i] = i;
  addOne<<<4, 64>>>(values);  // BUG2
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += values[i];  // BUG
  }
  cudaDeviceSynchronize();
  printf("sum %d (32896 is right)\n", sum);
  cudaFree(values);
}
