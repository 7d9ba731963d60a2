// What racecheck says against a race: one remedy, which fits. README.md says how the comments are read.
// A mark is of its whole line: clang-format must not part one.
// clang-format off

// The last warp of the classic reduction: its barriers are of the warp, for the others are not there.
// guilty <<<1, 64>>> in[64] out[1]
// advised: both are of one warp: read into a variable, __syncwarp(), then write, and __syncwarp() again behind it
__device__ void last_warp(volatile int* s, int t) {
  s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8];  // guilty: racecheck read write
}
extern "C" __global__ void reduction_by_one_warp_of_two(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + t;
  __syncthreads();
  if (t < 32) {
    last_warp(s, t);
  }
  if (t == 0) *out = s[0];
}

// Two mistakes: the other warp has to be waited for, and in the last rounds each lane for the others.
// guilty <<<1, 64>>> in[64] out[32]
// advised: put __syncthreads() between them, outside of the branch, where all threads of the block come by
// advised: both are of one warp: put __syncwarp() between them
extern "C" __global__ void reduction_whose_last_warp_waits_for_nobody(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + t;  // guilty: racecheck write
  if (t < 32) {
    s[t] += s[t + 32];  // guilty: racecheck read write
    out[t] = s[t ^ 1];  // guilty: racecheck read
  }
}

// guilty <<<1, 64>>> in[64] out[64]
// advised: both are of one warp: put __syncwarp() between them
extern "C" __global__ void exchange_within_each_of_two_warps(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + t;   // guilty: racecheck write
  out[t] = s[t ^ 1];  // guilty: racecheck read
}

// guilty <<<1, 64>>> in[64] out[64]
// advised: both are of one warp: put __syncwarp() between them, outside of the branch, where all lanes of the warp come by
extern "C" __global__ void exchange_by_half_a_warp(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < 16) {
    s[t] = in[t] + t;   // guilty: racecheck write
    out[t] = s[t ^ 1];  // guilty: racecheck read
  }
}

// guilty <<<1, 256>>> in[256] out[256]
// advised: put __syncthreads() between them, outside of the branch, where all threads of the block come by
extern "C" __global__ void exchange_by_half_a_block(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  if (t < 128) {
    s[t] = in[t] + t;      // guilty: racecheck write
    out[t] = s[127 - t];  // guilty: racecheck read
  }
}

// guilty <<<1, 64>>> in[128] out[64] 3
// advised: put __syncthreads() between them
extern "C" __global__ void uniform_branch(const int* in, int* out, int turn) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (turn > 2) {
    s[t] = in[t] + t;    // guilty: racecheck write
    out[t] = s[63 - t];  // guilty: racecheck read
  }
}

// guilty <<<1, 16x16>>> a[1024] b[1024] c[256] 4
// advised: put __syncthreads() at the end of the round, behind both
extern "C" __global__ void tiles_refilled_too_early(const int* a, const int* b, int* c, int tiles) {
  __shared__ int row[16][16], column[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    row[y][x] = a[y * 64 + tile * 16 + x] + tile;       // guilty: racecheck write
    column[y][x] = b[(tile * 16 + y) * 16 + x] + tile;  // guilty: racecheck write
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += row[y][k] * column[k][x];  // guilty: racecheck read
  }
  c[y * 16 + x] = sum;
}

// The same with a number of rounds that the compiler knows: it writes them one behind the other.
// guilty <<<1, 64>>> in[192] out[64]
// advised: put __syncthreads() at the end of the round, behind both
extern "C" __global__ void unrolled_rounds_refill_too_early(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  int sum = 0;
#pragma unroll
  for (int round = 0; round < 3; ++round) {
    s[t] = in[round * 64 + t] + 100 * round;  // guilty: racecheck write
    __syncthreads();
    sum += s[63 - t];  // guilty: racecheck read
  }
  out[t] = sum;
}

// guilty <<<1, 64>>> in[64] out[64] 4
// advised: put __syncthreads() between them, and again at the end of the round
extern "C" __global__ void rounds_without_any_barrier(const int* in, int* out, int rounds) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    s[t] = in[t] + 100 * round;   // guilty: racecheck write
    out[t] += s[63 - t] * round;  // guilty: racecheck read
  }
}

// guilty <<<1, 64>>> in[64] out[64]
// advised: read into a variable, __syncthreads(), then write, outside of the branch, where all threads of the block come by
extern "C" __global__ void scan_in_place(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    if (t >= distance) s[t] += s[t - distance];  // guilty: racecheck read write
  }
  out[t] = s[t];
}

// guilty <<<1, 64>>> in[64] out[16]
// advised: update it by an atomic operation (of x[i] += y: atomicAdd(&x[i], y))
extern "C" __global__ void histogram_in_shared_memory(const int* in, int* out) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  bins[in[t] & 15] += t;  // guilty: racecheck read write
  __syncthreads();
  if (t < 16) out[t] = bins[t];
}

// A barrier between them would leave two threads that write.
// guilty <<<1, 64>>> in[64] out[16]
// advised: update it by an atomic operation (of x[i] += y: atomicAdd(&x[i], y))
extern "C" __global__ void update_on_two_lines(const int* in, int* out) {
  __shared__ int most;
  const int t = threadIdx.x;
  if (t == 0) most = 0;
  __syncthreads();
  const int before = most;    // guilty: racecheck read
  most = before + in[t] + t;  // guilty: racecheck write
  __syncthreads();
  if (t == 0) out[0] = most;
}

// guilty <<<1, 64>>> in[64] out[1]
// advised: let one of them write it, or each thread an element of its own
extern "C" __global__ void everybody_writes_what_he_has(const int* in, int* out) {
  __shared__ int last;
  last = in[threadIdx.x] + threadIdx.x;  // guilty: racecheck write
  __syncthreads();
  if (threadIdx.x == 0) out[0] = last;
}

// guilty <<<4, 64>>> x[256] 256
// advised: all blocks use the same index: make it blockIdx.x * blockDim.x + threadIdx.x
extern "C" __global__ void index_without_the_block(int* x, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] = x[i] + 1;  // guilty: racecheck read write
}

// guilty <<<4, 64>>> x[512] 512
// advised: all blocks come to the same indices, for the loop steps by one block: step by gridDim.x * blockDim.x
extern "C" __global__ void grid_stride_of_one_block(int* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) x[i] = 2 * x[i] + 1;  // guilty: racecheck read write
}

// The bins of all blocks are meant to be the same.
// guilty <<<4, 64>>> in[256] bins[64]
// advised: all blocks use the same index, without blockIdx: add blockIdx.x * blockDim.x where each block has elements of its own; where all add to the same ones, do it by an atomic operation
extern "C" __global__ void bins_of_blocks_added_up(const int* in, int* bins) {
  __shared__ int mine[64];
  const int t = threadIdx.x;
  mine[t] = 0;
  __syncthreads();
  atomicAdd(&mine[in[blockIdx.x * 64 + t] & 63], t + 1);
  __syncthreads();
  bins[t] += mine[t];  // guilty: racecheck read write
}

// guilty <<<4, 64>>> in[256] sum[1]=0
// advised: update it by an atomic operation (of x[i] += y: atomicAdd(&x[i], y))
extern "C" __global__ void sum_of_blocks(const int* in, int* sum) {
  if (threadIdx.x == 0) *sum += in[blockIdx.x] + 1;  // guilty: racecheck read write
}

// guilty <<<4, 64>>> x[256] 256
// advised: no barrier orders blocks: write into another array than the one that is read
extern "C" __global__ void smoothed_in_place(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) x[i] = x[i - 1] + x[i + 1] + i;  // guilty: racecheck read write
}

// guilty <<<4, 64>>> in[256] x[256] 256
// advised: no barrier orders blocks: read it in another launch
extern "C" __global__ void reads_what_the_next_block_writes(const int* in, int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = in[i] + i;                     // guilty: racecheck write
  if (i + 1 < n && x[i + 1] == -1) {    // guilty: racecheck read
    __trap();
  }
}

// Who is last finds no fence behind the others' stores.
// guilty <<<4, 64>>> in[256] part[4] done[1]=0 sum[1]
// advised: no barrier orders blocks: hand it over by an atomic behind __threadfence(), or in another launch
extern "C" __global__ void last_block_without_a_fence(const int* in, int* part, unsigned* done, int* sum) {
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = in[blockIdx.x] + 1;  // guilty: racecheck write
  if (atomicAdd(done, 1u) != gridDim.x - 1) return;
  int all = 0;
  for (int b = 0; b < gridDim.x; ++b) all += part[b];  // guilty: racecheck read
  *sum = all;
}

// guilty <<<4, 1>>> in[256] most[1]=0
// advised: no barrier orders blocks: hand it over by an atomic behind __threadfence(), or in another launch; where blocks update one element, do it by an atomic operation
extern "C" __global__ void most_of_all_by_looking_first(const int* in, int* most) {
  const int v = in[blockIdx.x] + 1000 * blockIdx.x;
  if (v > *most)  // guilty: racecheck read
    *most = v;    // guilty: racecheck write
}
