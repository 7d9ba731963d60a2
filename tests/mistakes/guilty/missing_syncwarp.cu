// mistake: lanes of a warp exchange through shared memory with nothing between the store and the load.
// happens: since Volta lanes do not run in lockstep; a lane may read before its neighbour has written.
// to say: a race between the store and the load at BUG; __syncwarp() between them.
#include <cstdio>

// how: sanitize
// says: __syncwarp|__syncthreads|barrier
__global__ void mirror(int* values) {
  __shared__ int box[4][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  box[warp][lane] = values[threadIdx.x] * 2;   // BUG2
  values[threadIdx.x] = box[warp][31 - lane];  // BUG
}

int main() {
  int host[128], *values;
  for (int i = 0; i < 128; ++i) host[i] = i;
  cudaMalloc(&values, sizeof(host));
  cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
  mirror<<<1, 128>>>(values);
  cudaMemcpy(host, values, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (62 is right)\n", host[0]);
  cudaFree(values);
}
