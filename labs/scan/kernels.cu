// Scans, also called prefix sums: out[i] combines in[0] … in[i] (Inclusive), or only what comes before in[i]
// (Exclusive, out[0] is the neutral element). A ladder from worst to best; each rung says what changed and why it
// should help. T is int or float; Op is Sum, Product or Max (ops.cuh).
//
// A block scans a tile of the array, its share. Tiles know nothing of each other, so that of rungs 1 to 5 each leaves
// its total in sums[blockIdx.x]; the same kernel scans those totals (and the totals of their tiles, as often as it
// takes), and scan_add_offsets adds to each tile what comes before it. Positions are long: those of a last block's
// threads may be beyond 2^31.
#include <cuda/atomic>

#include "ops.cuh"

// The block's dynamic shared memory as an array of T. (An extern array has one type in a file.)
template <typename T>
__device__ T* shared_array() {
  extern __shared__ __align__(16) unsigned char s[];
  return reinterpret_cast<T*>(s);
}

// The second half of rungs 1 to 5: each tile, of per_block elements, lacks what lies before it. It reads and writes
// the whole array once more.
template <typename T, typename Op>
__global__ void scan_add_offsets(T* out, const T* offsets, int per_block, int n) {
  Op op;
  const long first = long(blockIdx.x) * per_block;
  const long end = first + per_block < n ? first + per_block : n;
  for (long i = first + threadIdx.x; i < end; i += blockDim.x) out[i] = op(offsets[blockIdx.x], out[i]);
}

// Inclusive sums of the tile are in s, one per thread. An exclusive sum is the inclusive one of the neighbour.
template <typename Kind, typename Op, typename T>
__device__ void store_tile(const T* s, T* out, T* sums, int n) {
  const unsigned tid = threadIdx.x;
  const long i = long(blockIdx.x) * blockDim.x + tid;
  if (i < n) out[i] = is_inclusive<Kind> ? s[tid] : tid > 0 ? s[tid - 1] : neutral<T, Op>;
  if (tid == blockDim.x - 1) sums[blockIdx.x] = s[tid];
}

// --- 1: doubling distances, in place: a race -------------------------------------------------------------------------
// log2(block) steps; in the step of distance d every thread from d on adds what lies d before it: after it, each
// element is the sum of the 2d that end there. The barrier after a step keeps steps apart, but not the threads within
// one: thread t reads s[t - d] while that element's own thread overwrites it, and whoever comes second sees a sum of
// twice as many. Within a warp, whose lanes load before they store, it goes well by chance; between warps it does not.
template <typename T, typename Op, typename Kind>
__global__ void scan_racy(const T* in, T* out, T* sums, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x;
  const long i = long(blockIdx.x) * blockDim.x + tid;

  s[tid] = i < n ? in[i] : neutral<T, Op>;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (tid >= d) s[tid] = op(s[tid - d], s[tid]);
    __syncthreads();
  }
  store_tile<Kind, Op>(s, out, sums, n);
}

// --- 2: Hillis and Steele, from one buffer into another --------------------------------------------------------------
// Every step reads one array and writes the other: nothing that is read changes, and one barrier per step is enough,
// for twice the shared memory. Right, but wasteful: B - d threads work in the step of distance d, B log2(B) - B + 1
// additions for B elements, where a loop on a CPU needs B - 1.
template <typename T, typename Op, typename Kind>
__global__ void scan_hillis_steele(const T* in, T* out, T* sums, int n) {
  Op op;
  T* from = shared_array<T>();
  T* to = from + blockDim.x;
  const unsigned tid = threadIdx.x;
  const long i = long(blockIdx.x) * blockDim.x + tid;

  from[tid] = i < n ? in[i] : neutral<T, Op>;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    to[tid] = tid >= d ? op(from[tid - d], from[tid]) : from[tid];
    __syncthreads();
    T* other = from;
    from = to;
    to = other;
  }
  store_tile<Kind, Op>(from, out, sums, n);
}

// --- 3: Blelloch, a tree up and down ---------------------------------------------------------------------------------
// Two elements per thread, and a tree over them. Up: pairs, pairs of pairs, the tile's total at last in the rightmost
// element: a reduction. Down: the total gives way to the neutral element, and each node hands to its left child what
// came to it from above, to its right child that and the left child's sum: exclusive sums, at the leaves. The tree has
// 2B - 1 inner nodes, so it takes 2 (2B - 1) additions for 2B elements: linear. But distances double here as they do in
// a reduction: words that are a multiple of 32 apart lie in one bank, at stride 16 the lanes of a warp all meet in one.
template <typename T, typename Op, typename Kind>
__global__ void scan_blelloch(const T* in, T* out, T* sums, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x, size = 2 * blockDim.x;
  const long i = long(blockIdx.x) * size + tid, j = i + blockDim.x;

  const T x = i < n ? in[i] : neutral<T, Op>, y = j < n ? in[j] : neutral<T, Op>;
  s[tid] = x;
  s[tid + blockDim.x] = y;

  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (tid + 1) - 1;
    if (right < size) s[right] = op(s[right - stride], s[right]);
  }
  if (tid == 0) {
    sums[blockIdx.x] = s[size - 1];
    s[size - 1] = neutral<T, Op>;
  }
  for (unsigned stride = blockDim.x; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (tid + 1) - 1;
    if (right < size) {
      const T left_sum = s[right - stride], above = s[right];
      s[right - stride] = above;
      s[right] = op(above, left_sum);
    }
  }
  __syncthreads();
  if (i < n) out[i] = is_inclusive<Kind> ? op(s[tid], x) : s[tid];
  if (j < n) out[j] = is_inclusive<Kind> ? op(s[tid + blockDim.x], y) : s[tid + blockDim.x];
}

// --- 4: skip every 33rd word -----------------------------------------------------------------------------------------
// One unused word after each 32: element e moves to word e + e / 32. Elements 32 apart, one bank before, are now 33
// words apart, in neighbouring banks. Up to a block of 512 no two lanes of a warp meet in a bank, at any stride.
__device__ unsigned padded(unsigned element) { return element + element / 32; }

template <typename T, typename Op, typename Kind>
__global__ void scan_blelloch_padded(const T* in, T* out, T* sums, int n) {
  Op op;
  T* s = shared_array<T>();
  const unsigned tid = threadIdx.x, size = 2 * blockDim.x;
  const long i = long(blockIdx.x) * size + tid, j = i + blockDim.x;

  const T x = i < n ? in[i] : neutral<T, Op>, y = j < n ? in[j] : neutral<T, Op>;
  s[padded(tid)] = x;
  s[padded(tid + blockDim.x)] = y;

  for (unsigned stride = 1; stride < size; stride *= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (tid + 1) - 1;
    if (right < size) s[padded(right)] = op(s[padded(right - stride)], s[padded(right)]);
  }
  if (tid == 0) {
    sums[blockIdx.x] = s[padded(size - 1)];
    s[padded(size - 1)] = neutral<T, Op>;
  }
  for (unsigned stride = blockDim.x; stride > 0; stride /= 2) {
    __syncthreads();
    const unsigned right = 2 * stride * (tid + 1) - 1;
    if (right < size) {
      const T left_sum = s[padded(right - stride)], above = s[padded(right)];
      s[padded(right - stride)] = above;
      s[padded(right)] = op(above, left_sum);
    }
  }
  __syncthreads();
  if (i < n) out[i] = is_inclusive<Kind> ? op(s[padded(tid)], x) : s[padded(tid)];
  if (j < n) out[j] = is_inclusive<Kind> ? op(s[padded(tid + blockDim.x)], y) : s[padded(tid + blockDim.x)];
}

// Inclusive sums over the lanes of a warp, by doubling distances: a shuffle reads the register of a lane further left,
// all lanes at once, before any of them changes it. What raced in rung 1 cannot race here.
template <typename T, typename Op>
__device__ T scan_lanes(T value, Op op) {
  const unsigned lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const T left = __shfl_up_sync(0xffffffff, value, d);
    if (lane >= d) value = op(left, value);
  }
  return value;
}

// Of a block's values, one per thread: what comes before this thread's, and all of them.
template <typename T>
struct Scanned {
  T before, total;
};

// Of the totals of a block's warps, which each lane 31 knows: inclusive sums, in shared memory.
template <typename T, typename Op>
__device__ const T* scan_warps(T total, Op op) {
  __shared__ T of_warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

  if (lane == 31) of_warps[warp] = total;
  __syncthreads();
  if (warp == 0) of_warps[lane] = scan_lanes(lane < warps ? of_warps[lane] : neutral<T, Op>, op);
  __syncthreads();
  return of_warps;
}

template <typename T, typename Op>
__device__ Scanned<T> scan_block(T value, Op op) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;

  const T inclusive = scan_lanes(value, op);
  const T* of_warps = scan_warps(inclusive, op);

  T before = __shfl_up_sync(0xffffffff, inclusive, 1);
  if (lane == 0) before = neutral<T, Op>;
  if (warp > 0) before = op(of_warps[warp - 1], before);
  return {before, of_warps[warps - 1]};
}

// --- 5: warps first --------------------------------------------------------------------------------------------------
// Registers instead of shared memory: every warp scans its 32 values by shuffles, the first warp the warps' totals. Two
// barriers per block where the trees had 19, one word of shared memory per warp instead of per element. Additions go
// up, to five per element: they cost less than what they replace.
template <typename T, typename Op, typename Kind>
__global__ void scan_warp_scan(const T* in, T* out, T* sums, int n) {
  Op op;
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  const T x = i < n ? in[i] : neutral<T, Op>;
  const Scanned<T> scanned = scan_block(x, op);
  if (i < n) out[i] = is_inclusive<Kind> ? op(scanned.before, x) : scanned.before;
  if (threadIdx.x == 0) sums[blockIdx.x] = scanned.total;
}

// Four neighbours, which one instruction loads or stores.
template <typename T>
struct alignas(16) Four {
  T of[4];
};

template <typename T, typename Op>
__device__ Four<T> load_four(const T* in, long i, int n, Op) {
  if (i + 4 <= n) return *reinterpret_cast<const Four<T>*>(in + i);
  Four<T> x;
#pragma unroll
  for (int k = 0; k < 4; ++k) x.of[k] = i + k < n ? in[i + k] : neutral<T, Op>;
  return x;
}

// The results for four neighbours that `before` lies in front of.
template <typename Kind, typename T, typename Op>
__device__ void store_four(T* out, long i, int n, Four<T> x, T before, Op op) {
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const T with_own = op(before, x.of[k]);
    x.of[k] = is_inclusive<Kind> ? with_own : before;
    before = with_own;
  }
  if (i + 4 <= n) {
    *reinterpret_cast<Four<T>*>(out + i) = x;
    return;
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if (i + k < n) out[i + k] = x.of[k];
  }
}

template <typename T, typename Op>
__device__ T sum_of_four(const Four<T>& x, Op op) {
  return op(op(op(x.of[0], x.of[1]), x.of[2]), x.of[3]);
}

// The values of the 32 lanes in their order, in lane 0.
template <typename T, typename Op>
__device__ T reduce_lanes(T value, Op op) {
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) value = op(value, __shfl_down_sync(0xffffffff, value, d));
  return value;
}

// --- 6: three phases -------------------------------------------------------------------------------------------------
// Reduce, scan, scan. The rungs before wrote the whole output, and read and wrote it once more to add the offsets: four
// times n. But a tile's total needs no scan: the first phase only reduces each tile, and writes one value. The second
// scans those totals, the third scans the tiles, each from its own offset: three times n. And each thread takes four
// neighbours, in one 16-byte load, which it adds up by itself: a quarter of the shuffles.
template <typename T, typename Op>
__global__ void scan_three_phase_totals(const T* in, T* totals, int n) {
  Op op;
  __shared__ T of_warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long i = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);

  const T total = reduce_lanes(sum_of_four(load_four(in, i, n, op), op), op);
  if (lane == 0) of_warps[warp] = total;
  __syncthreads();
  if (warp > 0) return;
  const T all = reduce_lanes(lane < blockDim.x / 32 ? of_warps[lane] : neutral<T, Op>, op);
  if (lane == 0) totals[blockIdx.x] = all;
}

template <typename T, typename Op, typename Kind>
__global__ void scan_three_phase(const T* in, T* out, const T* offsets, int n) {
  Op op;
  const long i = 4 * (long(blockIdx.x) * blockDim.x + threadIdx.x);
  const Four<T> x = load_four(in, i, n, op);
  const T before = scan_block(sum_of_four(x, op), op).before;
  store_four<Kind>(out, i, n, x, op(offsets[blockIdx.x], before), op);
}

// --- 7: one pass, looking back ---------------------------------------------------------------------------------------
// Each element is read once and written once: twice n, as much as a copy. A block that has its tile's total publishes
// it, and then looks at the tiles before: to each it adds that tile's total, until it finds one that has published the
// sum of everything up to its end, its prefix. That is its offset; with its own total it publishes its own prefix.
// Nobody waits for a whole chain of blocks, only for totals, and 32 lanes look at 32 tiles at a time.
//
// Looking back is all waiting: a look at another block's word is a trip to the L2 cache and back, hundreds of cycles.
// So there are few tiles, and one trip each: a thread has sixteen elements, not four, and a tile's state and value are
// one word of 64 bits, which is written and read whole (atomically). (As two words they would need two trips and two
// fences between them: the writer's to keep the state from overtaking the value, the reader's to keep it from reading
// the old one.)
//
// Waiting for another block is safe only if that block is running: tiles are not numbered by blockIdx.x, whose order
// nobody promises, but by a ticket drawn at the start, so that all earlier tiles have started.
using Word = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed;   // it orders nothing beside it, and need not
constexpr unsigned total_ready = 1, prefix_ready = 2;  // a tile's state; 0: nothing yet

template <typename T>
__device__ unsigned long long published(unsigned state, T value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return (unsigned long long)state << 32 | bits;
}
template <typename T>
__device__ T value_of(unsigned long long word) {
  const unsigned bits = unsigned(word);
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// By the lanes of one warp; lane 0 gets what lies before the tile.
template <typename T, typename Op>
__device__ T look_back(long tile, unsigned long long* tiles, Op op) {
  T before = neutral<T, Op>;
  for (long end = tile;; end -= 32) {
    const long other = end - 1 - threadIdx.x % 32;                      // lane 0 looks at the nearest tile
    unsigned long long word = published(prefix_ready, neutral<T, Op>);  // in front of the first tile: nothing
    unsigned prefixes, needed, missing;
    do {
      if (other >= 0) word = Word(tiles[other]).load(relaxed);
      prefixes = __ballot_sync(0xffffffff, word >> 32 == prefix_ready);
      needed = prefixes ^ (prefixes - 1);  // the lanes up to the nearest prefix; all of them, where there is none
      missing = __ballot_sync(0xffffffff, word >> 32 == 0);
    } while ((missing & needed) != 0);

    T value = needed >> threadIdx.x % 32 & 1 ? value_of<T>(word) : neutral<T, Op>;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) value = op(__shfl_down_sync(0xffffffff, value, d), value);
    before = op(value, before);
    if (prefixes != 0) return before;
  }
}

// A warp's part of a tile is `rows` rows of 128 neighbours, each loaded and stored at once, four per lane.
template <unsigned rows, typename Kind, typename T, typename Op>
__device__ void scan_tile(const T* in, T* out, unsigned long long* tiles, unsigned* ticket, int n, Op op) {
  __shared__ unsigned tile;
  __shared__ T offset;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();

  const unsigned lane = threadIdx.x % 32, first_of_warp = threadIdx.x - lane;
  const long first = 4 * (rows * (long(tile) * blockDim.x + first_of_warp) + lane);
  Four<T> x[rows];
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) x[r] = load_four(in, first + 128 * r, n, op);

  T before[rows], sum = neutral<T, Op>;  // in the warp: what lies before the lane's four, and the rows so far
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) {
    const T inclusive = scan_lanes(sum_of_four(x[r], op), op);
    const T left = __shfl_up_sync(0xffffffff, inclusive, 1);
    before[r] = lane > 0 ? op(sum, left) : sum;
    sum = op(sum, __shfl_sync(0xffffffff, inclusive, 31));
  }
  const T* of_warps = scan_warps(sum, op);
  const T total = of_warps[blockDim.x / 32 - 1];

  if (threadIdx.x < 32) {
    if (lane == 0) Word(tiles[tile]).store(published(total_ready, total), relaxed);
    const T all_before = look_back<T>(tile, tiles, op);
    if (lane == 0) {
      Word(tiles[tile]).store(published(prefix_ready, op(all_before, total)), relaxed);
      offset = all_before;
    }
  }
  __syncthreads();
  const T before_warp = first_of_warp > 0 ? op(offset, of_warps[first_of_warp / 32 - 1]) : offset;
#pragma unroll
  for (unsigned r = 0; r < rows; ++r) store_four<Kind>(out, first + 128 * r, n, x[r], op(before_warp, before[r]), op);
}

template <typename T, typename Op, typename Kind>
__global__ void scan_look_back(const T* in, T* out, unsigned long long* tiles, unsigned* ticket, int n) {
  scan_tile<4, Kind>(in, out, tiles, ticket, n, Op());
}

// --- 8: looking back from large tiles --------------------------------------------------------------------------------
// While a block looks back, its loads are done and its stores have not begun: DRAM hears nothing of it. Longer tiles
// look back less often. 1024 threads of 32 elements each are a tile of 128 KB, eight times the one before; one block
// fills an SM's registers, and while one half of the SMs wait for a prefix the others keep DRAM busy.
template <typename T, typename Op, typename Kind>
__global__ void __launch_bounds__(1024)
    scan_look_back_large(const T* in, T* out, unsigned long long* tiles, unsigned* ticket, int n) {
  scan_tile<8, Kind>(in, out, tiles, ticket, n, Op());
}

// Every kernel for every type, operation and kind: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template <typename T, typename Op, typename Kind>
struct Ladder : Compile<scan_racy<T, Op, Kind>, scan_hillis_steele<T, Op, Kind>, scan_blelloch<T, Op, Kind>,
                        scan_blelloch_padded<T, Op, Kind>, scan_warp_scan<T, Op, Kind>, scan_three_phase<T, Op, Kind>,
                        scan_look_back<T, Op, Kind>, scan_look_back_large<T, Op, Kind>> {};
template <typename T, typename Op>
struct BothKinds : Compile<scan_add_offsets<T, Op>, scan_three_phase_totals<T, Op>>,
                   Ladder<T, Op, Inclusive>,
                   Ladder<T, Op, Exclusive> {};
template <typename T>
struct AllOperations : BothKinds<T, Sum>, BothKinds<T, Product>, BothKinds<T, Max> {};
template struct AllOperations<int>;
template struct AllOperations<float>;
