// right: in place, and no race: each pair above the diagonal is swapped by one thread, and nobody else touches it.
#include <cstdio>
#include <vector>

__global__ void transpose(int* a, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < n && y < x) {
    int upper = a[y * n + x];
    a[y * n + x] = a[x * n + y];
    a[x * n + y] = upper;
  }
}

int main() {
  const int n = 45;
  std::vector<int> host(n * n);
  for (int i = 0; i < n * n; ++i) host[i] = i;
  int* a;
  cudaMalloc(&a, n * n * sizeof(int));
  cudaMemcpy(a, host.data(), n * n * sizeof(int), cudaMemcpyHostToDevice);
  transpose<<<dim3(3, 3), dim3(16, 16)>>>(a, n);
  cudaMemcpy(host.data(), a, n * n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) wrong += host[y * n + x] != x * n + y;
  }
  printf("wrong elements: %d\n", wrong);
  cudaFree(a);
  return wrong;
}
