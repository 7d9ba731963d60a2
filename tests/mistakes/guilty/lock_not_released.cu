// mistake: on one way out of the critical section the lock is not given back.
// happens: the next block waits for it for ever.
// to say: the kernel never ends: blocks spin at BUG for a lock that a finished block holds (return at BUG2).
#include <cstdio>

// how: plain
// says: releas|unlock|given? back|holds|held|never (ends|free|set)|return|deadlock|spin
__global__ void keepLargest(const int* candidates, int* best, int* lock) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {  // BUG
  }
  __threadfence();
  int mine = candidates[blockIdx.x];
  if (mine <= *(volatile int*)best) return;  // BUG2
  *(volatile int*)best = mine;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  int host[4] = {5, 9, 3, 7}, *candidates, *state;
  cudaMalloc(&candidates, sizeof(host));
  cudaMalloc(&state, 2 * sizeof(int));
  cudaMemset(state, 0, 2 * sizeof(int));
  cudaMemcpy(candidates, host, sizeof(host), cudaMemcpyHostToDevice);
  keepLargest<<<4, 32>>>(candidates, state, state + 1);
  cudaError_t error = cudaMemcpy(host, state, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: %d (9 is right)\n", cudaGetErrorName(error), host[0]);
  cudaFree(candidates);
  cudaFree(state);
}
