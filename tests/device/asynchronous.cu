// Copies that go on while threads run, and the barriers that wait for them: cuda::barrier, cuda::pipeline, the
// primitives below them, and bulk copies. Compiled for sm_80 (where the copies are cp.async) and sm_90 (bulk copies).
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

#include <cuda/barrier>
#include <cuda/pipeline>
#include <new>
#include <utility>

#pragma nv_diag_suppress 20054  // barriers in shared memory are initialised by init()

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// Rounds of write, barrier, read the neighbour's.
extern "C" __global__ void barrier_rounds(int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[128];
  const int t = threadIdx.x, n = blockDim.x;
  if (t == 0) init(&barrier, n);
  __syncthreads();
  int sum = 0;
  for (int round = 1; round <= 5; ++round) {
    s[t] = t * round;
    barrier.arrive_and_wait();
    sum += s[(t + 1) % n];
    barrier.wait(barrier.arrive());
  }
  out[t] = sum;
}

// Threads drop out one by one; the rest still meets.
extern "C" __global__ void barrier_drops(int* out) {
  __shared__ Barrier barrier;
  __shared__ int s[128];
  const int t = threadIdx.x, n = blockDim.x;
  if (t == 0) init(&barrier, n);
  s[t] = 0;
  __syncthreads();
  for (int round = 0; round < t % 8; ++round) {
    s[t] = round + 1;
    barrier.arrive_and_wait();
    out[t] = s[t ^ 1];  // of t and t^1, the odd one stays one round longer
    barrier.arrive_and_wait();
  }
  (void)barrier.arrive_and_drop();
}

// One half of a warp waits for what the other half does behind its own wait.
extern "C" __global__ void barrier_within_warp(int* out) {
  __shared__ Barrier first, second;
  const int t = threadIdx.x;
  if (t == 0) init(&first, 16), init(&second, 16);
  __syncwarp();
  if (t < 16) {
    first.arrive_and_wait();
    (void)second.arrive();
    out[t] = 1;
  } else {
    second.wait_parity(false);
    out[t] = 2;
  }
}

extern "C" __global__ void copy_by_threads(int* out, const int* in) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int s[256];
  const int t = threadIdx.x;
  if (t == 0) init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(s + t, in + t, sizeof(int), barrier);
  barrier.arrive_and_wait();
  out[t] = s[255 - t];
}

extern "C" __global__ void copy_by_block(int* out, const int* in) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) int s[256];
  const auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    cuda::memcpy_async(block, s, in + 256 * round, cuda::aligned_size_t<16>(sizeof s), barrier);
    barrier.arrive_and_wait();
    out[256 * round + threadIdx.x] = s[255 - threadIdx.x];
    barrier.arrive_and_wait();
  }
}

// Two stages: while one tile is worked on, the next is on its way.
extern "C" __global__ void pipeline_stages(int* out, const int* in, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][128];
  const auto block = cg::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
  for (int i = 0; i <= tiles; ++i) {
    if (i < tiles) {
      pipeline.producer_acquire();
      cuda::memcpy_async(block, s[i % 2], in + i * 128, 128 * sizeof(int), pipeline);
      pipeline.producer_commit();
    }
    if (i > 0) {
      pipeline.consumer_wait();
      out[(i - 1) * 128 + threadIdx.x] = 2 * s[(i - 1) % 2][127 - threadIdx.x];
      pipeline.consumer_release();
    }
  }
}

// Half of the block copies, the other half computes.
extern "C" __global__ void pipeline_roles(int* out, const int* in, int tiles) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][64];
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 64;
  auto pipeline =
      cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  const int t = threadIdx.x % 64;
  for (int i = 0; i < tiles; ++i) {
    if (produces) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&s[i % 2][t], in + i * 64 + t, sizeof(int), pipeline);
      pipeline.producer_commit();
    } else {
      pipeline.consumer_wait();
      out[i * 64 + t] = 3 * s[i % 2][63 - t];
      pipeline.consumer_release();
    }
  }
}

// A thread's own copies, four groups in flight, each waited for when it is the oldest.
extern "C" __global__ void groups_in_flight(int* out, const int* in) {
  __shared__ alignas(16) int s[8][32][4];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) {
    __pipeline_memcpy_async(s[i][t], in + 128 * i + 4 * t, 16);
    __pipeline_commit();
  }
  for (int i = 0; i < 8; ++i) {
    __pipeline_wait_prior(3);
    out[32 * i + t] = s[i][t][0] + s[i][t][3];
    if (i + 4 < 8) __pipeline_memcpy_async(s[i + 4][t], in + 128 * (i + 4) + 4 * t, 16);
    __pipeline_commit();
  }
}

// The last bytes are zeros instead of the source's.
extern "C" __global__ void copy_and_fill(int* out, const int* in) {
  __shared__ alignas(16) int s[32][4];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) s[t][k] = -1;
  __pipeline_memcpy_async(s[t], in + 4 * t, 16, 4 * (t % 5));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  for (int k = 0; k < 4; ++k) out[4 * t + k] = s[t][k];
}

// Nobody waits: what is read is what was there before.
extern "C" __global__ void forgotten_wait(int* out, const int* in) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = -7;
  __syncthreads();
  __pipeline_memcpy_async(s + t, in + t, 4);
  __pipeline_commit();
  __syncthreads();
  out[t] = s[t];
}

extern "C" __global__ void primitives(int* out) {
  __shared__ __mbarrier_t barrier;
  const int t = threadIdx.x;
  if (t == 0) __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  const auto token = __mbarrier_arrive(&barrier);
  out[t] = __mbarrier_token_pending_count(token);
  while (!__mbarrier_test_wait(&barrier, token)) {
  }
  const auto dropped = __mbarrier_arrive_and_drop(&barrier);
  out[128 + t] = __mbarrier_token_pending_count(dropped);
  __syncthreads();
  if (t == 0) __mbarrier_inval(&barrier);
}

extern "C" __global__ void copies_of_groups(int* out, const int* in) {
  __shared__ alignas(16) int s[128], tiles[4][32];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  const int t = threadIdx.x;
  cg::memcpy_async(block, s, in, sizeof s);
  cg::wait(block);
  out[t] = s[127 - t];
  cg::memcpy_async(tile, tiles[t / 32], in + 32 * (t / 32), 128);
  cg::wait_prior<0>(tile);
  out[128 + t] = tiles[t / 32][31 - t % 32];
}

// One thread fewer arrives than is waited for.
extern "C" __global__ void barrier_too_large(int* out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x + 1);
  __syncthreads();
  barrier.arrive_and_wait();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void barrier_not_initialised(int* out) {
  __shared__ __mbarrier_t barrier;
  (void)__mbarrier_arrive(&barrier);
  out[threadIdx.x] = 1;
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void bulk_copies(int* out, const int* in) {
  __shared__ Barrier barrier;
  __shared__ alignas(128) int s[256];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&barrier, blockDim.x);
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  for (int round = 0; round < 2; ++round) {
    Barrier::arrival_token token;
    if (t == 0) {
      cuda::device::experimental::cp_async_bulk_global_to_shared(s, in + 256 * round, sizeof s, barrier);
      token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof s);
    } else {
      token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    s[t] = 2 * s[t] + round;
    cuda::device::experimental::fence_proxy_async_shared_cta();
    __syncthreads();
    if (t == 0) {
      cuda::device::experimental::cp_async_bulk_shared_to_global(out + 256 * round, s, sizeof s);
      cuda::device::experimental::cp_async_bulk_commit_group();
      cuda::device::experimental::cp_async_bulk_wait_group_read<0>();
    }
    __syncthreads();
  }
}

// Of a cluster of one block.
extern "C" __global__ void cluster_of_one(int* out) {
  __shared__ int s[64];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  s[t] = 5 * t;
  auto token = cluster.barrier_arrive();
  cluster.barrier_wait(std::move(token));
  const int* theirs = cluster.map_shared_rank(s, 0);
  out[t] = theirs[63 - t] + cluster.block_rank() + 10 * cluster.num_blocks() + cluster.query_shared_rank(s);
  cluster.sync();
}
#endif
