// right: the barrier stands in a branch and in a loop, but all threads of a block take them together.
#include <cstdio>

__global__ void mix(int* x, const int* rounds) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int* mine = x + blockIdx.x * 64;
  if (blockIdx.x % 2 == 0) {
    for (int k = 0; k < rounds[blockIdx.x]; ++k) {
      s[t] = mine[t];
      __syncthreads();
      mine[t] = s[63 - t] + 1;
      __syncthreads();
    }
  } else {
    mine[t] = -1;
  }
}

int main() {
  int host[256], rounds[4] = {3, 0, 4, 0}, *x, *deviceRounds;
  for (int i = 0; i < 256; ++i) host[i] = i % 64;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&deviceRounds, sizeof(rounds));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceRounds, rounds, sizeof(rounds), cudaMemcpyHostToDevice);
  mix<<<4, 64>>>(x, deviceRounds);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host[0], host[64], host[128]);
  cudaFree(x);
  cudaFree(deviceRounds);
  return host[0] != 66 || host[64] != -1 || host[128] != 4;
}
