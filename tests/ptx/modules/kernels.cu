// Source of the compiled modules in this folder; see README.md.
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>

__constant__ int table[4] = {1, 2, 3, 4};
__device__ int counter;
__device__ int* const counters[2] = {&counter, &counter + 1};
struct __attribute__((packed)) Packed {
  char tag;
  int* pointer;
};
__device__ Packed packed = {'a', &counter};
__device__ double matrix[2][3] = {{1.5, 2}, {3}};

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ int increment(int x) { return x + 1; }
__device__ int triple(int x) { return x * 3; }
__device__ int (*functions[2])(int) = {increment, triple};
extern __shared__ float dynamic[];

struct Argument {
  char tag;
  double value;
  int* pointer;
};

__global__ void calls(int* out, int n, Argument argument) {
  __shared__ int tile[32][33];
  int t = threadIdx.x;
  tile[t][0] = t;
  dynamic[t] = t;
  assert(n > 3);
  printf("thread %d of %s\n", t, "a block");
  out[t] = functions[n & 1](t) + factorial(n) + table[n] + tile[t ^ 1][0] + *counters[n] + argument.tag + packed.tag +
           static_cast<int>(matrix[1][0]);
}

__global__ void branches(int* out, int n) {
  int t = threadIdx.x, local[8];
  for (int i = 0; i < 8; ++i) local[i] = out[i];
  switch (out[n]) {
    case 0:
      out[1] = t;
      break;
    case 1:
      out[7] = 3 * n;
      break;
    case 2:
      out[t] = 5;
      break;
    case 3:
      out[2] = __clz(t);
      break;
    case 4:
      __syncthreads();
      break;
    case 5:
      out[5] = local[n & 7];
      break;
    case 6:
      atomicAdd(out, 3);
      break;
  }
}

template <int delta>
__device__ __forceinline__ float add_from_lane(float value) {
  return value + __shfl_down_sync(~0u, value, delta);
}
__device__ __forceinline__ float warp_sum(float value) {
  value = add_from_lane<16>(value);
  return add_from_lane<8>(value);
}
__global__ void __launch_bounds__(256, 2) inlined(float* data) {
  auto block = cooperative_groups::this_thread_block();
  float value = warp_sum(data[block.thread_rank()]);
  block.sync();
  data[threadIdx.x] = warp_sum(value);
}

#ifdef __CUDACC_RDC__
extern __device__ int elsewhere(int);
struct Base {
  __device__ virtual int value(int x) { return x; }
};
struct Derived : Base {
  __device__ int value(int x) override { return x + 1; }
};
__device__ Base* make(int n) { return n ? new Derived : new Base; }
__global__ void child(int* out) { out[threadIdx.x] = 3; }
__global__ void parent(int* out, int n) {
  Base* object = make(n);
  out[0] = object->value(elsewhere(3));
  child<<<1, 32>>>(out);
}
#endif
