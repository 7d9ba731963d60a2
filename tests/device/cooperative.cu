// Grid-wide barriers and the barriers of groups: cooperative groups as nvcc compiles them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// Every block reads what all others wrote in the round before.
extern "C" __global__ void rounds(int* a, int* b, int times) {
  const cg::grid_group grid = cg::this_grid();
  const int threads = grid.size(), i = grid.thread_rank();
  for (int t = 0; t < times; ++t) {
    int* from = t % 2 ? b : a;
    int* to = t % 2 ? a : b;
    to[i] = from[(i + blockDim.x) % threads] + 1;
    grid.sync();
  }
}

extern "C" __global__ void is_valid(int* out) { out[0] = cg::this_grid().is_valid(); }

extern "C" __global__ void sync_grid(int* out) {
  cg::this_grid().sync();
  out[0] = 1;
}

// One block never comes.
extern "C" __global__ void grid_misses_one(int* out) {
  if (blockIdx.x == 1) return;
  cg::this_grid().sync();
  out[0] = 1;
}

// Tiles of 4, 32 and 128 threads, coalesced groups, and the block.
extern "C" __global__ void tiles(int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const int t = block.thread_rank(), n = block.size();
  const auto four = cg::tiled_partition<4>(block);
  out[t] = cg::reduce(four, t, cg::plus<int>());
  const auto warp = cg::tiled_partition<32>(block);
  out[n + t] = warp.shfl(t, 3) + warp.any(t == 40);
  const auto large = cg::tiled_partition<128>(block);
  __shared__ int s[256];
  s[t] = t;
  large.sync();
  out[2 * n + t] = s[large.meta_group_rank() * 128 + (large.thread_rank() + 64) % 128];
  if (t % 3 == 1) {
    const cg::coalesced_group some = cg::coalesced_threads();
    out[3 * n + t] = 100 * some.size() + some.thread_rank();
  }
  block.sync();
  const auto halves = cg::labeled_partition(warp, t % 2);
  out[4 * n + t] = cg::reduce(halves, 1, cg::plus<int>());
}
