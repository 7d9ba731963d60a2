// Reductions: n elements in, one answer out. A ladder from worst to best; each rung says what changed and why it
// should help. T is int, long, float or double; Op is Sum, Product, Min or Max (ops.cuh).
//
// n is an int, at most 2^31 - 1 elements; positions in the array are long, because blockIdx.x * blockDim.x of a large
// grid is more. A block past the end has no elements and contributes the neutral element.
#include <cooperative_groups.h>

#include <cstdio>

#include "ops.cuh"
#include "parts.cuh"

// --- 1: one thread ---------------------------------------------------------------------------------------------------
// The loop of a CPU on a GPU. One lane of one warp works, every load waits for the one before (hundreds of cycles of
// latency, nothing to hide it behind): the slowest way to use the machine, and the one that all others must agree with.
template <typename T, typename Op>
__global__ void reduce_single_thread(const T* in, T* out, int n) {
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  Op op;
  T total = neutral<T, Op>;
  for (int i = 0; i < n; ++i) total = op(total, in[i]);
  *out = total;
}

// --- 2: all threads, one accumulator ---------------------------------------------------------------------------------
// Now every element has a thread, but all of them queue at one address: an atomic makes read-modify-write one step, so
// nothing is lost, and makes n of them serial. `out` starts as the neutral element.
template <typename T, typename Op>
__global__ void reduce_atomic(const T* in, T* out, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) combine_atomically(out, in[i], Op());
}

// --- 3: a tree, in place, in global memory ---------------------------------------------------------------------------
// Neighbouring pairs: log2(block) steps; in step k thread t adds what lies 2^k further on, if t is a multiple of
// 2^(k+1). A barrier after each step: the next one reads what other warps wrote. Half of the threads idle in the first
// step, three quarters in the second, and because they sit in the same warps as the busy ones, all 8 warps of a block
// of 256 stay busy for five steps: 8+8+8+8+8+4+2+1 = 47 warps. One answer per block; the same kernel then reduces
// those.
template <typename T, typename Op>
__global__ void reduce_neighbored(T* in, T* out, int n) {
  Op op;
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);
  T* data = in + part.first;

  for (unsigned offset = 1; offset <= blockDim.x / 2; offset *= 2) {
    if (tid % (2 * offset) == 0 && tid + offset < part.count) data[tid] = op(data[tid], data[tid + offset]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part.count > 0 ? data[0] : neutral<T, Op>;
}

// The same with the loop bound written carelessly: `offset` runs up to blockDim.x, not half of it. The last step pairs
// thread 0 with the next block's first element; only the bounds check keeps it out. It costs a step and a barrier.
template <typename T, typename Op>
__global__ void reduce_neighbored_extra_steps(T* in, T* out, int n) {
  Op op;
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);
  T* data = in + part.first;

  for (unsigned offset = 1; offset <= blockDim.x; offset *= 2) {
    if (tid % (2 * offset) == 0 && tid + offset < part.count) data[tid] = op(data[tid], data[tid + offset]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part.count > 0 ? data[0] : neutral<T, Op>;
}

// --- 4: the same tree, other threads ---------------------------------------------------------------------------------
// The pairs stay, their numbering changes: in step k thread t takes pair t, so the busy threads are the first ones and
// fill whole warps: 4+2+1+1+1+1+1+1 = 12 warps instead of 47. The modulo is gone, too. The addresses are as far apart
// as before: lanes of a warp read words 2, 4, 8 … apart.
template <typename T, typename Op>
__global__ void reduce_neighbored_improved(T* in, T* out, int n) {
  Op op;
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);
  T* data = in + part.first;

  for (unsigned offset = 1; offset <= blockDim.x / 2; offset *= 2) {
    const unsigned i = 2 * offset * tid;
    if (i + offset < part.count) data[i] = op(data[i], data[i + offset]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part.count > 0 ? data[0] : neutral<T, Op>;
}

// --- 5: interleaved pairs --------------------------------------------------------------------------------------------
// Turn the tree round: the first step pairs elements half a block apart, the next a quarter. Thread t always works on
// element t, so neighbouring lanes touch neighbouring words: each warp's access is one contiguous 128-byte line, four
// sectors, where the rung before touched up to 32.
template <typename T, typename Op>
__global__ void reduce_interleaved(T* in, T* out, int n) {
  Op op;
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);
  T* data = in + part.first;

  for (unsigned offset = blockDim.x / 2; offset > 0; offset /= 2) {
    if (tid < offset && tid + offset < part.count) data[tid] = op(data[tid], data[tid + offset]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part.count > 0 ? data[0] : neutral<T, Op>;
}

// --- 6: one block for everything -------------------------------------------------------------------------------------
// The tree over all n elements by a single block, whose threads take several pairs each. No second launch, no atomics:
// __syncthreads orders the whole computation. But a block lives on one SM: the others stay dark. `Print` traces it all.
template <typename T, typename Op, bool Print>
__global__ void reduce_single_block(T* in, T* out, int n) {
  if (blockIdx.x > 0) return;
  Op op;
  const long tid = threadIdx.x;

  for (long stride = 1; stride < n; stride *= 2) {
    for (long i = 2 * stride * tid; i + stride < n; i += 2 * stride * blockDim.x) {
      const T result = op(in[i], in[i + stride]);
      if (Print)
        printf("thread %ld: in[%ld], in[%ld]: %g, %g -> %g\n", tid, i, i + stride, double(in[i]),
               double(in[i + stride]), double(result));
      in[i] = result;
    }
    __syncthreads();
    if (Print && tid == 0) printf("stride = %ld\n", 2 * stride);
    if (Print) __syncthreads();  // the next step's lines come behind it
  }
  if (tid == 0) *out = n > 0 ? in[0] : neutral<T, Op>;
}

// --- 7: the tree, then one atomic per block --------------------------------------------------------------------------
// Many blocks again, each reduces two elements per thread in place and adds its answer to `out` itself: one launch in
// all, and 2 * blockDim.x times fewer atomics than rung 2. Blocks end at different times, so they rarely queue.
template <typename T, typename Op>
__global__ void reduce_tree_atomic(T* in, T* out, int n) {
  Op op;
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, 2 * blockDim.x);
  T* data = in + part.first;

  for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
    const unsigned i = 2 * stride * tid;
    if (i + stride < part.count) data[i] = op(data[i], data[i + stride]);
    __syncthreads();
  }
  if (tid == 0 && part.count > 0) combine_atomically(out, data[0], op);
}

// --- 8: the same in shared memory ------------------------------------------------------------------------------------
// Every step of the tree went through the cache to global memory. Shared memory is on the SM, some 30 cycles away
// instead of hundreds: copy once, reduce there. The input is only read, so it is still there afterwards.
template <typename T, typename Op>
__global__ void reduce_tree_shared(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, 2 * blockDim.x);
  const T* data = in + part.first;

  s[tid] = tid < part.count ? data[tid] : neutral<T, Op>;
  s[tid + blockDim.x] = tid + blockDim.x < part.count ? data[tid + blockDim.x] : neutral<T, Op>;
  __syncthreads();

  for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
    const unsigned i = 2 * stride * tid;
    if (i < 2 * blockDim.x) s[i] = op(s[i], s[i + stride]);
    __syncthreads();
  }
  if (tid == 0) combine_atomically(out, s[0], op);
}

// --- 9: shared memory, divergent -------------------------------------------------------------------------------------
// The next three rungs take shared memory apart, one element per thread. First the tree of rung 3: the busy threads are
// scattered over all warps, 47 warps store where 12 could.
template <typename T, typename Op>
__global__ void reduce_shared_divergent(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);

  s[tid] = tid < part.count ? in[part.first + tid] : neutral<T, Op>;
  __syncthreads();

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// --- 10: shared memory, strided --------------------------------------------------------------------------------------
// Rung 4's numbering: 12 working warps. The price shows only in shared memory: the lanes of a warp access words
// 2 * stride apart, and words a multiple of 32 apart lie in the same one of the 32 banks. The first step already
// doubles up, two lanes per bank; at stride 4 the 32 lanes share four banks, 8 wavefronts where 1 would do.
template <typename T, typename Op>
__global__ void reduce_shared_strided(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);

  s[tid] = tid < part.count ? in[part.first + tid] : neutral<T, Op>;
  __syncthreads();

  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned i = 2 * stride * tid;
    if (i < blockDim.x) s[i] = op(s[i], s[i + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// --- 11: shared memory, sequential -----------------------------------------------------------------------------------
// Rung 5's order: thread t works on word t, neighbouring lanes on neighbouring banks: 12 working warps and no conflict.
template <typename T, typename Op>
__global__ void reduce_shared_sequential(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;
  const Part part = part_of_block(n, blockDim.x);

  s[tid] = tid < part.count ? in[part.first + tid] : neutral<T, Op>;
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// Four elements, blockDim.x apart, combined in a register on their way in: each of the four loads is coalesced, none
// waits for another, and what enters the tree is a quarter of the data.
template <typename T, typename Op>
__device__ T first_four(const T* in, Part part, Op op) {
  const T* data = in + part.first;
  T value = neutral<T, Op>;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned i = threadIdx.x + k * blockDim.x;
    if (i < part.count) value = op(value, data[i]);
  }
  return value;
}

// --- 12: first add, then store ---------------------------------------------------------------------------------------
// Half of the threads never did more than load. Let every thread combine four elements before the tree starts: a
// quarter of the blocks, barriers and partial results, and four loads in flight per thread to hide latency.
template <typename T, typename Op>
__global__ void reduce_first_add(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;

  s[tid] = first_four(in, part_of_block(n, 4 * blockDim.x), op);
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// --- 13: unroll the last warp ----------------------------------------------------------------------------------------
// The last six steps concern one warp only, yet all warps come to their barriers. One warp needs none to agree with
// itself, and six steps without a loop save its counter and branch. First as it was done for ten years: before Volta
// the lanes of a warp ran in lockstep, and `volatile` was enough. Since then they may run apart, and nothing says that
// all have read a word before its owner writes the next step into it: a race, which `--sanitize racecheck` names.
template <typename T, typename Op>
__global__ void reduce_volatile_last_warp(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;

  s[tid] = first_four(in, part_of_block(n, 4 * blockDim.x), op);
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid >= 32) return;
  volatile T* v = s;
  v[tid] = op(T(v[tid]), T(v[tid + 32]));
  v[tid] = op(T(v[tid]), T(v[tid + 16]));
  v[tid] = op(T(v[tid]), T(v[tid + 8]));
  v[tid] = op(T(v[tid]), T(v[tid + 4]));
  v[tid] = op(T(v[tid]), T(v[tid + 2]));
  v[tid] = op(T(v[tid]), T(v[tid + 1]));
  if (tid == 0) out[blockIdx.x] = v[0];
}

// The same without the race: one __syncwarp before each store (all have read), one after (all have written), cheaper
// than a barrier of the block. Lanes 16 to 31 combine what nobody uses; asking them not to would cost a branch.
template <typename T, typename Op>
__global__ void reduce_unroll_last_warp(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;

  s[tid] = first_four(in, part_of_block(n, 4 * blockDim.x), op);
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid >= 32) return;
  T value = op(s[tid], s[tid + 32]);
#pragma unroll
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    __syncwarp();
    s[tid] = value;
    __syncwarp();
    value = op(value, s[tid + stride]);
  }
  if (tid == 0) out[blockIdx.x] = value;
}

// --- 14: shuffle the last warp ---------------------------------------------------------------------------------------
// The last warp's values need not go through shared memory at all: registers of other lanes are one instruction away.
template <typename T, typename Op>
__global__ void reduce_shuffle_last_warp(const T* in, T* out, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;

  s[tid] = first_four(in, part_of_block(n, 4 * blockDim.x), op);
  __syncthreads();

  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) s[tid] = op(s[tid], s[tid + stride]);
    __syncthreads();
  }
  if (tid >= 32) return;
  const T value = reduce_lanes(op(s[tid], s[tid + 32]), op);
  if (tid == 0) out[blockIdx.x] = value;
}

// The values of a block's threads to one, in thread 0: lanes by shuffles, then the warps' results (32 at most) by
// shuffles of the first warp. One barrier, and shared memory for one value per warp.
template <typename T, typename Op>
__device__ T reduce_block(T value, Op op) {
  __shared__ T of_warp[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  value = reduce_lanes(value, op);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? of_warp[lane] : neutral<T, Op>;
    value = reduce_lanes(value, op);
  }
  return value;
}

// --- 15: warp, block, grid -------------------------------------------------------------------------------------------
// Shuffles all the way: every warp reduces itself, one barrier, the first warp reduces the warps, one atomic per block,
// and all in one launch. Three levels, each by the cheapest means: registers, shared memory, global memory.
template <typename T, typename Op>
__global__ void reduce_warp(const T* in, T* out, int n) {
  Op op;
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  T value = i < n ? in[i] : neutral<T, Op>;
  value = reduce_block(value, op);
  if (threadIdx.x == 0) combine_atomically(out, value, op);
}

// --- 16: stride over the grid, four at a time ------------------------------------------------------------------------
// Only as many blocks as the GPU holds at once; each thread walks on by the size of the grid. Threads start once, the
// tree at the end is paid once per resident block, and 16-byte loads move four elements (two, of 8 bytes) per
// instruction: fewer instructions in flight for the same bytes. What n % 4 leaves over, the first threads take.
template <typename T>
struct alignas(16) Four {
  T x, y, z, w;
};

template <typename T, typename Op>
__global__ void reduce_grid_stride_vec4(const T* in, T* out, int n) {
  Op op;
  const Four<T>* fours = reinterpret_cast<const Four<T>*>(in);
  const long first = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long stride = long(gridDim.x) * blockDim.x;

  T value = neutral<T, Op>;
  for (long i = first; i < n / 4; i += stride) {
    const Four<T> four = fours[i];
    value = op(value, op(op(four.x, four.y), op(four.z, four.w)));
  }
  for (long i = n / 4 * 4 + first; i < n; i += stride) value = op(value, in[i]);

  value = reduce_block(value, op);
  if (threadIdx.x == 0) combine_atomically(out, value, op);
}

// --- 17: eight loads under way ---------------------------------------------------------------------------------------
// The rung before asks for one vector of 16 bytes, adds it and asks again; other warps keep memory busy meanwhile. But
// bandwidth is bytes under way divided by latency (Little). Here a thread asks for eight vectors, adds them, and is
// done: no loop, one tile per block. A tile's vectors lie a block's width apart, so that each request is whole.
constexpr int under_way = 8;

template <typename T, typename Op>
__global__ void reduce_eight_loads(const T* in, T* out, int n) {
  Op op;
  const Four<T>* fours = reinterpret_cast<const Four<T>*>(in);
  const long tile = long(blockDim.x) * under_way, first = blockIdx.x * tile + threadIdx.x;
  const auto combined = [&](const Four<T>& four) { return op(op(four.x, four.y), op(four.z, four.w)); };

  T value = neutral<T, Op>;
  if ((blockIdx.x + 1) * tile <= n / 4) {
    Four<T> four[under_way];
    for (int k = 0; k < under_way; ++k) four[k] = fours[first + k * blockDim.x];
    for (int k = 0; k < under_way; ++k) value = op(value, combined(four[k]));
  } else {  // the end of the input
    for (long i = first; i < min((blockIdx.x + 1) * tile, long(n / 4)); i += blockDim.x) {
      value = op(value, combined(fours[i]));
    }
    const long left = n / 4 * 4 + threadIdx.x;  // what n % 4 leaves over is the block's in whose tile it lies
    if (blockIdx.x == n / 4 / tile && left < n) value = op(value, in[left]);
  }

  value = reduce_block(value, op);
  if (threadIdx.x == 0) combine_atomically(out, value, op);
}

// --- 18: a barrier for the whole grid --------------------------------------------------------------------------------
// Blocks cannot wait for each other: which of them run at the same time is the hardware's affair, and a block that
// waits for one that has not started waits forever. Unless all of them are on the GPU at once, which a cooperative
// launch promises (or refuses). Then a barrier over the grid parts the two passes of one launch: every block stores its
// result, all meet, and the first block reduces the results, in a fixed order. It costs about a microsecond, and the
// other blocks wait for it with nothing left to do.
template <typename T, typename Op>
__global__ void reduce_cooperative(const T* in, T* out, T* partials, int n) {
  Op op;
  const auto grid = cooperative_groups::this_grid();

  T value = neutral<T, Op>;
  for (long i = grid.thread_rank(); i < n; i += grid.size()) value = op(value, in[i]);
  value = reduce_block(value, op);
  if (threadIdx.x == 0) partials[blockIdx.x] = value;

  grid.sync();
  if (blockIdx.x > 0) return;
  value = neutral<T, Op>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) value = op(value, partials[i]);
  value = reduce_block(value, op);
  if (threadIdx.x == 0) *out = value;
}

// --- 19: the last block finishes -------------------------------------------------------------------------------------
// Atomics on floats add in the order in which blocks happen to end: the last digits change from run to run. Here every
// block stores its result and draws a ticket; whoever draws the last one knows that all results are there, and reduces
// them in a fixed order: one launch and the same bits every time. The fence makes the result visible before the ticket
// is; without it the last block may read an old value. atomicInc wraps to 0: the ticket is ready for the next launch.
template <typename T, typename Op>
__global__ void reduce_single_pass(const T* in, T* out, T* partials, unsigned* ticket, int n) {
  Op op;
  const long first = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const long stride = long(gridDim.x) * blockDim.x;
  __shared__ bool is_last;

  T value = neutral<T, Op>;
  for (long i = first; i < n; i += stride) value = op(value, in[i]);
  value = reduce_block(value, op);

  if (threadIdx.x == 0) {
    partials[blockIdx.x] = value;
    __threadfence();
    is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  value = neutral<T, Op>;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) value = op(value, partials[i]);
  value = reduce_block(value, op);
  if (threadIdx.x == 0) *out = value;
}

// Every kernel for every type and operation: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template <typename T, typename Op>
struct Ladder : Compile<reduce_single_thread<T, Op>, reduce_atomic<T, Op>, reduce_neighbored<T, Op>,
                        reduce_neighbored_extra_steps<T, Op>, reduce_neighbored_improved<T, Op>,
                        reduce_interleaved<T, Op>, reduce_single_block<T, Op, false>, reduce_single_block<T, Op, true>,
                        reduce_tree_atomic<T, Op>, reduce_tree_shared<T, Op>, reduce_shared_divergent<T, Op>,
                        reduce_shared_strided<T, Op>, reduce_shared_sequential<T, Op>, reduce_first_add<T, Op>,
                        reduce_volatile_last_warp<T, Op>, reduce_unroll_last_warp<T, Op>,
                        reduce_shuffle_last_warp<T, Op>, reduce_warp<T, Op>, reduce_grid_stride_vec4<T, Op>,
                        reduce_eight_loads<T, Op>, reduce_cooperative<T, Op>, reduce_single_pass<T, Op>> {};
template <typename T>
struct AllOperations : Ladder<T, Sum>, Ladder<T, Product>, Ladder<T, Min>, Ladder<T, Max> {};
template struct AllOperations<int>;
template struct AllOperations<long>;
template struct AllOperations<float>;
template struct AllOperations<double>;
