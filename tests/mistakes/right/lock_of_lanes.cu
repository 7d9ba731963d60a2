// right: lanes of one warp compete for a lock; who gets it works and gives it back within the same round of the loop.
#include <cstdio>

__global__ void push(int* lock, int* length, int* list) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      int at = *length;
      list[at] = threadIdx.x + blockIdx.x * blockDim.x;
      *length = at + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

int main() {
  int *state, *list, host[64], length = 0;
  cudaMalloc(&state, 2 * sizeof(int));
  cudaMalloc(&list, sizeof(host));
  cudaMemset(state, 0, 2 * sizeof(int));
  push<<<2, 32>>>(state, state + 1, list);
  cudaMemcpy(&length, state + 1, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, list, sizeof(host), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int v : host) sum += v;
  printf("%d entries, sum %d\n", length, sum);
  cudaFree(state);
  cudaFree(list);
  return length != 64 || sum != 2016;
}
