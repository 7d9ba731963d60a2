// racecheck in shared memory. README.md says how the comments are read.

// guilty <<<2, 64, 256>>> in[128] out[2]
extern "C" __global__ void reduction_without_barrier_after_the_load(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t] + 1;  // guilty: racecheck write
  if (t < 32) s[t] += s[t + 32];               // guilty: racecheck read
  __syncthreads();
  for (int half = 16; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// guilty <<<2, 128, 512>>> in[256] out[2]
extern "C" __global__ void reduction_without_barrier_in_the_loop(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t] + 1;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2)
    if (t < half) s[t] += s[t + half];  // guilty: racecheck read write
  __syncthreads();
  if (t == 0) out[blockIdx.x] = s[0];
}

// guilty <<<1, 128>>> in[128] out[128]
extern "C" __global__ void result_read_without_barrier(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    const int sum = t < half ? s[t] + s[t + half] : 0;
    __syncthreads();
    if (t < half) s[t] = sum;  // guilty: racecheck write
    if (half > 1) __syncthreads();
  }
  out[t] = s[0];  // guilty: racecheck read
}

// guilty <<<2x2, 16x16>>> in[1024] out[1024] 32
extern "C" __global__ void transpose_without_barrier(const int* in, int* out, int n) {
  __shared__ int tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x] + 1;  // guilty: racecheck write
  out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y];     // guilty: racecheck read
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void scan_reads_what_the_step_writes(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    const int left = t >= distance ? s[t - distance] : 0;  // guilty: racecheck read
    s[t] += left;                                          // guilty: racecheck write
  }
  out[t] = s[t];
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __global__ void stencil_without_barrier(const int* in, int* out) {
  __shared__ int s[66];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i] + 1;  // guilty: racecheck write
  if (t == 0) s[0] = 0;
  if (t == 63) s[65] = 0;
  out[i] = s[t] + s[t + 2];  // guilty: racecheck read
}

// guilty <<<1, 16x16>>> a[1024] b[1024] c[256]
extern "C" __global__ void product_without_the_second_barrier(const int* a, const int* b, int* c) {
  __shared__ int row[16][16], column[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    row[y][x] = a[y * 64 + tile * 16 + x] + tile;       // guilty: racecheck write
    column[y][x] = b[(tile * 16 + y) * 16 + x] + tile;  // guilty: racecheck write
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += row[y][k] * column[k][x];  // guilty: racecheck read
  }
  c[y * 16 + x] = sum;
}

// guilty <<<1, 64>>> in[64] out[256]
extern "C" __global__ void broadcast_overwritten_too_early(const int* in, int* out) {
  __shared__ int pivot;
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    if (t == 0) pivot = in[step] + 100 * step;  // guilty: racecheck write
    __syncthreads();
    out[step * 64 + t] = pivot;  // guilty: racecheck read
  }
}

// The classic of old lectures: right until warps stopped being in lockstep (Volta).
// guilty <<<2, 32>>> in[128] out[2]
extern "C" __global__ void last_warp_unrolled_by_volatile(const int* in, int* out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t] + 1;
  s[t + 32] = in[blockIdx.x * 64 + t + 32] + 1;
  __syncwarp();
  s[t] += s[t + 32];  // guilty: racecheck write
  s[t] += s[t + 16];  // guilty: racecheck read write
  __syncwarp();
  if (t == 0) out[blockIdx.x] = s[0];
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __global__ void missing_syncwarp(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = in[i] + t;   // guilty: racecheck write
  out[i] = s[t ^ 1];  // guilty: racecheck read
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void syncwarp_where_warps_meet(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + t;  // guilty: racecheck write
  __syncwarp();
  out[t] = s[63 - t];  // guilty: racecheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void half_warps_synchronise_alone(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = in[t] + t;  // guilty: racecheck write
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  out[t] = s[31 - t];  // guilty: racecheck read
}

// A barrier does not wait for the warp that has left, nor does it say that its write is over.
// guilty <<<1, 64>>> in[64] out[32]
extern "C" __global__ void warp_that_writes_and_leaves(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + 1;  // guilty: racecheck write
  if (t >= 32) return;
  __syncthreads();     // noted: synccheck
  out[t] = s[63 - t];  // guilty: racecheck read
}

// Warps 0, 1 and 2 read, 0 and 2 say so to the one that writes.
// guilty <<<1, 128>>> in[1] out[96]
extern "C" __global__ void one_of_three_reading_warps_is_not_waited_for(const int* in, int* out) {
  __shared__ int s;
  const int t = threadIdx.x;
  if (t == 0) s = in[0];
  __syncthreads();
  if (t < 96) out[t] = s;  // guilty: racecheck read
  if (t / 32 != 1) asm volatile("bar.sync 1, 96;" ::: "memory");
  if (t == 96) s = -1;  // guilty: racecheck write
  asm volatile("" ::: "memory");
}

// guilty <<<2, 64>>> in[128] out[32]
extern "C" __global__ void histogram_in_shared_memory_without_atomics(const int* in, int* out) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  ++bins[in[blockIdx.x * 64 + t] & 15];  // guilty: racecheck read write
  __syncthreads();
  if (t < 16) out[blockIdx.x * 16 + t] = bins[t];
}

// guilty <<<1, 64>>> in[64] out[16]
extern "C" __global__ void byte_by_way_of_its_word(const int* in, int* out) {
  __shared__ int words[16];
  const int t = threadIdx.x;
  if (t < 16) words[t] = 0;
  __syncthreads();
  words[t / 4] |= (in[t] & 255 | 1) << 8 * (t % 4);  // guilty: racecheck read write
  __syncthreads();
  if (t < 16) out[t] = words[t];
}

// guilty <<<1, 64>>> in[64] out[1]
extern "C" __global__ void all_write_different_values(const int* in, int* out) {
  __shared__ int last;
  last = in[threadIdx.x] * 64 + threadIdx.x;  // guilty: racecheck write
  __syncthreads();
  if (threadIdx.x == 0) out[0] = last;
}

// guilty <<<1, 64>>> in[64] out[1]
extern "C" __global__ void sum_read_while_others_add(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x] + 1);  // guilty: racecheck atomic
  if (threadIdx.x == 0) out[0] = sum;    // guilty: racecheck read
}

// guilty <<<1, 64>>> in[64] out[1]
extern "C" __global__ void counter_cleared_while_others_add(const int* in, int* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;         // guilty: racecheck write
  atomicAdd(&sum, in[threadIdx.x] + 1);  // guilty: racecheck atomic
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

// Each half of the block has a barrier of its own, and reads what the other half wrote.
// guilty <<<1, 128>>> in[128] out[128]
extern "C" __global__ void named_barriers_of_two_halves(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t] + t;  // guilty: racecheck write
  asm volatile("bar.sync %0, 64;" ::"r"(1 + t / 64) : "memory");
  out[t] = s[127 - t];  // guilty: racecheck read
}

// The consumer never says that the buffer is free again.
// guilty <<<1, 64>>> in[128] out[128]
extern "C" __global__ void producer_does_not_wait_for_the_consumer(const int* in, int* out) {
  __shared__ int buffer[32];
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    if (t < 32) {
      buffer[t] = in[step * 32 + t] + 100 * step;  // guilty: racecheck write
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + step) : "memory");
    } else {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + step) : "memory");
      out[step * 32 + t - 32] = buffer[63 - t];  // guilty: racecheck read
    }
  }
}

// guilty <<<1, 64>>> in[256] out[256]
extern "C" __global__ void double_buffer_that_never_swaps(const int* in, int* out) {
  __shared__ int buffer[2][64];
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    buffer[0][t] = in[step * 64 + t] + 100 * step;  // guilty: racecheck write
    __syncthreads();
    out[step * 64 + t] = buffer[0][63 - t];  // guilty: racecheck read
  }
}

// guilty <<<1, 64>>> in[64] out[2]
extern "C" __global__ void partials_of_warps_without_barrier(const int* in, int* out) {
  __shared__ int partial[2];
  const int t = threadIdx.x;
  int sum = in[t] + 1;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (t % 32 == 0) partial[t / 32] = sum;        // guilty: racecheck write
  if (t == 0) out[0] = partial[0] + partial[1];  // guilty: racecheck read
}

// The tile of the next round overwrites this one's with the values that it has already: as textbooks' matrices of ones
// do. Who still reads does not know that.
// guilty <<<2x2, 16x16>>> a[1024]=1 b[1024]=1 c[1024] 32
extern "C" __global__ void product_of_ones_without_the_second_barrier(const int* a, const int* b, int* c, int n) {
  __shared__ int row[16][16];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, k = blockIdx.x * 16 + x;
  int sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    row[y][x] = a[i * n + tile + x];  // guilty: racecheck write
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += row[y][e] * b[(tile + e) * n + k];  // guilty: racecheck read
  }
  c[i * n + k] = sum;
}

// guilty <<<1, 64>>> in[64]=3 out[64]
extern "C" __global__ void smoothing_of_what_is_smooth_already(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t > 0 && t < 63) {
    const int sum = s[t - 1] + s[t] + s[t + 1];  // guilty: racecheck read
    s[t] = sum / 3;                              // guilty: racecheck write
  }
  __syncthreads();
  out[t] = s[t];
}

// The store comes first, and changes nothing.
// guilty <<<1, 64>>> in[64]=3 out[64]
extern "C" __global__ void read_of_what_another_warp_stores_again(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  s[t] = in[t ^ 1];    // guilty: racecheck write
  out[t] = s[t ^ 32];  // guilty: racecheck read
}

// Within a warp: its lanes are threads of their own.
// guilty <<<1, 32>>> in[32]=0 out[32]
extern "C" __global__ void zeros_that_are_shifted_in_place(const int* in, int* out) {
  __shared__ int s[33];
  const int t = threadIdx.x;
  s[t + 1] = in[t];
  if (t == 0) s[0] = 0;
  __syncwarp();
  const int left = s[t];  // guilty: racecheck read
  s[t + 1] = left;        // guilty: racecheck write
  __syncwarp();
  out[t] = s[t];
}
