// right: while a kernel works on one managed buffer, the host fills another; where a GPU cannot have that, it waits
// first.
#include <cstdio>

__global__ void work(int* x) {
  unsigned v = x[threadIdx.x];
  for (int k = 0; k < 300; ++k) v = v * 5 + 1;
  x[threadIdx.x] = v & 1;
}

int main() {
  const int n = 4096;
  int *a, *b, together = 0;
  cudaDeviceGetAttribute(&together, cudaDevAttrConcurrentManagedAccess, 0);
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n * sizeof(int));
  for (int i = 0; i < n; ++i) a[i] = i;
  work<<<1, 128>>>(a);
  if (!together) cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i) b[i] = i + 1;
  work<<<1, 128>>>(b);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 128; ++i) sum += a[i] + b[i];
  printf("%d\n", sum);
  cudaFree(a);
  cudaFree(b);
  return sum != 128;
}
