// right: one barrier for each step is enough, since a step reads one array and writes the other.
#include <cstdio>

__global__ void scan(int* x) {
  __shared__ int sums[2][96];
  int t = threadIdx.x, now = 0;
  sums[now][t] = x[t];
  __syncthreads();
  for (int distance = 1; distance < 96; distance *= 2) {
    sums[1 - now][t] = sums[now][t] + (t >= distance ? sums[now][t - distance] : 0);
    now = 1 - now;
    __syncthreads();
  }
  x[t] = sums[now][t];
}

int main() {
  int host[96], *x;
  for (int i = 0; i < 96; ++i) host[i] = i + 1;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  scan<<<1, 96>>>(x);
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d\n", host[95]);
  cudaFree(x);
  return host[95] != 96 * 97 / 2;
}
