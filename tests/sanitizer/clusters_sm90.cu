// racecheck, memcheck and synccheck in clusters: blocks that reach each other's shared memory. README.md says how the
// comments are read.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// innocent <<<4, 64>>> in[256] out[256]
extern "C" __cluster_dims__(2) __global__ void neighbours_behind_barriers(const int* in, int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = in[i];
  cluster.sync();
  out[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[63 - threadIdx.x];
  cluster.sync();
  s[threadIdx.x] = 0;
}

// Rounds: each writes its own behind a barrier that all have come to, and reads the next block's.
// innocent <<<4, 64>>> in[256] out[256]
extern "C" __cluster_dims__(4) __global__ void rounds_of_a_ring(const int* in, int* out) {
  __shared__ int s[2][64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  int v = in[i];
  for (int k = 0; k < 4; ++k) {
    s[k % 2][t] = v;
    cluster.sync();
    v += cluster.map_shared_rank(s[k % 2], (cluster.block_rank() + 1) % 4)[t];
  }
  out[i] = v;
  cluster.sync();
}

// Atomics need no order among each other.
// innocent <<<4, 64>>> in[256] out[64]=0
extern "C" __cluster_dims__(2, 1, 1) __global__ void bins_of_two_blocks(const int* in, int* out) {
  __shared__ int bins[32];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  cluster.sync();
  const int v = in[blockIdx.x * 64 + threadIdx.x];
  atomicAdd(cluster.map_shared_rank(bins, v / 32) + v % 32, 1);
  cluster.sync();
  if (threadIdx.x < 32) atomicAdd(&out[32 * cluster.block_rank() + threadIdx.x], bins[threadIdx.x]);
}

// What was written in global memory before the barrier, too.
// innocent <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void global_memory_behind_the_barrier(const int* in, int* out) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[i];
  __threadfence();
  cg::this_cluster().sync();
  const int v = ((volatile int*)out)[127 - i];
  cg::this_cluster().sync();
  out[i] = v;
}

// Arrives, does what nobody else sees, and waits.
// innocent <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void arrival_and_wait_apart(const int* in, int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = in[i];
  auto token = cluster.barrier_arrive();
  int v = 2 * in[i];
  cluster.barrier_wait(std::move(token));
  out[i] = v + cluster.map_shared_rank(s, 1 - cluster.block_rank())[threadIdx.x];
  cluster.sync();
}

// The barrier of the cluster is one of the block as well.
// innocent <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void cluster_barrier_within_the_block(const int* in, int* out) {
  __shared__ int s[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = in[i];
  cg::this_cluster().sync();
  out[i] = s[63 - threadIdx.x];
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void no_barrier_before_the_read(const int* in, int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = 1;
  cluster.sync();
  s[threadIdx.x] = in[i];  // guilty: racecheck write
  __syncthreads();
  out[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];  // guilty: racecheck read
  cluster.sync();
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void read_between_arrival_and_wait(const int* in, int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = 1;
  cluster.sync();
  s[threadIdx.x] = in[i];  // guilty: racecheck write
  auto token = cluster.barrier_arrive();
  out[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];  // guilty: racecheck read
  cluster.barrier_wait(std::move(token));
  cluster.sync();
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void relaxed_arrival(const int* in, int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = 1;
  cluster.sync();
  s[threadIdx.x] = in[i];  // guilty: racecheck write
  asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
  out[i] = cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[threadIdx.x];  // guilty: racecheck read
  cluster.sync();
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void beyond_the_sibling_s_array(const int* in, int* out) {
  __shared__ int s[64];
  __shared__ int behind[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = behind[threadIdx.x] = in[i];
  cluster.sync();
  int v = cluster.map_shared_rank(behind, cluster.block_rank() ^ 1)[threadIdx.x];
  if (threadIdx.x == 3) v += cluster.map_shared_rank(behind, 1 - cluster.block_rank())[64];  // guilty: memcheck read
  out[i] = v;
  cluster.sync();
}

// guilty <<<2, 32>>> out[64]
extern "C" __cluster_dims__(2) __global__ void a_sibling_s_element_that_nobody_wrote(int* out) {
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  s[threadIdx.x] = threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] =
      cluster.map_shared_rank(s, cluster.block_rank() ^ 1)[32 + threadIdx.x];  // guilty: initcheck read
  cluster.sync();
}

// guilty <<<2, 64>>> out[2]=0
extern "C" __cluster_dims__(2) __global__ void arrival_without_its_wait(int* out) {
  asm volatile("barrier.cluster.arrive;");
  asm volatile("barrier.cluster.arrive;");  // guilty: synccheck
  asm volatile("barrier.cluster.wait;");
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

// guilty <<<2, 64>>> out[2]=0
extern "C" __cluster_dims__(2) __global__ void wait_without_an_arrival(int* out) {
  asm volatile("barrier.cluster.wait;");  // guilty: synccheck
  if (threadIdx.x == 0) out[blockIdx.x] = 1;
}

// ---- mbarriers of siblings, and what arrives at them ----

__device__ unsigned shared_of(const void* pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }
__device__ unsigned in_block(const void* pointer, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_of(pointer)), "r"(rank));
  return there;
}
__device__ void make(unsigned long long* barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_of(barrier)), "r"(count) : "memory");
}
__device__ void wait_for(unsigned long long* barrier, int parity) {
  unsigned over = 0;
  while (!over)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(shared_of(barrier)), "r"(parity)
        : "memory");
}

// innocent <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void arrivals_at_a_sibling(const int* in, int* out) {
  __shared__ unsigned long long barrier;
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const unsigned other = cluster.block_rank() ^ 1;
  if (t == 0) make(&barrier, 64);
  cluster.sync();
  cluster.map_shared_rank(s, other)[t] = in[i];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&barrier, other))
               : "memory");
  wait_for(&barrier, 0);
  out[i] = s[63 - t];
  cluster.sync();
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __cluster_dims__(2) __global__ void relaxed_arrivals_at_a_sibling(const int* in, int* out) {
  __shared__ unsigned long long barrier;
  __shared__ int s[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const unsigned other = cluster.block_rank() ^ 1;
  if (t == 0) make(&barrier, 64);
  cluster.sync();
  cluster.map_shared_rank(s, other)[t] = in[i];  // guilty: racecheck write
  asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&barrier, other))
               : "memory");
  wait_for(&barrier, 0);
  out[i] = s[63 - t];  // guilty: racecheck read
  cluster.sync();
}

// What st.async brings is not seen, and so it is not missed: an element that only a sibling's st.async has written.
// innocent <<<2, 32>>> in[64] out[64]
extern "C" __cluster_dims__(2) __global__ void elements_that_a_sibling_sends(const int* in, int* out) {
  __shared__ unsigned long long barrier;
  __shared__ int s[32];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  const unsigned other = cluster.block_rank() ^ 1;
  if (t == 0) {
    make(&barrier, 1);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(shared_of(&barrier)) : "memory");
  }
  cluster.sync();
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(in_block(&s[t], other)),
      "r"(in[i]), "r"(in_block(&barrier, other))
      : "memory");
  wait_for(&barrier, 0);
  out[i] = s[31 - t];
  cluster.sync();
}
