// mistake: one launch of one warp for each of 256 rows.
// happens: each launch costs microseconds and uses one of a hundred multiprocessors.
// to say: 256 launches of one block at BUG; one launch with a block for each row.
#include <cstdio>

// how: explain
// says: one launch|single launch|launch overhead|more blocks|larger grid|together|combine|graph|one block|1 block|fuse|merge
__global__ void normalise(float* row) {
  float v = row[threadIdx.x], sum = v;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  row[threadIdx.x] = v / sum;
}

int main() {
  const int rows = 256;
  static float host[rows * 32];
  for (int i = 0; i < rows * 32; ++i) host[i] = 2;
  float* x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int r = 0; r < rows; ++r) {
    normalise<<<1, 32>>>(x + r * 32);  // BUG
  }
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g (0.03125 is right)\n", host[0]);
  cudaFree(x);
}
