// right: a cooperative launch of no more blocks than fit; all threads of all blocks meet each grid.sync().
#include <cooperative_groups.h>

#include <cstdio>
namespace cg = cooperative_groups;

__global__ void phases(int* x, int n, int rounds) {
  cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    int* from = x + round % 2 * n;
    int* to = x + (round + 1) % 2 * n;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) to[i] = from[(i + 1) % n];
    grid.sync();
  }
}

int main() {
  int n = 500, rounds = 6, blocks = 0, *x, host[500];
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, phases, 64, 0);
  if (blocks > 4) blocks = 4;
  for (int i = 0; i < n; ++i) host[i] = i;
  cudaMalloc(&x, 2 * sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  void* args[] = {&x, &n, &rounds};
  if (cudaLaunchCooperativeKernel((void*)phases, dim3(blocks), dim3(64), args, 0, 0) != cudaSuccess) return 1;
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[499]);
  cudaFree(x);
  return host[0] != 6 || host[499] != 5;
}
