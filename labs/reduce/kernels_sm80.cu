// The rung of the reductions that needs compute capability 8.0.
#include "ops.cuh"

// --- 20: a warp in one instruction -----------------------------------------------------------------------------------
// redux.sync combines a register of all 32 lanes and hands the result to each of them: one instruction where the
// shuffles of `warp` take five rounds of two. The hardware has it for integers of 32 bits: sums, minima, maxima and
// bits (and, or, xor), so other types and products keep their shuffles. On compute capability 8.0 it runs at half the
// rate of a shuffle; the memory decides the time all the same.
__device__ int reduce_lanes(int value, Sum) { return __reduce_add_sync(0xffffffff, value); }
__device__ int reduce_lanes(int value, Min) { return __reduce_min_sync(0xffffffff, value); }
__device__ int reduce_lanes(int value, Max) { return __reduce_max_sync(0xffffffff, value); }

template <typename Op>
__global__ void reduce_redux(const int* in, int* out, int n) {
  Op op;
  __shared__ int of_warp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  int value = reduce_lanes(i < n ? in[i] : neutral<int, Op>, op);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp > 0) return;
  value = reduce_lanes(lane < blockDim.x / 32 ? of_warp[lane] : neutral<int, Op>, op);
  if (lane == 0) combine_atomically(out, value, op);
}

template __global__ void reduce_redux<Sum>(const int*, int*, int);
template __global__ void reduce_redux<Min>(const int*, int*, int);
template __global__ void reduce_redux<Max>(const int*, int*, int);
