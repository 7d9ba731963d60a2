// right: the waiting block asks by an atomic operation, and the data travel by atomics, too; fences on both sides.
#include <cstdio>

__global__ void hand(int* value, int* ready, int* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    atomicExch(value, 77);
    __threadfence();
    atomicAdd(ready, 1);
  } else {
    while (atomicAdd(ready, 0) == 0) {
    }
    __threadfence();
    out[blockIdx.x - 1] = atomicAdd(value, 0);
  }
}

int main() {
  int *state, *out, host[3] = {};
  cudaMalloc(&state, 2 * sizeof(int));
  cudaMalloc(&out, sizeof(host));
  cudaMemset(state, 0, 2 * sizeof(int));
  hand<<<4, 32>>>(state, state + 1, out);
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host[0], host[1], host[2]);
  cudaFree(state);
  cudaFree(out);
  return host[0] != 77 || host[1] != 77 || host[2] != 77;
}
