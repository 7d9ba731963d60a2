// Asynchronous copies and barriers that threads arrive at and wait for apart. README.md says how the comments are read.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void copy_waited_for_by_its_thread_alone(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);  // guilty: racecheck write
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[63 - t];  // guilty: racecheck read
}

// ---- innocent ----

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void copy_waited_for_then_a_barrier(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = s[63 - t];
}

// innocent <<<1, 64>>> in[256] out[256]
extern "C" __global__ void copies_of_two_stages(const int* in, int* out) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  for (int step = 0; step < 4; ++step) {
    if (step < 3) __pipeline_memcpy_async(&s[(step + 1) % 2][t], &in[(step + 1) * 64 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[step * 64 + t] = s[step % 2][63 - t];
    __syncthreads();
  }
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void group_copy(const int* in, int* out) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, sizeof(int) * 64);
  cg::wait(block);
  out[threadIdx.x] = s[63 - threadIdx.x];
}

// innocent <<<1, 64>>> in[256] out[256]
extern "C" __global__ void barrier_by_arrive_and_wait(const int* in, int* out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ Barrier barrier;
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, 64);
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    s[step % 2][t] = in[step * 64 + t] + step;
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    out[step * 64 + t] = s[step % 2][63 - t];
  }
}

// innocent <<<1, 64>>> in[64] out[2]
extern "C" __global__ void sum_by_redux(const int* in, int* out) {
  const int sum = __reduce_add_sync(0xffffffffu, in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

// innocent <<<1, 64>>> in[64] out[16]
extern "C" __global__ void sums_of_tiles(const int* in, int* out) {
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
  if (tile.thread_rank() == 0) out[threadIdx.x / 4] = sum;
}
