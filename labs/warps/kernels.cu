// Who am I? Threads are numbered three times: within their block, within the grid, and within their warp. The first two
// follow from the built-in variables; of warps CUDA has no variable at all. The hardware takes the threads of a block
// in the order of their linear number, x fastest, then y, then z, and cuts it into warps of 32. A block whose threads
// are no multiple of 32 has lanes in its last warp that nobody uses; a warp never has threads of two blocks.
//
// Each thread records who it is, for its number in the grid: block, thread in the block, warp in the block, lane. With
// `Print` it says so, too.
#include <cstdio>

// The lane is not worked out but read from the hardware's register: it shows that the arithmetic is right.
__device__ int lane_id() {
  int lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

template <bool Print>
__device__ void record(int4* ids, int n, unsigned block, unsigned thread) {
  const long id = long(block) * (blockDim.x * blockDim.y * blockDim.z) + thread;  // in the grid
  if (id >= n) return;
  const int warp = thread / 32, lane = lane_id();
  ids[id] = make_int4(block, thread, warp, lane);
  if (Print) {
    printf("block (%u,%u,%u), thread (%2u,%u,%u): global id %3ld, block %u, thread %3u, warp %d, lane %2d\n",
           blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, id, block, thread, warp, lane);
  }
}

// --- 1-D -------------------------------------------------------------------------------------------------------------
// A row of threads: the number in the block is threadIdx.x, the warp threadIdx.x / 32. The grid may be two-dimensional
// all the same, its blocks are numbered row after row.
template <bool Print>
__global__ void warps_ids_1d(int4* ids, int n) {
  record<Print>(ids, n, blockIdx.y * gridDim.x + blockIdx.x, threadIdx.x);
}

// --- 2-D -------------------------------------------------------------------------------------------------------------
// Rows of threads, one after the other in one line. Warps do not stop at the end of a row: in a block of 40 x 2, warp 1
// has the last 8 threads of the first row and 24 of the second. threadIdx.x / 32 is no longer the warp.
template <bool Print>
__global__ void warps_ids_2d(int4* ids, int n) {
  record<Print>(ids, n, blockIdx.y * gridDim.x + blockIdx.x, threadIdx.y * blockDim.x + threadIdx.x);
}

// --- 3-D -------------------------------------------------------------------------------------------------------------
// Planes of rows of threads: x fastest, then y, then z, of threads and of blocks alike.
template <bool Print>
__global__ void warps_ids_3d(int4* ids, int n) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  record<Print>(ids, n, block, thread);
}

template __global__ void warps_ids_1d<false>(int4*, int);
template __global__ void warps_ids_1d<true>(int4*, int);
template __global__ void warps_ids_2d<false>(int4*, int);
template __global__ void warps_ids_2d<true>(int4*, int);
template __global__ void warps_ids_3d<false>(int4*, int);
template __global__ void warps_ids_3d<true>(int4*, int);
