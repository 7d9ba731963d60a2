// right: block sizes are tried from the largest on; a launch that cannot be is seen and cleared, the next size tried.
#include <cstdio>

__global__ void __launch_bounds__(256) fill(int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 2 * i;
}

int main() {
  const int n = 600;
  int *x, host[n];
  cudaMalloc(&x, sizeof(host));
  int threads = 2048;
  for (;; threads /= 2) {
    fill<<<2, threads>>>(x, n);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) break;
    printf("%d threads: %s\n", threads, cudaGetErrorName(error));
  }
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d threads, %d\n", threads, host[n - 1]);
  cudaFree(x);
  return host[n - 1] != 2 * (n - 1);
}
