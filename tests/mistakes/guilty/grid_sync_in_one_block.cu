// mistake: only the first block calls grid.sync().
// happens: it waits for blocks that never come: a deadlock.
// to say: the kernel never ends: block 0 waits at BUG for the others; all threads of the grid have to call it.
#include <cooperative_groups.h>

#include <cstdio>
namespace cg = cooperative_groups;

// how: plain
// says: all (the )?(blocks|threads)|every (block|thread)|other blocks|whole grid|never (arrive|reach|come)|not reach
__global__ void sumOfBlocks(int* parts, int* total) {
  cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) parts[blockIdx.x] = blockIdx.x + 1;
  if (blockIdx.x == 0) {
    grid.sync();  // BUG
    if (threadIdx.x == 0) {
      int sum = 0;
      for (int i = 0; i < gridDim.x; ++i) sum += parts[i];
      *total = sum;
    }
  }
}

int main() {
  int *parts, *total, host = -1;
  cudaMalloc(&parts, 4 * sizeof(int));
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  void* args[] = {&parts, &total};
  cudaLaunchCooperativeKernel((void*)sumOfBlocks, dim3(4), dim3(32), args, 0, 0);
  cudaError_t error = cudaMemcpy(&host, total, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: %d (10 is right)\n", cudaGetErrorName(error), host);
  cudaFree(parts);
  cudaFree(total);
}
