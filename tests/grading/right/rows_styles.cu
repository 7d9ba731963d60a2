// Kernels over rows of data, in the styles in which students write them.

// right: saxpy saxpy functor
struct Saxpy {
  float a;
  __device__ float operator()(float x, float y) const { return fmaf(a, x, y); }
};
__global__ void functor(float a, const float* x, float* y, int n) {
  const Saxpy f{a};
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) y[i] = f(x[i], y[i]);
}

// right: saxpy saxpy backwards
__global__ void backwards(float a, const float* x, float* y, int n) {
  const int i = n - 1 - int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < 0) return;
  const float ax = a * x[i];
  y[i] += ax;
}

// right: coalescing copy by_vectors
__global__ void by_vectors(const float* in, float* out, int n) {
  const int stride = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x;
  const float4* in4 = reinterpret_cast<const float4*>(in);
  float4* out4 = reinterpret_cast<float4*>(out);
  for (int i = first; i < n / 4; i += stride) out4[i] = __ldcs(in4 + i);
  for (int i = n / 4 * 4 + first; i < n; i += stride) out[i] = in[i];
}

// right: coalescing copy through_shared
__global__ void through_shared(const float* in, float* out, int n) {
  __shared__ float s[1024];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) s[blockDim.x - 1 - threadIdx.x] = in[i];
  __syncthreads();
  if (i < n) out[i] = s[blockDim.x - 1 - threadIdx.x];
}

// right: coalescing copy as_bits
__global__ void as_bits(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reinterpret_cast<unsigned*>(out)[i] = reinterpret_cast<const unsigned*>(in)[i];
}

// right: coalescing copy by_memcpy
__global__ void by_memcpy(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  memcpy(out + i, in + i, sizeof(float));
}

// right: divergence parity by_table
__constant__ unsigned factors[2] = {3, 5}, summands[2] = {1, 2};
__global__ void by_table(const unsigned* in, unsigned* out, int n, int work) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned x = in[i];
    for (int k = 0; k < work; ++k) x = x * factors[i & 1] + summands[i & 1];
    out[i] = x;
  }
}

// right: divergence parity by_warps
__global__ void by_warps(const unsigned* in, unsigned* out, int n, int work) {
  // Lanes of a warp take elements of one parity: the first half of a pair of warps the even ones.
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const int pair = t / 64, inside = t % 64;
  if (blockDim.x % 64 != 0) {  // no pairs in a block of one warp
    if (t >= n) return;
    unsigned x = in[t];
    for (int k = 0; k < work; ++k) x = t & 1 ? 5 * x + 2 : 3 * x + 1;
    out[t] = x;
    return;
  }
  const int i = pair * 64 + (inside % 32) * 2 + inside / 32;
  if (i >= n) return;
  unsigned x = in[i];
  if (inside < 32) {
    for (int k = 0; k < work; ++k) x = 3 * x + 1;
  } else {
    for (int k = 0; k < work; ++k) x = 5 * x + 2;
  }
  out[i] = x;
}

// right: divergence parity switched
__global__ void switched(const unsigned* __restrict__ a, unsigned* __restrict__ b, int count, int steps) {
  const int id = threadIdx.x + blockDim.x * blockIdx.x;
  if (!(id < count)) return;
  unsigned value = a[id];
  while (steps--) {
    switch (id % 2) {
      case 0:
        value = 3u * value + 1u;
        break;
      default:
        value = 5u * value + 2u;
    }
  }
  b[id] = value;
}

// right: occupancy chains four_each
__global__ void four_each(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  const int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
  unsigned x[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) x[k] = first + k * int(blockDim.x) < n ? in[first + k * blockDim.x] : 0;
  for (int s = 0; s < steps; ++s)
#pragma unroll
    for (unsigned& v : x) v = a * v + c;
#pragma unroll
  for (int k = 0; k < 4; ++k)
    if (first + k * int(blockDim.x) < n) out[first + k * blockDim.x] = x[k];
}

// right: occupancy chains by_squaring
__global__ void by_squaring(const unsigned* in, unsigned* out, int n, int steps, unsigned a, unsigned c) {
  // x -> ax + c, steps times, is one such function, too.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned factor = 1, summand = 0;
  for (int left = steps; left > 0; left /= 2) {
    if (left % 2) factor *= a, summand = a * summand + c;
    c = a * c + c, a *= a;
  }
  out[i] = factor * in[i] + summand;
}

// right: transfer series in_double
__global__ void in_double(const float* in, float* out, int n, int work) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double x = in[i], sum = 1;
    for (int k = 0; k < work; k++) sum = fma(sum, x, 1.0);
    out[i] = (float)sum;
  }
}

// right: transfer series recursive
__device__ float series(float x, int work) { return work == 0 ? 1.0f : 1.0f + x * series(x, work - 1); }
__global__ void recursive(const float* in, float* out, int n, int work) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = series(in[i], work);
}

// right: launch columns float_atomics
__global__ void float_atomics(const float* in, float* out, int rows, int cols) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (blockIdx.x < cols) {
    float mine = 0;
    for (int r = threadIdx.x; r < rows; r += blockDim.x) mine += in[blockIdx.x * rows + r];
    atomicAdd(&sum, mine);
  }
  __syncthreads();
  if (blockIdx.x < cols && threadIdx.x == 0) out[blockIdx.x] = sum / rows;
}

// right: launch columns by_warp
__global__ void by_warp(const float* matrix, float* means, int rows, int cols) {
  const int c = blockIdx.x;
  if (c >= cols || threadIdx.x >= 32) return;
  float sum = 0.f;
  for (int r = threadIdx.x; r < rows; r += 32) sum += matrix[(long long)c * rows + r];
  for (int o = 16; o; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (threadIdx.x == 0) means[c] = __fdividef(sum, (float)rows);
}

// right: warps ids from_registers
__global__ void from_registers(int4* ids, int n) {
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  unsigned lane;
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  const int i = block * threads + thread;
  if (i >= n) return;
  int4 id;
  id.x = block, id.y = thread, id.z = thread >> 5, id.w = lane;
  ids[i] = id;
}

// right: atomics histogram warp_aggregated
__global__ void warp_aggregated(const int* in, int* counts, int n, int bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned active = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const int bin = in[i];
  const unsigned same = __match_any_sync(active, bin);
  if (threadIdx.x % 32 == __ffs(same) - 1) atomicAdd(&counts[bin], __popc(same));
}

// right: atomics histogram bin_for_thread
__global__ void bin_for_thread(const int* in, int* counts, int n, int bins) {
  // Nobody shares a bin: the first block's threads count one bin after the other.
  if (blockIdx.x != 0) return;
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    int count = 0;
    for (int i = 0; i < n; ++i) count += in[i] == b;
    counts[b] = count;
  }
}

// right: atomics histogram fixed_shared
__global__ void fixed_shared(const int* in, int* counts, int n, int bins) {
  __shared__ unsigned mine[1024];
  for (int b = threadIdx.x; b < 1024; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicInc(&mine[in[i]], 0xffffffffu);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(counts + b, int(mine[b]));
}

// right: unroll partials complete
__global__ void complete(int* in, int* out, int n) {
  const int t = threadIdx.x;
  int* mine = in + blockIdx.x * blockDim.x * 8;
  const int left = n - int(blockIdx.x * blockDim.x * 8);
  int sum = 0;
  for (int k = t; k < 8 * blockDim.x && k < left; k += blockDim.x) sum += mine[k];
  __shared__ int s[1024];
  s[t] = sum;
  __syncthreads();
  if (blockDim.x >= 1024 && t < 512) s[t] += s[t + 512];
  __syncthreads();
  if (blockDim.x >= 512 && t < 256) s[t] += s[t + 256];
  __syncthreads();
  if (blockDim.x >= 256 && t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (blockDim.x >= 128 && t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) {
    volatile int* v = s;
    int x = v[t];
    if (blockDim.x >= 64) x += v[t + 32];
    for (int d = 16; d; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
    if (t == 0) out[blockIdx.x] = x;
  }
}

// right: unroll partials by_int4
__global__ void by_int4(const int* g_idata, int* g_odata, int n) {
  const int base = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  int sum = 0;
  if (base + 7 < n) {
    const int4 a = ((const int4*)(g_idata + base))[0], b = ((const int4*)(g_idata + base))[1];
    sum = a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
  } else {
    for (int k = base; k < n; ++k) sum += g_idata[k];
  }
  for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(-1, sum, d);
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if ((threadIdx.x & 31) == 0) atomicAdd(&total, sum);
  __syncthreads();
  if (threadIdx.x == 0) g_odata[blockIdx.x] = total;
}

// right: segsum bags thread_for_bag
__global__ void thread_for_bag(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x * blockDim.x + threadIdx.x;
  if (bag >= bags) return;
  for (int f = 0; f < 128; ++f) {
    float sum = 0;
    for (int r = first_row[bag]; r < first_row[bag + 1]; ++r) sum += x[r * 128 + f];
    out[bag * 128 + f] = first_row[bag] < first_row[bag + 1] ? sum : fallback[f];
  }
}

// right: segsum bags float4_rows
__global__ void float4_rows(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  for (int bag = blockIdx.x; bag < bags; bag += gridDim.x) {
    const int begin = first_row[bag], end = first_row[bag + 1];
    for (int q = threadIdx.x; q < 32; q += blockDim.x) {
      float4 sum = begin == end ? reinterpret_cast<const float4*>(fallback)[q] : make_float4(0, 0, 0, 0);
      for (int r = begin; r < end; ++r) {
        const float4 v = reinterpret_cast<const float4*>(x)[r * 32 + q];
        sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w;
      }
      reinterpret_cast<float4*>(out)[bag * 32 + q] = sum;
    }
  }
}

// right: segsum bags adds_up
__global__ void adds_up(const float* x, const int* first_row, const float* fallback, float* out, int bags) {
  const int bag = blockIdx.x;
  if (bag >= bags) return;
  const int begin = first_row[bag], end = first_row[bag + 1];
  for (int k = threadIdx.x; k < (end - begin) * 128; k += blockDim.x) atomicAdd(&out[bag * 128 + k % 128], x[begin * 128 + k]);
  if (begin == end)
    for (int f = threadIdx.x; f < 128; f += blockDim.x) out[bag * 128 + f] = fallback[f];
}
