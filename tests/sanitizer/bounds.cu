// memcheck: accesses outside of what they belong to. README.md says how the comments are read.

#include <cstdlib>

// guilty <<<2, 64>>> in[128] out[100] 100
extern "C" __global__ void write_one_past_the_end(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = in[i];
  if (i <= n) out[i] = v;  // guilty: memcheck write
}

// guilty <<<2, 64>>> in[100] out[128] 100
extern "C" __global__ void read_one_past_the_end(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    const int v = in[i];  // guilty: memcheck read
    out[i] = v + 1;
  }
}

// On a GPU the next allocation starts 256 bytes on: the write hits `victim`, and no hardware minds.
// guilty <<<1, 64>>> out[64] victim[64] 64
extern "C" __global__ void write_into_the_next_allocation(int* out, int* victim, int n) {
  const int i = threadIdx.x;
  victim[i] = i;
  out[i + n] = i;  // guilty: memcheck write
}

// guilty <<<1, 64>>> in[64] out[64]
extern "C" __global__ void stencil_reads_left_of_the_array(const int* in, int* out) {
  const int i = threadIdx.x;
  const int left = in[i - 1];  // guilty: memcheck read
  out[i] = left + in[i];
}

// guilty <<<1, 32>>> in[32] out[32]
extern "C" __global__ void shared_array_into_the_next(const int* in, int* out) {
  __shared__ int a[32], b[32];
  const int t = threadIdx.x;
  b[t] = in[t];
  a[t + 1] = in[t];  // guilty: memcheck write
  if (t == 0) a[0] = 0;
  __syncthreads();
  out[t] = a[t] + b[t];
}

// Every lane is beyond the end, and none of them in another array.
// guilty <<<1, 32>>> in[32] out[32] 32
extern "C" __global__ void whole_warp_past_a_shared_array(const int* in, int* out, int n) {
  __shared__ int a[32], b[32];
  const int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[t];
  __syncthreads();
  out[t] = a[t + n] + b[t];  // guilty: memcheck read
}

// guilty <<<1, 64, 256>>> in[128] out[64]
extern "C" __global__ void past_dynamic_shared_memory(const int* in, int* out) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = in[t];
  s[t + blockDim.x] = in[t + blockDim.x];  // guilty: memcheck write
  __syncthreads();
  out[t] = s[t] + s[t + blockDim.x];
}

// guilty <<<1, 32>>> in[1024] out[32]
extern "C" __global__ void tile_column_past_its_last_row(const int* in, int* out) {
  __shared__ int tile[32][32];
  const int t = threadIdx.x;
  for (int row = 0; row < 32; ++row) tile[row][t] = in[row * 32 + t];
  __syncthreads();
  out[t] = tile[t][t + 1];  // guilty: memcheck read
}

// guilty <<<1, 32>>> in[32] out[32] 8
extern "C" __global__ void past_a_local_array(const int* in, int* out, int n) {
  int digits[8];
#pragma unroll 1
  for (int k = 0; k <= n; ++k) digits[k] = in[k];  // guilty: memcheck write
  out[threadIdx.x] = digits[in[threadIdx.x] & 7];
}

// guilty <<<1, 16>>> in[80] out[64]
extern "C" __global__ void float4_that_is_not_aligned(const float* in, float* out) {
  const float* p = in + 4 * threadIdx.x + 1;
  reinterpret_cast<float4*>(out)[threadIdx.x] = *reinterpret_cast<const float4*>(p);  // guilty: memcheck read
}

// guilty <<<1, 16>>> in[80] out[64]
extern "C" __global__ void int2_that_is_not_aligned(const int* in, int* out) {
  const int2 v = reinterpret_cast<const int2*>(in)[threadIdx.x];
  *reinterpret_cast<int2*>(out + 2 * threadIdx.x + 1) = v;  // guilty: memcheck write
}

// guilty <<<1, 32>>> in[32] null
extern "C" __global__ void null_pointer(const int* in, int* out) {
  out[threadIdx.x] = in[threadIdx.x];  // guilty: memcheck write
}

// guilty <<<1, 1>>> out[1]
extern "C" __global__ void use_after_free(int* out) {
  int* p = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int k = 0; k < 4; ++k) p[k] = k + *out;
  free(p);
  out[0] = *static_cast<volatile int*>(p + 2);  // guilty: memcheck read
}

// guilty <<<1, 1>>> out[1]
extern "C" __global__ void freed_twice(int* out) {
  volatile int* p = static_cast<int*>(malloc(4));
  p[0] = 1;
  out[0] = p[0];
  free(const_cast<int*>(p));
  free(const_cast<int*>(p));  // guilty: memcheck
}

// guilty <<<1, 1>>> out[1] 10
extern "C" __global__ void past_what_malloc_gave(int* out, int n) {
  volatile int* p = static_cast<int*>(malloc(n * sizeof(int)));
  for (int k = 0; k <= n; ++k) p[k] = k;  // guilty: memcheck write
  out[0] = p[n - 1];
}

// guilty <<<5x3, 8x8>>> in[700] out[700] 35 20
extern "C" __global__ void rows_and_columns_exchanged(const int* in, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    const int v = in[x * width + y];  // guilty: memcheck read
    out[y * width + x] = v;
  }
}

// guilty <<<1, 32>>> in[102] out[128] 102
extern "C" __global__ void vector_load_over_the_tail(const int* in, int* out, int n) {
  const int i = 4 * threadIdx.x;
  if (i < n) *reinterpret_cast<int4*>(out + i) = *reinterpret_cast<const int4*>(in + i);  // guilty: memcheck read
}

__device__ int table[16];
// guilty <<<1, 32>>> in[32]
extern "C" __global__ void past_a_device_variable(const int* in) {
  table[threadIdx.x] = in[threadIdx.x];  // guilty: memcheck write
}

// guilty <<<1, 32>>> in[8] bytes[31]
extern "C" __global__ void one_byte_past_the_end(const unsigned char* in, unsigned char* bytes) {
  const unsigned char v = in[threadIdx.x];
  bytes[4 * 31 + (threadIdx.x == 31)] = v;  // guilty: memcheck write
}

// ---- innocent ----

// innocent <<<2, 64>>> in[100] out[100] 100
extern "C" __global__ void guarded_copy(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

// innocent <<<2, 16>>> in[103] out[103] 103
extern "C" __global__ void float4_with_a_scalar_tail(const float* in, float* out, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, stride = gridDim.x * blockDim.x;
  for (int i = first; i < n / 4; i += stride) {
    float4 v = reinterpret_cast<const float4*>(in)[i];
    v.x += 1;
    reinterpret_cast<float4*>(out)[i] = v;
  }
  for (int i = n / 4 * 4 + first; i < n; i += stride) out[i] = in[i] + 1;
}

// innocent <<<2, 64, 832>>> in[128] out[128]
extern "C" __global__ void dynamic_shared_memory_in_parts(const int* in, double* out) {
  extern __shared__ double sums[];
  int* values = reinterpret_cast<int*>(sums + 64);
  char* flags = reinterpret_cast<char*>(values + 64);
  const int t = threadIdx.x;
  sums[t] = in[t];
  values[t] = in[t + 64];
  flags[t] = static_cast<char>(t);
  __syncthreads();
  if (t < 32) out[blockIdx.x * 32 + t] = sums[63 - t] + values[63 - t] + flags[63 - t];
}

// innocent <<<1, 32>>> in[256] out[32]
extern "C" __global__ void local_array_by_index(const int* in, int* out) {
  int count[8] = {};
  for (int k = 0; k < 8; ++k) ++count[in[threadIdx.x * 8 + k] & 7];
  int most = 0;
  for (int k = 0; k < 8; ++k) most = max(most, count[(k + threadIdx.x) & 7]);
  out[threadIdx.x] = most;
}

// innocent <<<2, 32>>> out[64] 7
extern "C" __global__ void malloc_and_free(int* out, int n) {
  volatile int* p = static_cast<int*>(malloc(n * sizeof(int)));
  for (int k = 0; k < n; ++k) p[k] = k + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += p[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  free(const_cast<int*>(p));
}

// innocent <<<2, 32>>> in[64] out[64] 64
extern "C" __global__ void stencil_with_clamped_ends(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[max(i - 1, 0)] + in[i] + in[min(i + 1, n - 1)];
}

// A pointer may leave the array as long as nobody follows it.
// innocent <<<1, 32>>> in[32] out[32] 32
extern "C" __global__ void pointer_past_the_end_as_a_bound(const int* in, int* out, int n) {
  const int *first = in - 1, *end = in + n;
  int sum = 0;
  for (const int* p = first + 1 + threadIdx.x; p < end; ++p) sum += *p;
  out[threadIdx.x] = sum;
}

struct Pixel {
  unsigned char r, g, b;
};
// innocent <<<1, 32>>> in[24] out[24]
extern "C" __global__ void three_byte_pixels(const Pixel* in, Pixel* out) {
  const Pixel p = in[threadIdx.x];
  out[threadIdx.x] = {p.b, p.g, p.r};
}

// innocent <<<1, 32>>> in[32] out[32] 32
extern "C" __global__ void binary_search(const int* in, int* out, int n) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (in[middle] < static_cast<int>(threadIdx.x))
      low = middle + 1;
    else
      high = middle;
  }
  out[threadIdx.x] = low;
}

// ---- a whole warp far past a shared array, where another one lies ----

// guilty <<<1, 32>>> in[32] out[256] 100
extern "C" __global__ void whole_warp_into_another_shared_array(const int* in, int* out, int n) {
  __shared__ int few[32], many[256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) many[i] = in[t];
  few[t] = in[t];
  __syncwarp();
  few[t + n] = 7;  // guilty: memcheck write
  __syncwarp();
  for (int i = t; i < 256; i += 32) out[i] = many[i] + few[t];
}

// guilty <<<1, 64>>> in[64] out[64] 4
extern "C" __global__ void row_of_another_tile(const int* in, int* out, int row) {
  __shared__ int first[4][64], second[4][64];
  const int t = threadIdx.x;
  for (int k = 0; k < 4; ++k) first[k][t] = second[k][t] = in[t] + k;
  __syncthreads();
  out[t] = second[1][t] + first[row + 1][t];  // guilty: memcheck read
}

// guilty <<<1, 32>>> in[32] out[32] 200
extern "C" __global__ void atomic_in_another_shared_array(const int* in, int* out, int n) {
  __shared__ int bins[16], values[512];
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += 32) values[i] = in[t];
  if (t < 16) bins[t] = 0;
  __syncwarp();
  atomicAdd(&bins[n + t % 16], 1);  // guilty: memcheck atomic
  __syncwarp();
  out[t] = bins[t % 16] + values[t];
}

// guilty <<<1, 32>>> in[32] out[32] 128
extern "C" __global__ void pointer_walks_into_another_shared_array(const int* in, int* out, int n) {
  __shared__ int a[64], b[256];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) b[i] = in[t];
  for (int i = t; i < 64; i += 32) a[i] = in[t];
  __syncwarp();
  int sum = b[t];
  for (const int* p = a + t; p < a + t + 2 * n; p += n) sum += *p;  // guilty: memcheck read
  out[t] = sum;
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void one_union_two_types(const int* in, int* out) {
  union Storage {
    char bytes[128];
    int words[64];
    double wide[32];
  };
  __shared__ Storage s;
  __shared__ int other[32];
  const int t = threadIdx.x;
  s.wide[t] = in[t];
  other[t] = 1;
  __syncwarp();
  out[t] = s.words[2 * t + 1] + s.bytes[4 * t] + other[t];
}

// innocent <<<1, 32>>> in[128] out[128]
extern "C" __global__ void array_as_one_of_larger_elements(const int* in, int* out) {
  __shared__ __align__(16) int a[128];
  __shared__ __align__(16) int b[128];
  const int t = threadIdx.x;
  reinterpret_cast<int4*>(a)[t] = reinterpret_cast<const int4*>(in)[t];
  reinterpret_cast<int2*>(b)[t] = make_int2(t, t);
  reinterpret_cast<int2*>(b)[t + 32] = make_int2(t, t);
  __syncwarp();
  for (int k = 0; k < 4; ++k) out[32 * k + t] = a[32 * k + t] + b[32 * k + t];
}

// innocent <<<1, 32, 512>>> in[32] out[32] 32
extern "C" __global__ void one_extern_array_in_three_parts(const int* in, int* out, int n) {
  extern __shared__ int parts[];
  __shared__ int fixed[32];
  int* first = parts;
  float* second = reinterpret_cast<float*>(parts + n);
  int* third = parts + 2 * n;
  const int t = threadIdx.x;
  first[t] = in[t];
  second[t] = 2.0f * in[t];
  third[n + t] = fixed[t] = t;
  __syncwarp();
  out[t] = first[t] + static_cast<int>(second[t]) + third[n + t] + fixed[31 - t];
}

// innocent <<<1, 32>>> in[64] out[32] 5
extern "C" __global__ void two_buffers_in_turns(const int* in, int* out, int rounds) {
  __shared__ int a[64], b[64];
  const int t = threadIdx.x;
  int *from = a, *to = b;
  a[t] = in[t], a[t + 32] = in[t + 32];
  b[t] = b[t + 32] = 0;
  for (int k = 0; k < rounds; ++k) {
    __syncwarp();
    to[t] = from[t] + from[t + 32];
    to[t + 32] = from[63 - t];
    __syncwarp();
    int* other = from;
    from = to;
    to = other;
  }
  out[t] = from[t];
}

__device__ __noinline__ int sum_of(const int* p, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += p[i];
  return sum;
}
// innocent <<<1, 32>>> in[64] out[32]
extern "C" __global__ void chosen_arrays_and_their_distance(const int* in, int* out) {
  __shared__ int a[32], b[64];
  __shared__ int* table[2];
  const int t = threadIdx.x;
  a[t] = in[t];
  b[t] = b[t + 32] = in[t + 32];
  if (t == 0) table[0] = a, table[1] = b + 8;
  __syncwarp();
  const int* chosen = in[t] % 2 ? a : b + 32;
  const int* end = b + 64;
  int sum = chosen[t] + table[t % 2][t];
  for (const int* p = b + t; p < end; p += 32) sum += *p;
  out[t] = sum + sum_of(t % 2 ? a : b, 32) + static_cast<int>(end - b);
}

// innocent <<<1, 32>>> in[32] out[32]
extern "C" __global__ void index_from_behind_and_from_one(const int* in, int* out) {
  __shared__ int a[32], b[33], c[32];
  const int t = threadIdx.x;
  int* from_one = b - 1;
  a[31 - t] = in[t];
  from_one[t + 1] = in[t];
  if (t == 0) from_one[33] = 0;
  c[t ^ 5] = in[t];
  __syncwarp();
  out[t] = (a + 32)[-1 - t] + from_one[33 - t] + c[t];
}

// Nine words are no multiple of what a frame is rounded to.
// guilty <<<1, 32>>> in[32] out[32] 9
extern "C" __global__ void the_word_behind_a_local_array(const int* in, int* out, int n) {
  int bins[9];
  for (int i = 0; i < 9; ++i) bins[i] = in[i];
  for (int i = 0; i <= n; ++i) bins[i] += 1;  // guilty: memcheck read
  out[threadIdx.x] = bins[in[threadIdx.x] % 9];
}

// guilty <<<1, 64, 512>>> in[64] out[64]
extern "C" __global__ void two_dynamic_arrays_for_one(const int* in, int* out) {
  extern __shared__ int values[];
  extern __shared__ unsigned short places[];
  const int t = threadIdx.x;
  values[t] = in[t];
  __syncthreads();
  places[2 * t] = 63 - t;  // guilty: memcheck write
  __syncthreads();
  out[t] = values[t];  // guilty: memcheck read
}

// innocent <<<1, 64, 512>>> in[64] out[64]
extern "C" __global__ void two_dynamic_arrays_side_by_side(const int* in, int* out) {
  extern __shared__ int values[];
  extern __shared__ unsigned short places[];
  const int t = threadIdx.x;
  values[t] = in[t];
  places[128 + t] = 63 - t;
  __syncthreads();
  out[t] = values[places[128 + t]];
}

// innocent <<<1, 64, 512>>> in[64] out[64]
extern "C" __global__ void two_dynamic_arrays_one_after_the_other(const int* in, int* out) {
  extern __shared__ int values[];
  extern __shared__ unsigned short places[];
  const int t = threadIdx.x;
  values[t] = in[t];
  __syncthreads();
  const int other = values[63 - t];
  __syncthreads();
  places[t] = other;
  __syncthreads();
  out[t] = places[63 - t];
}
