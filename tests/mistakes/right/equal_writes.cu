// right: many threads may store to *found at once, but all of them store 1; nobody reads it before the kernel ends.
#include <cstdio>

__global__ void anyNegative(const int* x, int n, int* found) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] < 0) *found = 1;
  }
}

int main() {
  const int n = 700;
  int host[n], *x, *found, result = -1;
  for (int i = 0; i < n; ++i) host[i] = i % 3 - 1;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&found, sizeof(int));
  cudaMemset(found, 0, sizeof(int));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  anyNegative<<<3, 128>>>(x, n, found);
  cudaMemcpy(&result, found, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(x);
  cudaFree(found);
  return result != 1;
}
