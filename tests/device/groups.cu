// Cooperative groups within a block: tiles, coalesced and partitioned groups, their collectives. Compiled for the
// oldest architecture (shuffles and votes) and sm_90 (redux, elect).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void tiles(int* out, const int* in) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const auto tile = cg::tiled_partition<8>(warp);
  const int t = block.thread_rank(), v = in[t], n = block.size();
  int* o = out + t;
  o[0 * n] = tile.shfl(v, 3) + 1000 * tile.shfl_down(v, 2);
  o[1 * n] = tile.shfl_up(v, 1) + 1000 * tile.shfl_xor(v, 5);
  o[2 * n] = tile.any(v == 17) + 10 * tile.all(v >= 0) + 100 * __popc(tile.ballot(v % 2));
  o[3 * n] = __popc(tile.match_any(v % 3));
  int all_same = 0;
  o[4 * n] = __popc(warp.match_all(v / 1000, all_same)) + 100 * all_same;
  o[5 * n] = cg::reduce(warp, v, cg::plus<int>());
  o[6 * n] = cg::reduce(tile, v, cg::greater<int>()) - cg::reduce(tile, v, cg::less<int>());
  o[7 * n] = cg::reduce(warp, v, cg::bit_xor<int>());
  o[8 * n] = cg::inclusive_scan(warp, v);
  o[9 * n] = cg::exclusive_scan(tile, v);
  o[10 * n] = tile.meta_group_rank() + 100 * tile.meta_group_size();
  o[11 * n] = static_cast<int>(cg::reduce(warp, 0.5f * v, cg::plus<float>()) * 2);
}

extern "C" __global__ void partitions(int* out, const int* in) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x, v = in[t], n = blockDim.x;
  int* o = out + t;
  if (v % 3) {
    const auto active = cg::coalesced_threads();
    o[0 * n] = active.size() + 100 * active.thread_rank();
    o[1 * n] = cg::reduce(active, v, cg::plus<int>());
    o[2 * n] = active.shfl(v, active.size() - 1);
  }
  const auto labelled = cg::labeled_partition(warp, v % 4);
  o[3 * n] = labelled.size() + 100 * labelled.thread_rank();
  o[4 * n] = cg::reduce(labelled, v, cg::plus<int>());
  const auto halves = cg::binary_partition(warp, v % 2 == 0);
  o[5 * n] = halves.size();
}

extern "C" __global__ void large_tiles(int* out, const int* in) {
  __shared__ cg::block_tile_memory<128> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const int t = threadIdx.x, v = in[t], n = blockDim.x;
  out[t] = cg::reduce(tile, v, cg::plus<int>());
  out[n + t] = tile.shfl(v, 37);
  out[2 * n + t] = tile.any(v == 17) + 10 * tile.all(v < 70);
  out[3 * n + t] = cg::inclusive_scan(tile, v);
  tile.sync();
  auto token = block.barrier_arrive();
  block.barrier_wait(std::move(token));
}

extern "C" __global__ void invoked_once(int* out) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  cg::invoke_one(warp, [&] { atomicAdd(out, 1); });
  const int leader = cg::invoke_one_broadcast(warp, [&] { return static_cast<int>(warp.meta_group_rank()) + 7; });
  out[1 + threadIdx.x] = leader;
}
