// Shared memory used rightly, in ways that a naive racecheck would accuse. README.md says how the comments are read.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// innocent <<<2, 128, 512>>> in[256] out[2]
extern "C" __global__ void reduction(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// innocent <<<2x2, 16x16>>> in[1024] out[1024] 32
extern "C" __global__ void transpose(const int* in, int* out, int n) {
  __shared__ int tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x];
  __syncthreads();
  out[(blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x] = tile[x][y];
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void scan_with_two_buffers(const int* in, int* out) {
  __shared__ int s[2][64];
  const int t = threadIdx.x;
  int now = 0;
  s[0][t] = in[t];
  for (int distance = 1; distance < 64; distance *= 2) {
    __syncthreads();
    s[1 - now][t] = s[now][t] + (t >= distance ? s[now][t - distance] : 0);
    now = 1 - now;
  }
  out[t] = s[now][t];
}

// innocent <<<2, 64>>> in[128] out[128] 128
extern "C" __global__ void stencil_with_halo(const int* in, int* out, int n) {
  __shared__ int s[66];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (t == 63) s[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = s[t] + s[t + 1] + s[t + 2];
}

// innocent <<<1, 16x16>>> a[1024] b[1024] c[256]
extern "C" __global__ void product(const int* a, const int* b, int* c) {
  __shared__ int row[16][16], column[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  int sum = 0;
  for (int tile = 0; tile < 4; ++tile) {
    row[y][x] = a[y * 64 + tile * 16 + x];
    column[y][x] = b[(tile * 16 + y) * 16 + x];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += row[y][k] * column[k][x];
    __syncthreads();
  }
  c[y * 16 + x] = sum;
}

// innocent <<<1, 64>>> in[64] out[256]
extern "C" __global__ void broadcast_in_a_loop(const int* in, int* out) {
  __shared__ int pivot;
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    if (t == step) pivot = in[step] + step;
    __syncthreads();
    out[step * 64 + t] = pivot;
    __syncthreads();
  }
}

// innocent <<<2, 32>>> in[128] out[2]
extern "C" __global__ void last_warp_with_syncwarp(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  s[t + 32] = in[blockIdx.x * 64 + t + 32];
  __syncwarp();
  for (int distance = 32; distance > 0; distance /= 2) {
    const int other = s[t + (t < distance ? distance : 0)];
    __syncwarp();
    if (t < distance) s[t] += other;
    __syncwarp();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void quarters_of_a_warp(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, lane = t % 32;
  const unsigned mask = 0xffu << lane / 8 * 8;
  for (int step = 0; step < 3; ++step) {
    s[t] = in[t] + step;
    __syncwarp(mask);
    out[t] = s[t ^ 7];
    __syncwarp(mask);
  }
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void lanes_that_synchronise_in_their_branch(const int* in, int* out) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  if (t < 12) {
    s[t] = in[t] + 1;
    __syncwarp(0x00000fffu);
    out[t] = s[11 - t];
  } else {
    s[t] = in[t] + 2;
    __syncwarp(0xfffff000u);
    out[t] = s[43 - t];
  }
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void tiles_of_cooperative_groups(const int* in, int* out) {
  __shared__ int s[64];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<4>(block);
  const int t = block.thread_rank();
  s[t] = in[t];
  tile.sync();
  const int other = s[t ^ 3];
  tile.sync();
  s[t] = other + 1;
  block.sync();
  out[t] = s[63 - t];
}

// innocent <<<2, 64>>> in[128] out[16]=0
extern "C" __global__ void histogram_in_shared_memory(const int* in, int* out) {
  __shared__ int bins[16];
  const int t = threadIdx.x;
  if (t < 16) bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 64 + t] & 15], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], bins[t]);
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void chars_of_one_word(const int* in, int* out) {
  __shared__ char s[64];
  const int t = threadIdx.x;
  s[t] = static_cast<char>(in[t]);
  s[t] = static_cast<char>(s[t] + t);
  __syncthreads();
  out[t] = s[63 - t];
}

// innocent <<<1, 64>>> in[64] out[32]
extern "C" __global__ void shorts_written_apart_read_together(const int* in, int* out) {
  __shared__ __align__(4) short s[64];
  const int t = threadIdx.x;
  s[t] = static_cast<short>(in[t] + t);
  __syncthreads();
  if (t < 32) out[t] = reinterpret_cast<const int*>(s)[t];
}

// innocent <<<1, 64>>> in[64] out[1]
extern "C" __global__ void all_write_the_same_value(const int* in, int* out) {
  __shared__ int found;
  found = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) found = 1;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = found;
}

// innocent <<<1, 128>>> in[128] out[128]
extern "C" __global__ void each_half_with_its_named_barrier(const int* in, int* out) {
  __shared__ int s[128];
  const int t = threadIdx.x, half = t / 64;
  s[t] = in[t] + t;
  asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
  out[t] = s[half * 64 + (63 - t % 64)];
}

// innocent <<<1, 64>>> in[128] out[128]
extern "C" __global__ void producer_and_consumer(const int* in, int* out) {
  __shared__ int buffer[32];
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    if (t < 32) {
      if (step > 0) asm volatile("bar.sync 2, 64;" ::: "memory");
      buffer[t] = in[step * 32 + t] + step;
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      out[step * 32 + t - 32] = buffer[63 - t];
      if (step < 3) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
}

// innocent <<<1, 64>>> in[256] out[256]
extern "C" __global__ void double_buffer(const int* in, int* out) {
  __shared__ int buffer[2][64];
  const int t = threadIdx.x;
  for (int step = 0; step < 4; ++step) {
    buffer[step % 2][t] = in[step * 64 + t] + step;
    __syncthreads();
    out[step * 64 + t] = buffer[step % 2][63 - t];
  }
}

// innocent <<<2, 64>>> in[128] out[128] 100
extern "C" __global__ void early_return_before_the_barrier(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i >= n) return;
  s[t] = in[i];
  __syncthreads();  // noted: synccheck
  out[i] = s[min(63, n - 1 - static_cast<int>(blockIdx.x) * 64) - t];
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void memory_reused_as_another_type(const int* in, float* out) {
  __shared__ int raw[64];
  const int t = threadIdx.x;
  raw[t] = in[t];
  __syncthreads();
  const int mirrored = raw[63 - t];
  __syncthreads();
  float* floats = reinterpret_cast<float*>(raw);
  floats[t] = 0.5f * mirrored;
  __syncthreads();
  out[t] = floats[t ^ 33];
}

// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void vote_barrier_orders_too(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t] + t;
  const int many = __syncthreads_count(in[t] > 5);
  const int other = s[63 - t];
  const int any = __syncthreads_or(other > 60);
  s[t] = many + any;
  __syncthreads();
  out[t] = s[(t + 1) % 64];
}

// innocent <<<2, 64>>> in[128] out[2]
extern "C" __global__ void partials_of_warps(const int* in, int* out) {
  __shared__ int partial[2];
  const int t = threadIdx.x;
  int sum = in[blockIdx.x * 64 + t];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (t % 32 == 0) partial[t / 32] = sum;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = partial[0] + partial[1];
}

// Slots are handed out by atomics: no two threads share one, whatever the order.
// innocent <<<1, 64>>> in[64] out[64]
extern "C" __global__ void compaction_by_a_shared_counter(const int* in, int* out) {
  __shared__ int kept[64], count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncthreads();
  if (in[t] & 1) kept[atomicAdd(&count, 1)] = in[t];
  __syncthreads();
  out[t] = t < count ? kept[t] : 0;
}

// innocent <<<1, 64>>> in[64] out[1]
extern "C" __global__ void one_thread_works_between_barriers(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t == 40)
    for (int k = 1; k < 64; ++k) s[0] += s[k];
  __syncthreads();
  if (t == 7) out[0] = s[0];
}

// All store one value, and nobody reads before the barrier: only then does it matter that all have.
// innocent <<<1, 128>>> in[128] out[128]
extern "C" __global__ void a_flag_that_many_raise(const int* in, int* out) {
  __shared__ int found;
  const int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  for (int k = 0; k < 4; ++k)
    if (in[(t + k) % 128] > 5) found = 1;
  __syncthreads();
  out[t] = found;
}

// innocent <<<2x2, 16x16>>> a[1024]=1 b[1024]=1 c[1024] 32
extern "C" __global__ void product_of_ones(const int* a, const int* b, int* c, int n) {
  __shared__ int row[16][16];
  const int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, k = blockIdx.x * 16 + x;
  int sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    row[y][x] = a[i * n + tile + x];
    __syncthreads();
    for (int e = 0; e < 16; ++e) sum += row[y][e] * b[(tile + e) * n + k];
    __syncthreads();
  }
  c[i * n + k] = sum;
}

// Each thread reads and stores its own: values that are there already, too.
// innocent <<<2, 96>>> in[192]=1 out[192]
extern "C" __global__ void own_elements_again_and_again(int* in, int* out) {
  __shared__ int s[97];
  const int t = threadIdx.x, i = blockIdx.x * 96 + t;
  s[t + 1] = in[i];
  for (int k = 0; k < 3; ++k) {
    s[t + 1] = s[t + 1] * in[i];
    in[i] = s[t + 1];
    if (k == 1) __syncthreads();
  }
  out[i] = s[t + 1];
}

// innocent <<<1, 64>>> out[64]
extern "C" __global__ void zeros_told_on_by_a_warp_barrier(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = 0;
  __syncwarp();
  for (int k = 0; k < 3; ++k) {
    const int other = s[t ^ 5];
    __syncwarp();
    s[t] = other;
    __syncwarp();
  }
  out[t] = s[t];
}
