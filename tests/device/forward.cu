// Threads that wait for each other: what must make progress on Volta and later, and what cannot
// (tests/unit/common/simt/forward_progress_test.cpp; the device contract runs those that end).

// ---- within a warp ----

// Lanes hand a token round: lane t waits for lane t - 1, all in one loop.
extern "C" __global__ void lanes_in_turn(int* token, int* out) {
  const int t = threadIdx.x;
  while (*static_cast<volatile int*>(token) != t) {
  }
  out[t] = t ? out[t - 1] + t : 0;
  __threadfence();
  *static_cast<volatile int*>(token) = t + 1;
}

// A lock by try-lock in a loop that does other work, too.
extern "C" __global__ void try_lock(int* lock, int* counter, int* tries) {
  for (int done = 0; done < 3;) {
    atomicAdd(tries, 1);
    if (atomicExch(lock, 1)) continue;
    *counter += 1;
    __threadfence();
    atomicExch(lock, 0);
    ++done;
  }
}

// Consumer lanes below producers of the same warp, several rounds.
extern "C" __global__ void producer_consumer(volatile int* box, int* out, int rounds) {
  const int t = threadIdx.x, partner = t ^ 16;
  for (int r = 1; r <= rounds; ++r) {
    if (t >= 16) {
      while (box[partner] != 2 * r - 2) {
      }
      box[partner] = 2 * r - 1;
    } else {
      while (box[t] != 2 * r - 1) {
      }
      out[t] += box[t];
      box[t] = 2 * r;
    }
  }
}

// The second half passes a barrier that the first half reaches in a branch: all threads come to a barrier.
extern "C" __global__ void barrier_or_not(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t % 32 < 16) __syncthreads();
  out[t] = s[t];
  if (t % 32 >= 16) __syncthreads();
  out[t] += 100;
}

// __syncwarp of all lanes at three places.
extern "C" __global__ void syncwarps_apart(int* out) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncwarp();
  if (t < 8) {
    s[t] = 1;
    __syncwarp();
  } else if (t < 20) {
    s[t] = 2;
    __syncwarp();
  } else {
    s[t] = 3;
    __syncwarp();
  }
  out[t] = s[(t + 16) % 32];
}

// Lanes that have left are not waited for, neither by the warp nor by the block.
extern "C" __global__ void leave_early(int* out) {
  const int t = threadIdx.x;
  if (t % 4 == 3) return;
  __syncwarp();
  out[t] = __popc(__activemask());
  if (t % 4 == 2) return;
  __syncthreads();
  out[t] += 100;
}

// ---- between warps ----

extern "C" __global__ void warps_in_turn(int* out) {
  __shared__ volatile int turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  const int warp = threadIdx.x / 32;
  while (turn != warp) {
  }
  if (threadIdx.x % 32 == 0) {
    out[warp] = turn;
    __threadfence_block();
    turn = warp + 1;
  }
}

// A barrier of a part of the block, counted in warps: 48 threads are two of them.
extern "C" __global__ void partial_warp_barrier(int* out) {
  out[threadIdx.x] = 1;
  asm volatile("bar.sync 3, 64;");
  out[threadIdx.x] += out[47 - threadIdx.x];
}

// Warp 0 produces, the others consume, through named barriers.
extern "C" __global__ void arrive_and_sync(int* out) {
  __shared__ int s;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) s = 42;
    asm volatile("bar.arrive 1, 96;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 96;" ::: "memory");
    out[threadIdx.x] = s;
  }
}

// ---- between blocks ----

// Decoupled look-back: a block's prefix from its predecessors' sums, by acquire and release.
extern "C" __global__ void look_back(const int* in, unsigned* states, int* out) {
  const unsigned b = blockIdx.x;
  if (threadIdx.x) return;
  const unsigned own = in[b];
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(states + b), "r"(own << 2 | 1) : "memory");
  unsigned sum = own;
  for (int k = int(b) - 1; k >= 0; --k) {
    unsigned state;
    do {
      asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(state) : "l"(states + k) : "memory");
    } while ((state & 3) == 0);
    sum += state >> 2;
    if ((state & 3) == 2) break;
  }
  asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(states + b), "r"(sum << 2 | 2) : "memory");
  out[b] = sum;
}

// Blocks queue for a ticket by atomics alone.
extern "C" __global__ void ticket_queue(unsigned* ticket, unsigned* serving, int* out) {
  if (threadIdx.x) return;
  const unsigned mine = atomicAdd(ticket, 1);
  while (atomicAdd(serving, 0) != mine) __nanosleep(20);
  out[mine] = blockIdx.x;
  __threadfence();
  atomicAdd(serving, 1);
}

// ---- what cannot end ----

extern "C" __global__ void wait_for_lane(int* out) {
  if (threadIdx.x < 5)
    __syncwarp(0xff);
  else
    asm volatile("bar.sync 2;");
  out[threadIdx.x] = 1;
}

extern "C" __global__ void shuffles_apart(int* out) {
  int v = threadIdx.x;
  if (v % 2)
    v = __shfl_xor_sync(0xffffffff, v, 1);
  else
    v = __shfl_down_sync(0xffffffff, v, 1);
  out[threadIdx.x] = v;
}

extern "C" __global__ void votes_of_other_masks(int* out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __any_sync(0xffffffff, 1);
  else
    out[threadIdx.x] = __all_sync(0xffff0001, 1);
}

extern "C" __global__ void barriers_apart(int* out) {
  if (threadIdx.x < 40)
    asm volatile("bar.sync 4;");
  else
    asm volatile("bar.sync 5;");
  out[threadIdx.x] = 1;
}

// The first block waits for the last, which cannot start before the first ends if there are too many.
extern "C" __global__ void wait_for_last_block(volatile int* flag) {
  if (blockIdx.x == gridDim.x - 1) *flag = 1;
  while (*flag == 0) {
  }
}

// Two locks, taken in two orders.
extern "C" __global__ void crossed_locks(int* locks) {
  const int first = threadIdx.x / 32;
  if (threadIdx.x % 32) return;
  while (atomicCAS(locks + first, 0, 1)) {
  }
  __syncthreads();
  while (atomicCAS(locks + 1 - first, 0, 1)) {
  }
}

extern "C" __global__ void waits_and_counts(volatile int* flag) {
  int n = 0;
  while (*flag != 7) ++n;
  flag[1] = n;
}

// All but the last block take the lock and give it back, again and again, until the flag is set, in rounds of as many
// instructions as a turn has, or so: whenever another one looks, it may be taken. The last one needs it once.
extern "C" __global__ void one_looks_at_the_lock_now_and_then(int* lock) {
  if (threadIdx.x) return;
  volatile int* flag = lock + 1;
  if (blockIdx.x == gridDim.x - 1) {
    while (atomicCAS(lock, 0, 1)) __nanosleep(100);
    *flag = 1;
    atomicExch(lock, 0);
    return;
  }
  while (*flag == 0) {
    while (atomicCAS(lock, 0, 1)) {
    }
    for (int i = 0; i < 20 && *flag == 0; ++i) {
    }
    atomicExch(lock, 0);
  }
}
