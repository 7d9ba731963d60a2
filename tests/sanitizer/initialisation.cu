// initcheck: bytes that are read before anything was written there. README.md says how the comments are read.

#include <cstdlib>

// guilty <<<1, 64>>> in[50] out[64] 50
extern "C" __global__ void tile_filled_in_part(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  __syncthreads();
  out[t] = s[63 - t];  // guilty: initcheck read
}

// guilty <<<2, 64>>> in[128] out[128]
extern "C" __global__ void halo_not_loaded(const int* in, int* out) {
  __shared__ int s[66];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t + 1] = in[i];
  if (t == 0) s[0] = 0;
  __syncthreads();
  out[i] = s[t] + s[t + 2];  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[256] out[32]
extern "C" __global__ void sums_not_cleared(const int* in, int* out) {
  int count[8];
  for (int k = 0; k < 8; ++k) count[in[threadIdx.x * 8 + k] & 7] += 1;  // guilty: initcheck read
  out[threadIdx.x] = count[in[threadIdx.x * 8 + 7] & 7];
}

// guilty <<<1, 32>>> in[256] out[32]
extern "C" __global__ void sums_not_cleared_of_which_one_is_added_to_atomically(const int* in, int* out) {
  __shared__ int sums[32], copy[32];
  const int t = threadIdx.x;
  if (t < 31) sums[t] = in[t];
  copy[t] = sums[t];  // guilty: initcheck read
  out[t] = atomicAdd(&copy[t], 1);
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void moved_by_one_warp_and_used_by_the_other(const int* in, int* out) {
  __shared__ int s[64], moved[64], again[64];
  const int t = threadIdx.x;
  if (t < 63) s[t] = in[t];
  __syncthreads();
  moved[t] = s[t];  // guilty: initcheck read
  __syncthreads();
  again[t] = moved[63 - t];
  __syncthreads();
  out[t] = again[t];
}

// innocent <<<1, 64>>> in[256] out[256]
extern "C" __global__ void planes_of_which_the_first_was_never_given(const int* in, int* out) {
  __shared__ int plane[192];
  const int t = threadIdx.x;
  plane[t + 128] = in[t];
  for (int k = 0; k < 4; ++k) {
    plane[t] = plane[t + 64];  // the first time nobody has written it, and nobody looks at it
    plane[t + 64] = plane[t + 128];
    if (k < 3) plane[t + 128] = in[(k + 1) * 64 + t];
    out[k * 64 + t] = k == 0 ? plane[t + 64] : plane[t] + plane[t + 64];
  }
}

// innocent <<<1, 128>>> in[128] out[128]
extern "C" __global__ void sums_of_warps_that_are_not_there(const int* in, int* out) {
  __shared__ int sums[32];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  int v = in[t];
  for (int d = 1; d < 32; d *= 2) {
    const int n = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += n;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int sum = sums[lane];  // 4 of 32 were written
    for (int d = 1; d < 32; d *= 2) {
      const int n = __shfl_up_sync(0xffffffffu, sum, d);
      if (lane >= d) sum += n;
    }
    sums[lane] = sum;
  }
  __syncthreads();
  out[t] = v + (warp > 0 ? sums[warp - 1] : 0);
}

// guilty <<<1, 32>>> in[32] out[32]?
extern "C" __global__ void output_that_is_added_to(const int* in, int* out) {
  out[threadIdx.x] += in[threadIdx.x];  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[1]?
extern "C" __global__ void atomic_on_a_sum_nobody_cleared(const int* in, int* out) {
  atomicAdd(out, in[threadIdx.x]);  // guilty: initcheck atomic
}

// guilty <<<1, 1>>> out[1] 5
extern "C" __global__ void malloc_does_not_clear(int* out, int n) {
  volatile int* p = static_cast<int*>(malloc(n * sizeof(int)));
  for (int k = 0; k + 1 < n; ++k) p[k] = k;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += p[k];  // guilty: initcheck read
  out[0] = sum;
}

// guilty <<<1, 64>>> in[64] out[1]
extern "C" __global__ void shared_counter_not_cleared(const int* in, int* out) {
  __shared__ int count;
  if (in[threadIdx.x] & 1) atomicAdd(&count, 1);  // guilty: initcheck atomic
  __syncthreads();
  if (threadIdx.x == 0) out[0] = count;
}

// guilty <<<1, 32>>> in[32] out[64]
extern "C" __global__ void more_bins_than_threads_that_clear(const int* in, int* out) {
  __shared__ int bins[64];
  const int t = threadIdx.x;
  bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[in[t] + 32 & 63], 1);  // guilty: initcheck atomic
  __syncthreads();
  out[t] = bins[t];
}

// guilty <<<1, 64>>> in[40] out[1] 40
extern "C" __global__ void tree_over_what_the_guard_left_out(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t < n) s[t] = in[t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];  // guilty: initcheck read
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void local_array_filled_in_part(const int* in, int* out) {
  int digits[8];
  const int used = in[threadIdx.x] & 3;
#pragma unroll 1
  for (int k = 0; k <= used; ++k) digits[k] = in[k];
  out[threadIdx.x] = digits[in[0] + 4 & 7];  // guilty: initcheck read
}

// Two of four bytes are written, then all are computed with.
// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void half_a_word(const int* in, int* out) {
  __shared__ int words[32];
  const int t = threadIdx.x;
  reinterpret_cast<short*>(words)[2 * t] = static_cast<short>(in[t]);
  __syncthreads();
  out[t] = words[31 - t] + 1;  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void other_half_of_a_word(const int* in, int* out) {
  __shared__ int words[32];
  const int t = threadIdx.x;
  reinterpret_cast<short*>(words)[2 * t] = static_cast<short>(in[t]);
  __syncthreads();
  out[t] = 3 * (words[31 - t] >> 16);  // guilty: initcheck read
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void sum_over_a_vector_filled_in_part(const float* in, float* out) {
  __shared__ float4 s[32];
  const int t = threadIdx.x;
  s[t].x = s[t].y = s[t].z = in[t];
  __syncthreads();
  const float4 v = s[31 - t];  // guilty: initcheck read
  out[t] = v.x + v.y + v.z + v.w;
}

// guilty <<<1, 64>>> in[16] out[16]
extern "C" __global__ void bytes_nobody_wrote_copied(const char* in, char* out) {
  __shared__ char s[64];
  const int t = threadIdx.x;
  if (t < 8) s[t] = in[t];
  __syncthreads();
  out[t] = s[t];  // guilty: initcheck read
}

// guilty <<<2, 32>>> in[64] scratch[64]? out[64]
extern "C" __global__ void scratch_of_the_other_half(const int* in, int* scratch, int* out) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  if (threadIdx.x < 16) scratch[i] = in[i];
  __syncthreads();
  const int v = scratch[blockIdx.x * 32 + 31 - threadIdx.x];  // guilty: initcheck read
  out[i] = v;
}

// ---- innocent ----

// innocent <<<1, 64>>> in[50] out[64] 50
extern "C" __global__ void tile_with_a_neutral_rest(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t < n ? in[t] : 0;
  __syncthreads();
  out[t] = s[63 - t];
}

// innocent <<<1, 50>>> in[50] out[50] 50
extern "C" __global__ void tile_read_as_far_as_it_is_filled(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  out[t] = t + 1 < n ? s[t + 1] : 0;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void bytes_written_word_read(const int* in, int* out) {
  __shared__ int words[32];
  char* bytes = reinterpret_cast<char*>(words);
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) bytes[k * 32 + t] = static_cast<char>(in[t] + k);
  __syncthreads();
  out[t] = words[31 - t];
}

union Split {
  int word;
  unsigned char bytes[4];
};
// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void word_written_bytes_read(const int* in, int* out) {
  __shared__ Split s[32];
  const int t = threadIdx.x;
  s[t].word = in[t];
  __syncthreads();
  out[t] = s[31 - t].bytes[0] + s[31 - t].bytes[in[t] & 3];
}

// innocent <<<1, 32>>> in[256] out[32]
extern "C" __global__ void local_array_written_then_read(const int* in, int* out) {
  int sorted[8];
  for (int k = 0; k < 8; ++k) {
    const int v = in[threadIdx.x * 8 + k];
    int at = k;
    for (; at > 0 && sorted[at - 1] > v; --at) sorted[at] = sorted[at - 1];
    sorted[at] = v;
  }
  out[threadIdx.x] = sorted[in[0] & 7];
}

// innocent <<<2, 32>>> in[64] out[64]? scratch[64]?
extern "C" __global__ void scratch_written_first(const int* in, int* out, int* scratch) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  scratch[i] = in[i];
  __syncthreads();
  out[i] = scratch[i ^ 31];
}

__device__ int counts[8];
__device__ float weights[4] = {1, 2, 4};
__constant__ int offsets[4];
// Variables of the module start as zeros, or as the source says.
// innocent <<<1, 32>>> in[32] out[32]?
extern "C" __global__ void variables_start_as_zero(const int* in, int* out) {
  const int k = in[threadIdx.x] & 3;
  atomicAdd(&counts[k], 1);
  out[threadIdx.x] = offsets[k] + static_cast<int>(weights[k]);
}

struct Particle {
  float x, y;
  int kind;
};
// innocent <<<1, 32>>> in[96] out[96]?
extern "C" __global__ void structs_by_value(const Particle* in, Particle* out) {
  __shared__ Particle s[32];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  Particle p = s[31 - threadIdx.x];
  p.x += p.y;
  out[threadIdx.x] = p;
}

// Copies of a struct carry along what lies between its members and behind them.
struct Flagged {
  bool flag;
  long long at;
};
struct Weighted {
  double weight;
  int kind;
  char mark;
};
struct alignas(16) Point {
  float x, y, z;
};
// innocent <<<1, 32>>> in[32] out[128]? scratch[128]?
extern "C" __global__ void padding_copied(const int* in, Flagged* out, Flagged* scratch) {
  __shared__ Flagged s[32];
  const int t = threadIdx.x;
  scratch[t].flag = in[t] & 1;
  scratch[t].at = in[t];
  s[t] = scratch[t];
  __syncthreads();
  out[t] = s[31 - t];
}
// innocent <<<1, 32>>> in[32] out[128]? scratch[128]?
extern "C" __global__ void padding_at_the_end_copied(const int* in, Weighted* out, Weighted* scratch) {
  __shared__ Weighted s[32];
  const int t = threadIdx.x;
  scratch[t].weight = scratch[t].kind = in[t];
  scratch[t].mark = 'm';
  s[t] = scratch[t];
  __syncthreads();
  Weighted mine[2] = {s[31 - t], s[t]};
  out[t] = mine[in[t] & 1];
}
// innocent <<<1, 32>>> in[32] out[128]? scratch[128]?
extern "C" __global__ void padding_of_a_vector_copied(const int* in, Point* out, Point* scratch) {
  __shared__ Point s[32];
  const int t = threadIdx.x;
  scratch[t].x = scratch[t].y = scratch[t].z = static_cast<float>(in[t]);
  s[t] = scratch[t];
  __syncthreads();
  out[t] = s[31 - t];
}
// As libraries read and shuffle structs: in words, of which the member is cut out.
// innocent <<<1, 32>>> in[32] out[32] scratch[128]?
extern "C" __global__ void member_cut_out_of_a_word(const int* in, long long* out, Flagged* scratch) {
  const int t = threadIdx.x;
  scratch[t].flag = in[t] & 1;
  scratch[t].at = in[t];
  __syncthreads();
  unsigned long long word;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(word) : "l"(scratch + t) : "memory");
  const unsigned low = __shfl_down_sync(0xffffffffu, static_cast<unsigned>(word), 1);
  const unsigned high = __shfl_down_sync(0xffffffffu, static_cast<unsigned>(word >> 32), 1);
  const unsigned long long next = low | static_cast<unsigned long long>(high) << 32;
  if (t < 16) out[t] = next & 0xff ? scratch[t].at : 3 * static_cast<unsigned char>(word << 8 >> 8);
}

// innocent <<<1, 40>>> in[40] out[1]? 40
extern "C" __global__ void tree_over_an_odd_number(const int* in, int* out, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int left = n; left > 1; left = (left + 1) / 2) {
    const int half = (left + 1) / 2;
    if (t + half < left) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[0] = s[0];
}

// An exchange whose old value nobody asks for is a store.
// innocent <<<1, 64>>> flag[1]? out[64]
extern "C" __global__ void first_value_by_an_exchange(int* flag, int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) atomicExch(&count, 0);
  __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
  if (threadIdx.x == 0) atomicExch(flag, 1);
}

// As cooperative groups' tiles of several warps do it: each clears its own bit before it sets it.
// innocent <<<1, 32>>> out[1]
extern "C" __global__ void bits_cleared_one_by_one(int* out) {
  __shared__ unsigned bits;
  atomicAnd(&bits, ~(1u << threadIdx.x));
  __syncthreads();
  atomicOr(&bits, 1u << threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = bits;
}

// guilty <<<1, 32>>> out[1]
extern "C" __global__ void bits_set_in_a_word_that_nobody_cleared(int* out) {
  __shared__ unsigned bits;
  atomicOr(&bits, 1u << threadIdx.x);  // guilty: initcheck atomic
  __syncthreads();
  if (threadIdx.x == 0) out[0] = bits;
}

// guilty <<<1, 32>>> word[1]? out[1]
extern "C" __global__ void old_value_of_an_exchange(int* word, int* out) {
  if (threadIdx.x == 0) out[0] = atomicExch(word, 1);  // guilty: initcheck atomic
}
