// mistake: 60 KiB of dynamic shared memory without cudaFuncSetAttribute.
// happens: more than 48 KiB have to be asked for; the launch fails, and nobody looks.
// to say: the launch at BUG failed: 61440 bytes, 49152 without cudaFuncAttributeMaxDynamicSharedMemorySize.
#include <cstdio>

// how: plain
// says: cudaFuncSetAttribute|MaxDynamicSharedMemorySize|48 ?KiB|49152
__global__ void shuffleLines(const int* order, int* out) {
  extern __shared__ int lines[];
  for (int i = threadIdx.x; i < 15360; i += blockDim.x) lines[i] = i * 3;
  __syncthreads();
  out[threadIdx.x] = lines[order[threadIdx.x]];
}

int main() {
  int host[128], *order, *out;
  for (int i = 0; i < 128; ++i) host[i] = (i * 97) % 15360;
  cudaMalloc(&order, sizeof(host));
  cudaMalloc(&out, sizeof(host));
  cudaMemset(out, 0, sizeof(host));
  cudaMemcpy(order, host, sizeof(host), cudaMemcpyHostToDevice);
  shuffleLines<<<1, 128, 15360 * sizeof(int)>>>(order, out);  // BUG
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (291 is right)\n", host[1]);
  cudaFree(order);
  cudaFree(out);
}
