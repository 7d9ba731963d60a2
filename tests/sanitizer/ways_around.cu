// Threads that go round a barrier of the whole block and work on, and those who may: they leave, or the barrier is not
// of the whole block. README.md says how the comments are read.

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void one_warp_goes_round(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 32) {
    __syncthreads();  // guilty: synccheck
    v *= 3;
  }
  out[t] = v;  // guilty: synccheck write
}

// guilty <<<2, 32>>> in[64] out[64]
extern "C" __global__ void odd_lanes_go_round(const int* in, int* out) {
  const int t = threadIdx.x, i = blockIdx.x * 32 + t;
  int v = in[i];
  if (t % 2 == 0) {
    __syncthreads();  // guilty: synccheck
    v += 5;
  }
  out[i] = v;  // guilty: synccheck write
}

// guilty <<<1, 64>>> in[128] out[64] 100
extern "C" __global__ void out_of_a_loop_of_barriers_and_on(const int* in, int* out, int n) {
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) {
    sum += in[i];
    __syncthreads();  // guilty: synccheck
  }
  out[threadIdx.x] = sum;  // guilty: synccheck write
}

// guilty <<<1, 96>>> in[96] out[96] 2
extern "C" __global__ void two_conditions_one_of_them_the_same_for_all(const int* in, int* out, int n) {
  const int t = threadIdx.x;
  int v = in[t];
  if (n > 1) {
    v += 7;
    if (t >= 64) {
      __syncthreads();  // guilty: synccheck
      v *= 2;
    }
    out[t] = v;  // guilty: synccheck write
  }
}

__device__ int meet_and_add(int v);
// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void round_a_function_that_waits(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (v % 2 + t < 32) v = meet_and_add(v);
  out[t] = v;  // guilty: synccheck write
}
__device__ __noinline__ int meet_and_add(int v) {
  __syncthreads();  // guilty: synccheck
  return v + 1;
}

// guilty <<<1, 64>>> in[64] out[64]=0
extern "C" __global__ void round_a_barrier_that_counts(const int* in, int* out) {
  const int t = threadIdx.x;
  int v = in[t];
  if (t < 32) v = __syncthreads_count(v > 20);  // guilty: synccheck
  atomicAdd(&out[t], v);                        // guilty: synccheck atomic
}

// innocent <<<1, 64>>> in[64] out[64] 40
extern "C" __global__ void who_has_nothing_to_do_leaves(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();  // noted: synccheck
  out[t] = s[n - 1 - t];
}

// The ways meet again, but who went round has nothing to do there.
// innocent <<<1, 64>>> in[64] out[64] 40
extern "C" __global__ void who_goes_round_has_nothing_to_do(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = 0;
  if (t < n) {
    s[t] = in[t];
    __syncthreads();  // noted: synccheck
    v = s[n - 1 - t];
  }
  if (t < n) out[t] = v;
}

// All skip the barrier in the last round, work, and then some leave.
// innocent <<<1, 64>>> in[64] out[64] 3
extern "C" __global__ void all_go_round_together_then_some_leave(const int* in, int* out, int rounds) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int v = in[t];
  for (int k = 0; k < rounds; ++k) {
    if (k != 1) {
      s[t] = v;
      __syncthreads();  // noted: synccheck
      v += s[63 - t];
      __syncthreads();  // noted: synccheck
    }
    out[t] = v;
    if (k == 1 && t >= 32) return;
    v = in[t] + k;
    if (k == 1) s[63 - t] = 1;
  }
}

// Two warps hand over by a barrier with a count, a third works beside them.
// innocent <<<1, 96>>> in[96] out[96]
extern "C" __global__ void a_third_warp_goes_its_way(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x, lane = t % 32;
  int v = in[t];
  if (t < 32) {
    s[lane] = v;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (t < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    v += s[lane];
  }
  out[t] = v;
}

// Producer and consumer warps go round each other's barriers, and both store behind them.
// innocent <<<1, 64>>> in[256] out[64]
extern "C" __global__ void producer_and_consumer_with_two_buffers(const int* in, int* out) {
  __shared__ int s[2][32];
  const int lane = threadIdx.x % 32;
  int sum = 0;
  if (threadIdx.x < 32) {
    for (int k = 0; k < 8; ++k) {
      if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + k % 2) : "memory");
      s[k % 2][lane] = in[32 * k + lane];
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + k % 2) : "memory");
    }
  } else {
    for (int k = 0; k < 8; ++k) {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + k % 2) : "memory");
      sum += s[k % 2][lane];
      if (k < 6) asm volatile("bar.arrive %0, 64;" ::"r"(3 + k % 2) : "memory");
    }
  }
  out[threadIdx.x] = sum;
}

// innocent <<<2, 64>>> in[128] out[2]
extern "C" __global__ void tree_with_barriers_for_all(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  for (int step = 32; step > 0; step /= 2) {
    __syncthreads();
    if (t < step) s[t] += s[t + step];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// The barrier of a tree in its branch: who has nothing to add is at the next round's branch, and then gone.
// guilty <<<1, 128>>> in[128] out[1]
extern "C" __global__ void a_barrier_in_the_branch_of_a_tree(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int step = 64; step > 0; step /= 2) {
    if (t < step) {  // guilty: synccheck
      s[t] += s[t + step];
      __syncthreads();  // guilty: synccheck
    }
  }
  if (t == 0) *out = s[0];
}

// guilty <<<1, 128>>> in[128] out[1]
extern "C" __global__ void a_barrier_in_each_branch_of_a_tree(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 64) {  // guilty: synccheck
    s[t] += s[t + 64];
    __syncthreads();  // guilty: synccheck
  }
  if (t < 32) {
    s[t] += s[t + 32];
    __syncthreads();  // noted: synccheck
  }
  if (t == 0) *out = s[0] + s[17];
}
