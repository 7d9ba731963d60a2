// right: an allocation that cannot be is tried on purpose; its error is looked at and cleared, a smaller one follows.
#include <cstdio>

__global__ void fill(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i;
}

int main() {
  size_t count = size_t(1) << 48;
  int* x = nullptr;
  while (cudaMalloc(&x, count * sizeof(int)) == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    count = count > 1024 ? 1024 : count / 2;
    if (count == 0) return 1;
  }
  fill<<<4, 256>>>(x, int(count));
  if (cudaGetLastError() != cudaSuccess) return 1;
  int last = -1;
  if (cudaMemcpy(&last, x + count - 1, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  printf("%d\n", last);
  cudaFree(x);
  return last != 1023;
}
