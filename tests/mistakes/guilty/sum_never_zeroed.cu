// mistake: the accumulator of atomicAdd comes from cudaMalloc and is never set to 0.
// happens: the sum starts at whatever was in memory.
// to say: atomicAdd at BUG reads what nobody wrote; cudaMemset after the cudaMalloc at BUG2.
#include <cstdio>

// how: sanitize
// says: cudaMemset|initiali[sz]|zero|never (been )?(written|set)|not (been )?written
__global__ void sum(const int* x, int n, int* total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(total, x[i]);  // BUG
  }
}

int main() {
  const int n = 500;
  int host[n], *x, *total;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, sizeof(host));
  cudaMalloc(&total, sizeof(int));  // BUG2
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  sum<<<4, 128>>>(x, n, total);
  cudaMemcpy(host, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d (124750 is right)\n", host[0]);
  cudaFree(x);
  cudaFree(total);
}
