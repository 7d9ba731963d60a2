// right: all warps but the first leave after the last barrier; the first one sums the warps' results by shuffles.
#include <cstdio>

__global__ void sum(const int* x, int n, int* out) {
  __shared__ int warps[8];
  int i = threadIdx.x, lane = i % 32;
  int v = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (lane == 0) warps[i / 32] = v;
  __syncthreads();
  if (i >= 32) return;
  v = lane < blockDim.x / 32 ? warps[lane] : 0;
  for (int offset = 4; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  if (lane == 0) *out = v;
}

int main() {
  const int n = 170;
  int host[n], *x, *out, result = -1;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  sum<<<1, 192>>>(x, n, out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", result);
  cudaFree(x);
  cudaFree(out);
  return result != n * (n - 1) / 2;
}
