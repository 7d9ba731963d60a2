// All blocks wait for each other: right in a cooperative launch alone.
#include <cooperative_groups.h>

__global__ void whole_grid(int* x, int* sum) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] += 1;
  grid.sync();
  if (i == 0)
    for (int k = 0; k < gridDim.x * blockDim.x; ++k) *sum += x[k];
}
