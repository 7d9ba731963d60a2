// Blocks that work together rightly, in ways that a naive racecheck would accuse. README.md says how the comments are
// read.

#include <cuda/atomic>

// As in CUDA's sample threadFenceReduction.
// innocent <<<4, 64>>> in[256] partials[4] ticket[1]=0 out[1]
extern "C" __global__ void last_block_sums(const int* in, volatile int* partials, unsigned* ticket, int* out) {
  __shared__ int s[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    partials[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (t == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b) total += partials[b];
    out[0] = total;
    *ticket = 0;
  }
}

// Every thread fences its own write; the barrier makes thread 0's ticket come after all of them.
// innocent <<<4, 64>>> in[256] partials[256] ticket[1]=0 out[64]
extern "C" __global__ void every_thread_fences_one_takes_the_ticket(const int* in, int* partials, unsigned* ticket,
                                                                    int* out) {
  __shared__ bool last;
  const int t = threadIdx.x;
  partials[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] + 1;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += partials[b * 64 + t];
  out[t] = total;
}

// Barriers are cumulative: the fence of the thread that publishes covers what the barrier showed it.
// innocent <<<4, 64>>> in[256] partials[256] ticket[1]=0 out[64]
extern "C" __global__ void one_fence_for_the_block(const int* in, int* partials, unsigned* ticket, int* out) {
  __shared__ bool last;
  const int t = threadIdx.x;
  partials[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] + 1;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  int total = 0;
  for (int b = 0; b < gridDim.x; ++b) total += partials[b * 64 + t];
  out[t] = total;
}

// Flags: 1, the block's sum is there; 2, the sum of all blocks up to it.
// innocent <<<8, 32>>> in[256] out[256] flags[8]=0 sums[8] prefixes[8] ticket[1]=0
extern "C" __global__ void decoupled_look_back(const int* in, int* out, volatile int* flags, volatile int* sums,
                                               volatile int* prefixes, unsigned* ticket) {
  __shared__ int part, before;
  const int t = threadIdx.x;
  if (t == 0) part = atomicAdd(ticket, 1);
  __syncthreads();
  const int i = part * 32 + t;
  int sum = in[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int left = __shfl_up_sync(0xffffffffu, sum, distance);
    if (t >= distance) sum += left;
  }
  if (t == 31) {
    int exclusive = 0;
    if (part > 0) {
      sums[part] = sum;
      __threadfence();
      flags[part] = 1;
      for (int b = part - 1; b >= 0; --b) {
        int flag = flags[b];
        while (flag == 0) flag = flags[b];
        __threadfence();
        exclusive += flag == 2 ? prefixes[b] : sums[b];
        if (flag == 2) break;
      }
    }
    prefixes[part] = exclusive + sum;
    __threadfence();
    flags[part] = 2;
    before = exclusive;
  }
  __syncthreads();
  out[i] = before + sum;
}

// As in CUB's radix sort: the word that is polled holds the sum, too, so that no fence is needed. 1: the block's own
// sum is there; 2: that of all blocks up to it.
// innocent <<<8, 32>>> in[256] out[256] words[8]=0 ticket[1]=0
extern "C" __global__ void look_back_in_one_word(const int* in, int* out, volatile unsigned* words, unsigned* ticket) {
  __shared__ unsigned part, before;
  const int t = threadIdx.x;
  if (t == 0) part = atomicAdd(ticket, 1);
  __syncthreads();
  unsigned sum = in[part * 32 + t];
  for (int distance = 1; distance < 32; distance *= 2) {
    const unsigned left = __shfl_up_sync(0xffffffffu, sum, distance);
    if (t >= distance) sum += left;
  }
  if (t == 31) {
    words[part] = sum << 2 | 1;
    unsigned exclusive = 0;
    for (int b = part - 1; b >= 0; --b) {
      unsigned word;
      do word = words[b];
      while (word == 0);
      exclusive += word >> 2;
      if ((word & 3) == 2) break;
    }
    words[part] = (exclusive + sum) << 2 | 2;
    before = exclusive;
  }
  __syncthreads();
  out[part * 32 + t] = before + sum;
}

// innocent <<<4, 1>>> counter[1]=0 lock[1]=0
extern "C" __global__ void spin_lock(int* counter, int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter += blockIdx.x + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// innocent <<<2, 32>>> counter[1]=0 lock[1]=0
extern "C" __global__ void spin_lock_within_a_warp(int* counter, int* lock) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *counter += threadIdx.x + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// innocent <<<2, 32>>> data[32] flag[1]=0 out[32]
extern "C" __global__ void flag_with_fences(int* data, volatile int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t + 1;
    __threadfence();
    __syncthreads();
    if (t == 0) *flag = 1;
  } else {
    if (t == 0) {
      while (*flag == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    out[t] = data[t];
  }
}

// innocent <<<2, 32>>> data[32] flag[1]=0 out[32]
extern "C" __global__ void flag_by_acquire_and_release(int* data, int* flag, int* out) {
  const int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    data[t] = t + 1;
    __syncthreads();
    if (t == 0) ready.store(1, cuda::std::memory_order_release);
  } else {
    if (t == 0)
      while (ready.load(cuda::std::memory_order_acquire) == 0) {
      }
    __syncthreads();
    out[t] = data[t];
  }
}

// innocent <<<2, 32>>> data[32] flag[1]=0 out[32]
extern "C" __global__ void flag_polled_by_atomics(int* data, int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t + 1;
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __threadfence();
    __syncthreads();
    out[t] = data[t];
  }
}

// Seven read the word, all are waited for.
// innocent <<<8, 32>>> x[32] ready[7]=0 out[224]
extern "C" __global__ void seven_readers_before_the_writer(int* x, volatile int* ready, int* out) {
  const int b = blockIdx.x, t = threadIdx.x;
  if (b < 7) {
    out[32 * b + t] = x[31 - t];
    __syncwarp();
    __threadfence();
    if (t == 0) ready[b] = 1;
  } else {
    if (t == 0)
      for (int k = 0; k < 7; ++k)
        while (ready[k] == 0) {
        }
    __threadfence();
    __syncwarp();
    x[t] = 100 + t;
  }
}

// innocent <<<4, 32>>> in[128] sum[1]=0 ticket[1]=0 out[1]
extern "C" __global__ void ticket_behind_the_sum_and_a_fence(const int* in, int* sum, unsigned* ticket, int* out) {
  if (threadIdx.x) return;
  atomicAdd(sum, in[blockIdx.x * 32] + 1);
  __threadfence();
  if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
  __threadfence();
  out[0] = *sum;
  *sum = 0;
  *ticket = 0;
}

// Cleared, filled and emptied by one block, each behind a barrier.
// innocent <<<2, 64>>> in[128] bins[32] out[32]
extern "C" __global__ void histogram_of_each_block(const int* in, int* bins, int* out) {
  const int t = threadIdx.x;
  int* own = bins + blockIdx.x * 16;
  if (t < 16) own[t] = 0;
  __syncthreads();
  atomicAdd(&own[in[blockIdx.x * 64 + t] & 15], 1);
  __syncthreads();
  if (t < 16) out[blockIdx.x * 16 + t] = own[15 - t];
}

// innocent <<<4, 64>>> in[64] out[64]=0
extern "C" __global__ void zeros_over_zeros_by_all(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = 0;
  if (blockIdx.x == 0 && in[t] == 0) out[t] = 0;
}

// innocent <<<4, 64>>> in[256] out[16]=0
extern "C" __global__ void histogram(const int* in, int* out) {
  atomicAdd(&out[in[blockIdx.x * 64 + threadIdx.x] & 15], 1);
}

// innocent <<<2, 64>>> data[128]
extern "C" __global__ void reversal_in_place(int* data) {
  const int t = threadIdx.x;
  int* part = data + blockIdx.x * 64;
  const int v = part[63 - t];
  __syncthreads();
  part[t] = v + 1;
}

// innocent <<<4, 64>>> in[256] found[1]=0
extern "C" __global__ void all_blocks_say_the_same(const int* in, int* found) {
  if (in[blockIdx.x * 64 + threadIdx.x] > 20) *found = 1;
}

// innocent <<<4, 32>>> in[128] bytes[32]
extern "C" __global__ void bytes_of_a_word_each_by_its_block(const int* in, unsigned char* bytes) {
  bytes[threadIdx.x * 4 + blockIdx.x] = static_cast<unsigned char>(in[blockIdx.x * 32 + threadIdx.x]);
}

// innocent <<<4, 32>>> in[128] out[1]=0
extern "C" __global__ void maximum_by_compare_and_swap(const int* in, int* out) {
  const int v = in[blockIdx.x * 32 + threadIdx.x];
  int seen = atomicAdd(out, 0);
  while (v > seen) {
    const int before = atomicCAS(out, seen, v);
    if (before == seen) break;
    seen = before;
  }
}

// innocent <<<4, 32>>> in[128] out[128] count[1]=0
extern "C" __global__ void queue_filled_by_all_blocks(const int* in, int* out, int* count) {
  const int v = in[blockIdx.x * 32 + threadIdx.x];
  if (v % 3 == 0) out[atomicAdd(count, 1)] = v;
}

// One atomic per warp: a leader asks for all.
// innocent <<<4, 32>>> in[128] out[128] count[1]=0
extern "C" __global__ void queue_by_warps(const int* in, int* out, int* count) {
  const int v = in[blockIdx.x * 32 + threadIdx.x], lane = threadIdx.x % 32;
  const unsigned takers = __ballot_sync(0xffffffffu, v % 3 == 0);
  int base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(takers));
  base = __shfl_sync(0xffffffffu, base, 0);
  if (v % 3 == 0) out[base + __popc(takers & ((1u << lane) - 1))] = v;
}

// A list: pushed by compare-and-swap behind a fence, walked by the last block.
// innocent <<<4, 1>>> next[4] head[1]=-1 ticket[1]=0 out[4]=0
extern "C" __global__ void list_pushed_by_all_walked_by_the_last(int* next, int* head, unsigned* ticket, int* out) {
  const int mine = blockIdx.x;
  int top = atomicAdd(head, 0);
  while (true) {
    next[mine] = top;
    __threadfence();
    const int before = atomicCAS(head, top, mine);
    if (before == top) break;
    top = before;
  }
  __threadfence();
  if (atomicAdd(ticket, 1) != gridDim.x - 1) return;
  __threadfence();
  int k = 0;
  for (int at = atomicAdd(head, 0); at >= 0; at = next[at]) out[k++] = at;
}

// innocent <<<4, 32>>> in[512] out[512] 512
extern "C" __global__ void grid_stride_in_place(const int* in, int* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] += i;
}

// The way that CUDA's guide builds atomics: the plain load is a guess, which the compare-and-swap tests.
// innocent <<<4, 64>>> out[1]=0
extern "C" __global__ void compare_and_swap_loop(int* out) {
  int old = *out, assumed;
  do {
    assumed = old;
    old = atomicCAS(out, assumed, assumed + int(threadIdx.x));
  } while (assumed != old);
}

// A word may be changed by atomics and looked at as volatile: each comes as a whole to the other.
// innocent <<<2, 32>>> data[32] flag[1]=0 out[32]
extern "C" __global__ void flag_by_an_atomic_polled_as_volatile(int* data, int* flag, int* out) {
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t + 1;
    __threadfence();
    __syncthreads();
    if (t == 0) atomicExch(flag, 1);
  } else {
    if (t == 0)
      while (*const_cast<volatile int*>(flag) == 0) {
      }
    __threadfence();
    __syncthreads();
    out[t] = data[t];
  }
}

// innocent <<<cooperative 4, 32>>> in[128] arrived[1]=0 out[128]
extern "C" __global__ void barrier_of_the_grid_by_hand(int* in, unsigned* arrived, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  in[i] += 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*const_cast<volatile unsigned*>(arrived) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = in[127 - i];
}

// innocent <<<4, 1>>> counter[1]=0 lock[1]=0
extern "C" __global__ void lock_released_as_volatile(int* counter, int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *counter += blockIdx.x + 1;
  __threadfence();
  *const_cast<volatile int*>(lock) = 0;
}

// The first guess by a volatile load, the head changed by atomicCAS alone.
// innocent <<<4, 32>>> next[128] head[1]=0
extern "C" __global__ void push_on_a_stack(int* next, int* head) {
  const int own = blockIdx.x * 32 + threadIdx.x + 1;
  int guess = *const_cast<volatile int*>(head), seen;
  do {
    next[own - 1] = seen = guess;
    guess = atomicCAS(head, seen, own);
  } while (guess != seen);
}

__device__ int warp_sum(int value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

// Lanes look back together, until a vote says that each has its word, which holds its flag, too: no fence is needed.
// innocent <<<8, 32>>> in[256] words[8]=0 ticket[1]=0 out[8]
extern "C" __global__ void look_back_by_a_vote(const int* in, volatile unsigned* words, int* ticket, int* out) {
  const int t = threadIdx.x;
  int part = t == 0 ? atomicAdd(ticket, 1) : 0;
  part = __shfl_sync(0xffffffffu, part, 0);
  const int sum = warp_sum(in[part * 32 + t]);
  if (t == 0) words[part] = sum << 1 | 1;
  const int other = part - 1 - t;
  unsigned word;
  do word = other >= 0 ? words[other] : 1;
  while (__any_sync(0xffffffffu, (word & 1) == 0));
  const int before = warp_sum(word >> 1);
  if (t == 0) out[part] = before + sum;
}

// innocent <<<4, 1>>> words[8]=0
extern "C" __global__ void each_waits_for_the_one_before_with_a_pause(volatile unsigned long long* words) {
  const int b = blockIdx.x;
  unsigned long long word = 1ull << 32;
  unsigned pause = 8;
  if (b > 0)
    while (((word = words[b - 1]) >> 32) == 0) {
      __nanosleep(pause);
      if (pause < 256) pause *= 2;
    }
  words[b] = word + 1;
}

// The flag is there already: who polls it waits for nobody, and it is no race that others raise it again.
// innocent <<<4, 32>>> flag[1]=1 out[128]
extern "C" __global__ void a_flag_raised_again(volatile int* flag, int* out) {
  if (threadIdx.x == 0) {
    *flag = 1;
    while (*flag == 0) {
    }
  }
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

// innocent <<<4, 64>>> flag[1]=0 out[256]
extern "C" __global__ void a_flag_of_atomics(int* flag, int* out) {
  atomicExch(flag, 0);
  out[blockIdx.x * 64 + threadIdx.x] = atomicAdd(flag, 0);
}

// The flag is no volatile one: what the loop waits for is read once, before it. (Here the writer's launch came before.)
// guilty <<<1, 32>>> in[32]=1 out[32]
extern "C" __global__ void a_flag_that_is_read_once(const int* flag, int* out) {
  if (threadIdx.x == 0) {
    while (flag[0] == 0) {  // guilty: racecheck
    }
    out[0] = 1;
  }
}
