// right: each warp exchanges through its own part of shared memory; __syncwarp() is enough between write and read.
#include <cstdio>

__global__ void rotate(int* x, int steps) {
  __shared__ int box[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int v = x[threadIdx.x];
  for (int k = 0; k < steps; ++k) {
    box[warp][lane] = v;
    __syncwarp();
    v = box[warp][(lane + 1) % 32];
    __syncwarp();
  }
  x[threadIdx.x] = v;
}

int main() {
  int host[128], *x;
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  rotate<<<1, 128>>>(x, 5);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[127]);
  cudaFree(x);
  return host[0] != 5 || host[127] != 96 + 4;
}
