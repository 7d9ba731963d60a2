// More ways to add up that are all right.
#include <cuda_runtime.h>

#include <cstdint>

// right: reduce total with_launch_bounds
__global__ void __launch_bounds__(1024, 1) with_launch_bounds(const float* __restrict__ d_in, float* __restrict__ d_out, const int size) {
  extern __shared__ float sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x) + threadIdx.x;
  sdata[tid] = (i < size) ? d_in[i] : 0;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) {
    float v = sdata[tid];
    if (blockDim.x >= 64) v += sdata[tid + 32];
    for (int offset = 16; offset; offset >>= 1) v += __shfl_down_sync(0xFFFFFFFF, v, offset);
    if (tid == 0) atomicAdd(d_out, v);
  }
}

// right: reduce total struct_accumulator
struct Sum {
  int value = 0;
  __device__ Sum& operator+=(int x) {
    value += x;
    return *this;
  }
  __device__ explicit operator int() const { return value; }
};
__global__ void struct_accumulator(const int* in, int* out, int n) {
  Sum sum;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  atomicAdd(out, int(sum));
}

// right: reduce total with_a_lambda
__global__ void with_a_lambda(const float* in, float* out, int n) {
  const auto at = [&](int i) { return i < n ? in[i] : 0.0f; };
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  const float sum = at(first) + at(first + 1);
  if (first < n) atomicAdd(&out[0], sum);
}

// right: reduce total inline_ptx
__device__ __forceinline__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}
__global__ void inline_ptx(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) {
    int y;
    asm volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(y) : "r"(x), "r"(d));
    asm("add.s32 %0, %0, %1;" : "+r"(x) : "r"(y));
  }
  if (lane() == 0) asm volatile("red.global.add.s32 [%0], %1;" ::"l"(out), "r"(x) : "memory");
}

// right: reduce total last_block_finishes
__device__ unsigned int blocks_done = 0;
__device__ float partial_sums[65536];
__global__ void last_block_finishes(const float* in, float* out, int n) {
  extern __shared__ float floats[];
  float* s = floats;
  __shared__ bool last;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    partial_sums[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  float sum = 0;
  for (int b = t; b < gridDim.x; b += blockDim.x) sum += *(volatile float*)&partial_sums[b];
  s[t] = sum;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) *out = s[0];
}

// right: reduce total compare_and_swap
__global__ void compare_and_swap(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(~0u, x, d);
  if (threadIdx.x % 32 != 0) return;
  int* address = reinterpret_cast<int*>(out);
  int old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, __float_as_int(x + __int_as_float(assumed)));
  } while (assumed != old);
}

// right: reduce total in_sixty_four_bits
__global__ void in_sixty_four_bits(const long* in, long* out, int64_t n) {
  const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(reinterpret_cast<unsigned long long*>(out), static_cast<unsigned long long>(in[i]));
}

// right: reduce total unsigned_wrap
__global__ void unsigned_wrap(const unsigned int* data, unsigned int* result, unsigned int length) {
  unsigned int acc = 0U;
  for (unsigned int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += blockDim.x * gridDim.x) acc += __ldg(data + i);
  atomicAdd(result, __reduce_add_sync(0xffffffffu, acc) * (threadIdx.x % 32 == 0));
}

// right: reduce partials kogge_stone
__global__ void kogge_stone(const int* in, int* out, int n) {
  extern __shared__ int memory[];
  int* s = memory;
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  for (int d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    const int x = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += x;
  }
  if (t == blockDim.x - 1) out[blockIdx.x] = s[t];
}

// right: reduce partials count_with_barrier
__global__ void count_with_barrier(const float* in, float* out, int n) {
  __shared__ float sums[32];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  float x = i < n ? in[i] : 0.0f;
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask);
  if (t % warpSize == 0) sums[t / warpSize] = x;
  __syncthreads();
  if (t < warpSize) {
    x = t < blockDim.x / warpSize ? sums[t] : 0;
    for (int mask = 16; mask > 0; mask >>= 1) x += __shfl_xor_sync(0xffffffff, x, mask);
    if (t == 0) out[blockIdx.x] = x;
  }
}

// right: reduce partials shared_atomic
__global__ void shared_atomic(const int* in, int* out, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
