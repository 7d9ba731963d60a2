// mistake: the lock's loop goes on while atomicCAS gives 0, which is when the lock was had.
// happens: every block gets in as soon as the lock is taken; the sum is not protected.
// to say: a race at BUG between blocks; the loop at BUG2 has to wait while atomicCAS does not give 0.
#include <cstdio>

// how: sanitize
// says: \block\b|atomic|exclusi
__global__ void add(const float* parts, float* sum, int* lock) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) == 0) {  // BUG2
    }
    __threadfence();
    *sum += parts[blockIdx.x];  // BUG
    __threadfence();
    atomicExch(lock, 0);
  }
}

int main() {
  float host[8], *parts, *sum;
  int* lock;
  for (int i = 0; i < 8; ++i) host[i] = i + 1;
  cudaMalloc(&parts, sizeof(host));
  cudaMalloc(&sum, sizeof(float));
  cudaMalloc(&lock, sizeof(int));
  cudaMemset(sum, 0, sizeof(float));
  cudaMemset(lock, 0, sizeof(int));
  cudaMemcpy(parts, host, sizeof(host), cudaMemcpyHostToDevice);
  add<<<8, 32>>>(parts, sum, lock);
  cudaMemcpy(host, sum, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (36 is right)\n", host[0]);
  cudaFree(parts);
  cudaFree(sum);
  cudaFree(lock);
}
