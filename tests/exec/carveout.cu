// How many blocks an SM holds where a kernel prefers L1 or shared memory, as an H100's occupancy call says.
// long
// case: :: 0
// out: ^-1: 32 9\n0: 1 1\n5: 2 1\n10: 4 1\n33: 14 4\n50: 18 5\n100: 32 9\n$
#include <cstdio>

template <int bytes>
__global__ void fill(char* out) {
  __shared__ char s[bytes];
  for (int i = threadIdx.x; i < bytes; i += 32) s[i] = i;
  __syncthreads();
  out[threadIdx.x] = s[bytes - 1 - threadIdx.x];
}

template <int bytes>
int blocks_at(int percent) {
  cudaFuncSetAttribute(fill<bytes>, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill<bytes>, 32, 0);
  return blocks;
}

int main() {
  for (const int percent : {-1, 0, 5, 10, 33, 50, 100})
    std::printf("%d: %d %d\n", percent, blocks_at<6144>(percent), blocks_at<24576>(percent));
}
