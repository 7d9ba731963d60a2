// right: one thread starts a child grid and a tail launch; the tail comes after the child, the host after both.
#include <cstdio>

// build: -rdc=true
__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void sum(const int* x, int n, int* total) {
  int s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  *total = s;
}

__global__ void parent(int* x, int* total) {
  if (threadIdx.x == 0) {
    fill<<<1, 64>>>(x);
    sum<<<1, 1, 0, cudaStreamTailLaunch>>>(x, 64, total);
  }
}

int main() {
  int *x, *total, result = -1;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  parent<<<1, 32>>>(x, total);
  cudaDeviceSynchronize();
  cudaMemcpy(&result, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(x);
  cudaFree(total);
  return result != 2016;
}
