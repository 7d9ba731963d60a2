// Unrolling: the same work in fewer instructions. A loop spends a counter, a comparison and a branch on each iteration;
// a block spends its start, its tree and its barriers on each element that it reduces. Written out, or done for several
// elements at a time, that is paid once for many.
//
// The sum of n ints as in the lecture: each block adds up its part of `in` and stores one result, out[blockIdx.x];
// adding those is left to the host. Positions are long: a large grid has more threads than an int counts.

// Shared memory of the block: a word for each thread.
extern __shared__ int s[];

// The tree of all rungs but the last three: half of the threads add the other half's values, then half of those, a
// barrier after each step. For a block of 256: eight steps, the counter, two branches and a barrier for each.
__device__ void add_tree(int* out) {
  const unsigned tid = threadIdx.x;
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (tid < stride) s[tid] += s[tid + stride];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s[0];
}

// --- 1 to 5: unroll a loop -------------------------------------------------------------------------------------------
// A thread adds `per_thread` elements, a number that is known only when the kernel runs; those of a warp lie together,
// a lane's 32 apart. For each element the loop loads and adds: two instructions. And it steps on, counts, compares and
// branches: four more. `#pragma unroll 4` makes the compiler write the body four times and count in fours: the four are
// paid once for four elements, whose loads do not wait for each other. What the fours leave over takes a second loop.
template <int factor>
__global__ void unroll_loop(const int* in, int* out, int n, int per_thread) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const long first = (long(blockIdx.x) * blockDim.x + warp * 32) * per_thread + lane;
  const long left = (n - first + 31) / 32;
  const int count = left < per_thread ? left : per_thread;
  const int* data = in + first;
  int sum = 0;
#pragma unroll factor
  for (int k = 0; k < count; ++k, data += 32) sum += *data;
  s[threadIdx.x] = sum;
  add_tree(out);
}

// This thread's elements of `blocks` neighbouring blocks' parts, blockDim.x apart. Each is checked by itself: with one
// check for all of them, what n leaves over would be lost.
template <int blocks>
__device__ int add_blocks(const int* in, int n) {
  const long first = long(blockIdx.x) * (blocks * blockDim.x) + threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int k = 0; k < blocks; ++k) {
    const long i = first + k * long(blockDim.x);
    if (i < n) sum += in[i];
  }
  return sum;
}

// --- 6 to 9: unroll over blocks --------------------------------------------------------------------------------------
// The lecture's way, without a loop: with blocks = 1 there is a thread for each element, and half of them only load.
// With 2, 4 and 8 a block takes over the parts of the next ones: each thread adds that many elements on their way in,
// and an eighth of the blocks start, go through the tree and wait at its barriers.
template <int blocks>
__global__ void unroll_blocks(const int* in, int* out, int n) {
  s[threadIdx.x] = add_blocks<blocks>(in, n);
  add_tree(out);
}

// The last six steps of the tree by the first warp alone, which needs no barrier of the block to agree with itself, and
// no loop: the strides are known. Since Volta the lanes of a warp may run apart (`volatile` does not hold them
// together): one __syncwarp before the store, so that all have read, and one after it, so that all have written.
__device__ void add_last_warp(int* out) {
  const unsigned tid = threadIdx.x;
  if (tid >= 32) return;
  int sum = s[tid] + s[tid + 32];
#pragma unroll
  for (unsigned stride = 16; stride > 0; stride /= 2) {
    __syncwarp();
    s[tid] = sum;
    __syncwarp();
    sum += s[tid + stride];
  }
  if (tid == 0) out[blockIdx.x] = sum;
}

// --- 10: unroll the last warp ----------------------------------------------------------------------------------------
// Rung 9, but when 64 values are left, only one warp has work: the others need not come to its barriers any more. Three
// barriers of a block of 256 remain of nine.
__global__ void unroll_last_warp(const int* in, int* out, int n) {
  const unsigned tid = threadIdx.x;
  s[tid] = add_blocks<8>(in, n);
  __syncthreads();
#pragma unroll 1
  for (unsigned stride = blockDim.x / 2; stride > 32; stride /= 2) {
    if (tid < stride) s[tid] += s[tid + stride];
    __syncthreads();
  }
  add_last_warp(out);
}

// --- 11: all steps written out, the block known at run time ----------------------------------------------------------
// A block has at most 1024 threads, so there are at most four steps before the last warp: write them all, and ask
// before each whether the block is that large. `>=`, not `==`: a block of 1024 needs the steps of 512 and 256, too. No
// counter and no shift is left, but four comparisons are, of which the answer never changes.
__global__ void unroll_complete_runtime(const int* in, int* out, int n) {
  const unsigned tid = threadIdx.x;
  s[tid] = add_blocks<8>(in, n);
  __syncthreads();
  if (blockDim.x >= 1024) {
    if (tid < 512) s[tid] += s[tid + 512];
    __syncthreads();
  }
  if (blockDim.x >= 512) {
    if (tid < 256) s[tid] += s[tid + 256];
    __syncthreads();
  }
  if (blockDim.x >= 256) {
    if (tid < 128) s[tid] += s[tid + 128];
    __syncthreads();
  }
  if (blockDim.x >= 128) {
    if (tid < 64) s[tid] += s[tid + 64];
    __syncthreads();
  }
  add_last_warp(out);
}

// --- 12: all steps written out, the block a template parameter -------------------------------------------------------
// The same, and the compiler knows the answers: it keeps the steps that this block has and drops the others with their
// comparisons. A kernel for each size of block is the price; the host picks the one that it launches.
template <int block>
__global__ void unroll_complete_template(const int* in, int* out, int n) {
  const unsigned tid = threadIdx.x;
  s[tid] = add_blocks<8>(in, n);
  __syncthreads();
  if (block >= 1024) {
    if (tid < 512) s[tid] += s[tid + 512];
    __syncthreads();
  }
  if (block >= 512) {
    if (tid < 256) s[tid] += s[tid + 256];
    __syncthreads();
  }
  if (block >= 256) {
    if (tid < 128) s[tid] += s[tid + 128];
    __syncthreads();
  }
  if (block >= 128) {
    if (tid < 64) s[tid] += s[tid + 64];
    __syncthreads();
  }
  add_last_warp(out);
}

// Naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template struct Compile<unroll_blocks<1>, unroll_blocks<2>, unroll_blocks<4>, unroll_blocks<8>, unroll_loop<1>,
                        unroll_loop<2>, unroll_loop<4>, unroll_loop<8>, unroll_loop<16>, unroll_complete_template<64>,
                        unroll_complete_template<128>, unroll_complete_template<256>, unroll_complete_template<512>,
                        unroll_complete_template<1024>>;
