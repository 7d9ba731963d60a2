// What uses cooperative groups: their header takes nvcc longer than all kernels of a file, so they have one together.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

// right: reduce total with_groups
__global__ void with_groups(const int* in, int* out, int n) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0;
  for (int d = tile.size() / 2; d > 0; d /= 2) x += tile.shfl_down(x, d);
  if (tile.thread_rank() == 0) atomicAdd(out, x);
}

// right: reduce total block_group_reduce
__global__ void block_group_reduce(const int* in, int* out, int n) {
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const int i = block.group_index().x * block.group_dim().x + block.thread_rank();
  const int sum = cg::reduce(tile, i < n ? in[i] : 0, cg::plus<int>());
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

// right: reduce total coalesced_group
__global__ void coalesced_group(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const auto active = cg::coalesced_threads();
  const int sum = cg::reduce(active, in[i], cg::plus<int>());
  if (active.thread_rank() == 0) atomicAdd(out, sum);
}

// right: saxpy saxpy thread_block
__global__ void thread_block(const float alpha, const float* const X, float* const Y, const size_t N) {
  const auto grid = cg::this_grid();
  for (size_t i = grid.thread_rank(); i < N; i += grid.size()) Y[i] = alpha * X[i] + Y[i];
}

// right: warps ids by_groups
__global__ void by_groups(int4* ids, int n) {
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  const unsigned rank = block.thread_rank();
  if (grid.thread_rank() < n)
    ids[grid.thread_rank()] = {int(grid.block_rank()), int(rank), int(rank / 32), int(rank % 32)};
}

// right: transpose transpose loop_of_block_rows
constexpr int TILE_DIM = 32, BLOCK_ROWS = 8;
__global__ void loop_of_block_rows(const float* idata, float* odata, int height, int width) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  cg::thread_block cta = cg::this_thread_block();
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  cg::sync(cta);
  x = blockIdx.y * TILE_DIM + threadIdx.x, y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width) odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
