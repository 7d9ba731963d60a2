// Kernels that show what a SIMT machine must do: divergence, barriers, warp collectives, calls, spaces, atomics.
// Each writes what it saw; tests/unit/common/simt/simulator_test.cpp knows what that must be.
#include <cstdio>

extern "C" __global__ void nested_branches(int* out) {
  const int t = threadIdx.x;
  int path = 0;
  if (t % 2 == 0) {
    path += 1;
    if (t % 4 == 0)
      path += 10;
    else
      path += 20;
    for (int i = 0; i < t % 5; ++i) path += 100;
  } else {
    path += 2;
    if (t > 16) path += 1000;
  }
  out[blockIdx.x * blockDim.x + t] = path;
}

extern "C" __global__ void collatz(const int* in, int* steps, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i];
  int count = 0;
  while (x > 1) {
    x = x % 2 ? 3 * x + 1 : x / 2;
    ++count;
  }
  steps[i] = count;
}

// Early returns before a barrier: those threads are not waited for.
extern "C" __global__ void early_return(int* out, int n) {
  __shared__ int s[256];
  const int t = threadIdx.x;
  if (t >= n) return;
  s[t] = t;
  __syncthreads();
  out[t] = s[n - 1 - t];
}

// The barrier in both branches of a divergent if: the same barrier, reached at two places.
extern "C" __global__ void barrier_in_branches(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  if (t % 2)
    __syncthreads();
  else
    __syncthreads();
  out[t] = s[63 - t];
}

// A lock that lanes of one warp fight for: needs independent thread scheduling.
extern "C" __global__ void lane_lock(int* lock, int* counter) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}

// The same, with the critical section behind the loop.
extern "C" __global__ void lane_lock_behind_loop(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
  __threadfence();
  atomicExch(lock, 0);
}

// One half of the warp waits for the other through memory.
extern "C" __global__ void half_waits(int* flag, int* out) {
  if (threadIdx.x < 16) {
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    out[threadIdx.x] = *static_cast<volatile int*>(flag);
  } else if (threadIdx.x == 31) {
    *static_cast<volatile int*>(flag) = 7;
  }
}

// Each block waits for the one before it.
extern "C" __global__ void chain(int* flags, int* out) {
  if (threadIdx.x == 0) {
    const int b = blockIdx.x;
    int value = 1;
    if (b > 0) {
      while ((value = *static_cast<volatile int*>(flags + b - 1)) == 0) {
      }
      ++value;
    }
    out[b] = value;
    __threadfence();
    *static_cast<volatile int*>(flags + b) = value;
  }
}

// Every block waits for the LAST one: all have to be resident at once.
extern "C" __global__ void all_wait_for_last(int* flag, int* out) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == gridDim.x - 1) {
      *static_cast<volatile int*>(flag) = 5;
    } else {
      while (*static_cast<volatile int*>(flag) == 0) {
      }
    }
    out[blockIdx.x] = *static_cast<volatile int*>(flag);
  }
}

extern "C" __global__ void half_misses_barrier(int* out) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32) {
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 32];
  } else {
    asm volatile("bar.sync 1;");
  }
}

extern "C" __global__ void forever(int* out) {
  for (unsigned i = 0; i != 1 || *static_cast<volatile int*>(out) == 0; ++i) {
  }
}

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
extern "C" __global__ void recursion(int* out) { out[threadIdx.x] = factorial(threadIdx.x % 11); }

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void double_recursion(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 13); }

__device__ __noinline__ int plus_one(int x) { return x + 1; }
__device__ __noinline__ int squared(int x) { return x * x; }
__device__ __noinline__ int negated(int x) { return -x; }
extern "C" __global__ void function_pointers(int* out) {
  int (*choice)(int) = threadIdx.x % 3 == 0 ? plus_one : threadIdx.x % 3 == 1 ? squared : negated;
  out[threadIdx.x] = choice(threadIdx.x);
}

struct Pair {
  double a;
  int b[3];
};
__device__ __noinline__ Pair swap_pair(Pair p, int scale) { return {p.a * scale, {p.b[2], p.b[1], p.b[0]}}; }
extern "C" __global__ void struct_arguments(double* out) {
  const int t = threadIdx.x;
  const Pair p = swap_pair({t + 0.5, {t, t + 1, t + 2}}, 2);
  out[t] = p.a + 1000.0 * p.b[0] + 1000000.0 * p.b[2];
}

// A local array with a run-time index.
extern "C" __global__ void local_array(int* out) {
  int values[16];
  for (int i = 0; i < 16; ++i) values[(i * 7 + threadIdx.x) % 16] = i;
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum = sum * 3 + values[i];
  out[threadIdx.x] = sum;
}

// One pointer, three spaces.
__device__ int global_value = 40;
extern "C" __global__ void generic_addresses(int* out) {
  __shared__ int shared_value;
  int local_value = threadIdx.x;
  if (threadIdx.x == 0) shared_value = 20;
  __syncthreads();
  int* p = threadIdx.x % 3 == 0 ? &global_value : threadIdx.x % 3 == 1 ? &shared_value : &local_value;
  out[threadIdx.x] = *static_cast<volatile int*>(p) + 1;
}

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ const int* table_pointer = table + 2;
extern "C" __global__ void constants(int* out) { out[threadIdx.x] = table[threadIdx.x % 8] * 10 + table_pointer[1]; }

extern "C" __global__ void switch_table(int* out) {
  int r = 0;
  switch (threadIdx.x % 8) {
    case 0:
      r = 11;
      break;
    case 1:
      r = 22;
      out[64] = 1;
      break;
    case 2:
      r = 33;
      break;
    case 3:
      r = 44;
      out[65] = 1;
      break;
    case 4:
      r = 55;
      break;
    case 5:
      r = 66;
      out[66] = 1;
      break;
    case 6:
      r = 77;
      break;
    default:
      r = 88;
  }
  out[threadIdx.x] = r;
}

extern "C" __global__ void shuffles(int* out) {
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  out[t] = __shfl_down_sync(all, t, 3);
  out[32 + t] = __shfl_up_sync(all, t, 5);
  out[64 + t] = __shfl_xor_sync(all, t, 9);
  out[96 + t] = __shfl_sync(all, t, (t * 5) % 32);
  out[128 + t] = __shfl_down_sync(all, t, 3, 8);
  out[160 + t] = __shfl_up_sync(all, t, 2, 16);
}

extern "C" __global__ void votes(unsigned* out) {
  const int t = threadIdx.x;
  const unsigned all = 0xffffffffu;
  out[t] = __ballot_sync(all, t % 3 == 0);
  out[32 + t] = __any_sync(all, t == 17) * 10 + __all_sync(all, t < 32) * 100 + __all_sync(all, t != 5);
  out[64 + t] = __match_any_sync(all, t / 5);
  if (t % 2)
    out[96 + t] = __activemask();
  else
    out[96 + t] = __ballot_sync(0x55555555u, t % 4 == 0);
}

// Both branches of a divergent if come to the same collective after it; __syncwarp at two places.
extern "C" __global__ void warp_barriers(int* out) {
  __shared__ volatile int s[32];
  const int t = threadIdx.x;
  if (t < 16) {
    s[t] = t;
    __syncwarp();
    out[t] = s[t + 16];
  } else {
    s[t] = 2 * t;
    __syncwarp();
    out[t] = s[t - 16];
  }
}

extern "C" __global__ void block_votes(int* out) {
  const int t = threadIdx.x;
  out[t] = __syncthreads_count(t % 5 == 0);
  out[128 + t] = __syncthreads_and(t < 128) + 2 * __syncthreads_or(t == 77) + 4 * __syncthreads_or(t > 500);
}

extern "C" __global__ void atomics(int* out, unsigned* u, unsigned long long* wide, float* f, double* d) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out, t);
  atomicMin(out + 1, t - 50);
  atomicMax(out + 2, t);
  atomicOr(u, 1u << t % 32);
  atomicXor(u + 1, t);
  atomicInc(u + 2, 6);
  atomicDec(u + 3, 6);
  atomicAdd(wide, 0x100000000ull + t);
  atomicAdd(f, 0.1f * t);
  atomicAdd(d, 0.1 * t);
}

extern "C" __global__ void say_lines(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    printf("%d: %5.2f %s %c 0x%llx %%|%-4d|\n", i, i * 0.5, i % 2 ? "odd" : "even", 'a' + i, 1ull << (i + 32), i);
}

extern "C" __global__ void shared_overrun(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = *(s + threadIdx.x + out[0]);
}

extern "C" __global__ void uses_clock(long long* out) {
  const long long before = clock64();
  __syncthreads();
  out[threadIdx.x] = clock64() - before;
}

// 2-D indices of a 3-D launch.
extern "C" __global__ void indices(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x +
                                  100000 * threadIdx.y + 10000000 * threadIdx.z;
}

__device__ int (*function_table[])(int) = {plus_one, squared, negated};
extern "C" __global__ void table_of_functions(int* out) {
  out[threadIdx.x] = function_table[threadIdx.x % 3](threadIdx.x);
}

extern "C" __global__ void say_then_trap(int block) {
  printf("block %d\n", int(blockIdx.x));
  if (blockIdx.x == block) __trap();
}
