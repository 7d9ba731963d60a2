// synccheck: barriers and warp collectives that not all come to. README.md says how the comments are read.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void barriers_in_both_branches(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  int v;
  if (t % 2) {
    __syncthreads();  // guilty: synccheck
    v = s[63 - t];
    out[t] = v;
  } else {
    __syncthreads();  // guilty: synccheck
    v = s[t];
    out[t] = 2 * v;
  }
}

// Lane t takes part in t rounds.
// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void barrier_in_a_loop_of_differing_lengths(const int* in, int* out) {
  const int t = threadIdx.x;
  int sum = in[t];
  for (int k = 0; k < 2 + t % 2; ++k) {
    __syncthreads();  // guilty: synccheck
    sum += k;
  }
  __syncthreads();  // guilty: synccheck
  out[t] = sum;
}

// guilty <<<1, 32>>> in[96] out[96]
extern "C" __global__ void continue_past_the_barrier(const int* in, int* out) {
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 3; ++k) {
    if (t + k == 5) continue;  // guilty: synccheck
    __syncthreads();           // guilty: synccheck
    out[k * 32 + t] = in[k * 32 + t];
  }
}

// Warps are whole, but the second has a round more: its last barrier in the loop meets the first warp's behind it.
// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void warps_that_leave_a_loop_of_barriers_apart(const int* in, int* out) {
  const int t = threadIdx.x;
  int sum = in[t];
#pragma unroll 1
  for (int k = 0; k < 2 + t / 32; ++k) {
    __syncthreads();  // guilty: synccheck
    sum += k;
  }
  __syncthreads();  // guilty: synccheck
  out[t] = sum;
}

// guilty <<<1, 96>>> in[96] out[96]
extern "C" __global__ void rounds_that_the_data_decide(const int* in, int* out) {
  const int t = threadIdx.x, rounds = 1 + in[t / 32 * 32] % 5;  // 11, 43, 11
  int sum = in[t];
#pragma unroll 1
  for (int k = 0; k < rounds; ++k) {
    sum = sum * 3 + k;
    __syncthreads();  // guilty: synccheck
  }
  out[t] = sum;
  __syncthreads();  // guilty: synccheck
  out[t] = 2 * in[t];
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void each_warp_with_a_barrier_of_its_own(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t < 32) {
    out[t] = in[t] + 1;
    __syncthreads();  // guilty: synccheck
    out[t] = 2 * in[t];
  } else {
    out[t] = 3 * in[t];
    __syncthreads();  // guilty: synccheck
    out[t] = in[t] - 1;
  }
}

// guilty <<<1, 64>>> out[64]
extern "C" __global__ void barrier_that_one_warp_never_reaches(int* out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1, 64;" ::: "memory");  // guilty: synccheck
  else
    __syncthreads();
  out[threadIdx.x] = 1;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void caller_not_in_its_mask(const int* in, int* out) {
  const int v = in[threadIdx.x];
  out[threadIdx.x] = __shfl_xor_sync(0x7fffffffu, v, 0);  // guilty: synccheck
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shuffle_from_a_lane_outside_the_mask(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  int other = 0;
  if (t < 16) other = __shfl_down_sync(0x0000ffffu, v, 8);  // guilty: synccheck
  out[t] = other;
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shuffle_from_a_lane_that_has_exited(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t >= 20) return;
  out[t] = __shfl_down_sync(0x000fffffu, v, 4);  // guilty: synccheck
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void masks_that_differ(const int* in, int* out) {
  const int t = threadIdx.x;
  const unsigned mask = t < 16 ? 0xffffffffu : 0xfffffff0u;
  out[t] = __ballot_sync(mask, in[t] > 3);  // guilty: synccheck
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void full_mask_in_half_a_warp(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 16) v += __shfl_xor_sync(0xffffffffu, v, 1);  // guilty: synccheck
  __syncthreads();
  out[t] = v;
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void syncwarp_mask_without_the_caller(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  __syncwarp(t % 32 == 31 ? 0x7fffffffu : 0xffffffffu);  // guilty: synccheck
  out[t] = v;
}

// ---- innocent ----

// innocent <<<2, 64>>> in[128] out[128] 90
extern "C" __global__ void surplus_threads_leave_first(const int* in, int* out, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  __syncthreads();  // noted: synccheck
  out[i] = in[i];
}

// Of n threads a half leaves with each round, as in the lectures' first reductions: no GPU since Volta minds.
// innocent <<<1, 128>>> in[128] out[128]
extern "C" __global__ void threads_leave_between_barriers(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = in[t];
#pragma unroll 1
  for (int half = 64; half > 16; half /= 2) {
    if (t >= half) return;
    __syncthreads();  // noted: synccheck
  }
  out[t] = 2 * in[t];
}

// innocent <<<2, 96>>> in[192] out[192]
extern "C" __global__ void barriers_in_a_loop_that_all_leave_together(const int* in, int* out) {
  __shared__ int s[96];
  const int t = threadIdx.x, i = blockIdx.x * 96 + t;
  int sum = 0;
  for (int k = 0; k < 3 + in[blockIdx.x] % 4; ++k) {
    s[t] = in[i] + k;
    __syncthreads();
    for (int turns = 0; turns < t / 32; ++turns) sum = sum * 5 + k;
    sum += s[95 - t];
    __syncthreads();
  }
  out[i] = sum;
}

// Warps of different work meet at a barrier with a thread count: each at a place of its own.
// innocent <<<1, 64>>> in[64] out[32]
extern "C" __global__ void producer_and_consumer_each_at_its_place(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
#pragma unroll 1
  for (int k = 0; k < 2; ++k) {
    if (t < 32) {
      s[t] = in[32 * k + t] + 1;
      asm volatile("bar.sync 1, 64;" ::: "memory");
      asm volatile("bar.sync 2, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[t - 32] = s[63 - t] + k;
      asm volatile("bar.sync 2, 64;" ::: "memory");
    }
  }
}

// The condition is the same for the whole block.
// innocent <<<2, 64>>> in[128] out[128]
extern "C" __global__ void barrier_in_a_uniform_branch(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = in[i];
  if (blockIdx.x == 1) {
    __syncthreads();
    out[i] = s[63 - t];
  } else {
    out[i] = s[t];
  }
}

// innocent <<<2, 64>>> in[128] out[128]
extern "C" __global__ void barrier_after_divergent_work(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  int v = in[i];
  for (int k = 0; k < t % 5; ++k) v = v * 3 + k;
  if (t % 3 == 0) v = -v;
  s[t] = v;
  __syncthreads();
  out[i] = s[63 - t];
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void shuffles_past_the_edge(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  v += __shfl_up_sync(0xffffffffu, v, 3);
  v += __shfl_down_sync(0xffffffffu, v, 5);
  v += __shfl_up_sync(0xffffffffu, v, 2, 8);
  v += __shfl_sync(0xffffffffu, v, 11, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 9);
  out[t] = v;
}

// innocent <<<1, 48>>> in[48] out[48]
extern "C" __global__ void half_a_warp_with_its_mask(const int* in, int* out) {
  const int t = threadIdx.x;
  const unsigned mask = t < 32 ? 0xffffffffu : 0x0000ffffu;
  int v = in[t];
  for (int distance = 8; distance > 0; distance /= 2) v += __shfl_xor_sync(mask, v, distance);
  out[t] = v;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void each_branch_with_its_mask(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  if (t < 8)
    out[t] = __shfl_sync(0x000000ffu, v, 7);
  else
    out[t] = __shfl_sync(0xffffff00u, v, 8);
}

// The mask is asked for before the branch, so all of its lanes come.
// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void mask_by_ballot(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  const bool odd = v % 2;
  const unsigned mask = __ballot_sync(0xffffffffu, odd);
  int sum = v;
  if (odd) {
    sum = __shfl_sync(mask, v, __ffs(mask) - 1);
    __syncwarp(mask);
  }
  out[t] = sum;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void lanes_of_equal_value(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t] % 4;
  const unsigned same = __match_any_sync(0xffffffffu, v);
  out[t] = __shfl_sync(same, t, __ffs(same) - 1) + __popc(__ballot_sync(same, true));
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void coalesced_group(const int* in, int* out) {
  const int t = threadIdx.x, v = in[t];
  out[t] = 0;
  if (v % 3 == 0) {
    const auto active = cg::coalesced_threads();
    out[t] = active.shfl(v, 0) + active.ballot(v > 5);
    active.sync();
  }
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void vote_in_a_loop(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t], rounds = 0;
  while (__any_sync(0xffffffffu, v > 0)) {
    v -= 7;
    ++rounds;
  }
  out[t] = rounds;
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void full_mask_where_lanes_have_exited(const int* in, int* out) {
  const int t = threadIdx.x;
  if (t >= 40) return;
  const int v = in[t];
  __syncwarp();
  out[t] = v;
}

// innocent <<<1, 96>>> in[96] out[96]
extern "C" __global__ void one_warp_stands_aside(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 64) {
    s[t] = in[t];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[t] = s[63 - t];
  } else {
    out[t] = in[t];
  }
  __syncthreads();
}
