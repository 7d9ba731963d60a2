// What the simulator's speed is measured on, beside the labs' own kernels: arithmetic, divergence, plain copying, and
// what homework does: lanes scattered in shared memory, arrays of each thread's own, half precision.

#include <cuda_fp16.h>

/// c = a * b, all n x n and row-major; blocks of TILE x TILE threads, n a multiple of TILE.
template <int TILE>
__device__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int tile = 0; tile < n; tile += TILE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(tile + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void matmul_tiled_16(const float* a, const float* b, float* c, int n) { matmul<16>(a, b, c, n); }
extern "C" __global__ void matmul_tiled_32(const float* a, const float* b, float* c, int n) { matmul<32>(a, b, c, n); }

/// Steps that each of n numbers takes to reach 1: every lane leaves the loop at another time, and the branch on
/// parity is one that no compiler turns into a select (both sides go on looping).
extern "C" __global__ void collatz(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = static_cast<unsigned>(in[i]) % 1000 + 1;
  int steps = 0;
  while (x != 1) {
    if (x & 1) {
      x = 3 * x + 1;
      ++steps;
      asm volatile("" ::: "memory");
    } else {
      do {
        x >>= 1;
        ++steps;
      } while (!(x & 1));
    }
  }
  out[i] = steps;
}

/// The plain form: parity becomes a select, the loop alone diverges.
extern "C" __global__ void collatz_select(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = static_cast<unsigned>(in[i]) % 1000 + 1;
  int steps = 0;
  for (; x != 1; ++steps) x = x & 1 ? 3 * x + 1 : x >> 1;
  out[i] = steps;
}

extern "C" __global__ void copy(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// Long chains of fused multiply-adds in registers.
extern "C" __global__ void polynomial(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum = sum * x + static_cast<float>(k);
  out[i] = sum;
}

/// Blocks of 256 threads sort 512 values each. Of each two runs that become one a thread makes two values: a binary
/// search finds where they come from. Each lane reads where its own data leads it, and leaves its loops when it likes.
extern "C" __global__ void merge_sort_shared(const int* in, int* out, int n) {
  constexpr int kValues = 512;
  __shared__ int values[2][kValues];
  const int first = blockIdx.x * kValues;
  for (int i = threadIdx.x; i < kValues; i += blockDim.x) values[0][i] = first + i < n ? in[first + i] : 0x7fffffff;
  int from = 0;
  for (int run = 1; run < kValues; run *= 2) {
    __syncthreads();
    int to = 2 * threadIdx.x;
    const int begin = to / (2 * run) * (2 * run), middle = begin + run, end = middle + run;
    int least = max(0, to - begin - run), most = min(to - begin, run);  // how many of them are from the left run
    while (least < most) {
      const int half = (least + most) / 2;
      if (values[from][begin + half] <= values[from][middle + to - begin - half - 1])
        least = half + 1;
      else
        most = half;
    }
    int left = begin + least, right = middle + to - begin - least;
    for (const int stop = to + 2; to < stop; ++to) {
      if (right >= end || (left < middle && values[from][left] <= values[from][right]))
        values[1 - from][to] = values[from][left++];
      else
        values[1 - from][to] = values[from][right++];
    }
    from = 1 - from;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kValues; i += blockDim.x)
    if (first + i < n) out[first + i] = values[from][i];
}

/// Each thread sorts 32 values in an array of its own: lanes are at different places of it.
extern "C" __global__ void insertion_sort_local(const int* in, int* out, int n) {
  constexpr int kValues = 32;
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kValues;
  if (first + kValues > n) return;
  int values[kValues];
  for (int i = 0; i < kValues; ++i) values[i] = in[first + i];
  for (int i = 1; i < kValues; ++i) {
    const int value = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
  for (int i = 0; i < kValues; ++i) out[first + i] = values[i];
}

/// The longest common subsequence of two runs of each thread's input, by a row in an array of its own: all lanes are
/// at the same place of it.
extern "C" __global__ void subsequence_local(const int* in, int* out, int n) {
  constexpr int kLength = 32;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 2 * kLength > n) return;
  int row[kLength + 1];
  for (int k = 0; k <= kLength; ++k) row[k] = 0;
  for (int a = 0; a < kLength; ++a) {
    const int value = in[i + a] & 3;
    int diagonal = 0;
#pragma unroll 1
    for (int b = 1; b <= kLength; ++b) {
      const int above = row[b];
      row[b] = (in[i + kLength + b - 1] & 3) == value ? diagonal + 1 : max(above, row[b - 1]);
      diagonal = above;
    }
  }
  out[i] = row[kLength];
}

/// Counts of 2048 values that lie anywhere, in shared memory; then values fetched from anywhere in global memory.
extern "C" __global__ void histogram_scattered(const int* in, int* out, int n) {
  constexpr int kBins = 2048;
  __shared__ int bins[kBins];
  for (int k = threadIdx.x; k < kBins; k += blockDim.x) bins[k] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = i < n ? static_cast<unsigned>(in[i]) + i : 0u;
  int sum = 0;
  for (int k = 0; k < 32; ++k) {
    x = x * 1664525u + 1013904223u;
    atomicAdd(&bins[x >> 21], 1);
    sum += in[(x >> 8) % n];
  }
  __syncthreads();
  if (i < n) out[i] = sum + bins[i % kBins];
}

/// A polynomial in half precision, two values at once and one alone.
extern "C" __global__ void polynomial_half(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const __half x = __int2half_rn(in[i] & 7);
  const __half2 both = __halves2half2(x, __float2half(0.5f));
  __half2 pairs = both;
  __half alone = x;
  for (int k = 0; k < 64; ++k) {
    pairs = __hfma2(pairs, __float2half2_rn(0.25f), __hmul2(both, both));
    alone = __hadd(__hmul(alone, __float2half(0.5f)), x);
  }
  out[i] = __half2int_rn(__low2half(pairs)) + __half2int_rn(__high2half(pairs)) + __half2int_rn(alone);
}

/// Forces between bodies on a line, tile by tile through shared memory.
extern "C" __global__ void bodies(const float* in, float* out, int n) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float mine = in[i];
  float force = 0;
  for (int first = 0; first < n && first < 4096; first += blockDim.x) {
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < blockDim.x; ++k) {
      const float distance = tile[k] - mine;
      const float inverse = rsqrtf(distance * distance + 0.01f);
      force += distance * inverse * inverse * inverse;
    }
    __syncthreads();
  }
  out[i] = force;
}

/// Nine neighbours of a square of 1024 values a side, each from global memory.
extern "C" __global__ void stencil_of_nine(const float* in, float* out, int n) {
  constexpr int kSide = 1024;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = i % kSide, y = i / kSide;
  if (i >= n) return;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (x + dx >= 0 && x + dx < kSide && y + dy >= 0 && y + dy < n / kSide)
        sum += (dx == 0 && dy == 0 ? 0.5f : 0.0625f) * in[(y + dy) * kSide + x + dx];
  out[i] = sum;
}

/// Each thread solves six equations in double precision, with pivots: arrays of its own, rows that swap.
extern "C" __global__ void solve_double(const float* in, float* out, int n) {
  constexpr int kSize = 6;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a[kSize][kSize + 1];
  int order[kSize];
  for (int r = 0; r < kSize; ++r) {
    order[r] = r;
    for (int c = 0; c <= kSize; ++c) a[r][c] = in[(i + 7 * r + c) % n] + (r == c ? 3000.0 : 0.0);
  }
  for (int p = 0; p < kSize; ++p) {
    int best = p;
    for (int r = p + 1; r < kSize; ++r)
      if (fabs(a[order[r]][p]) > fabs(a[order[best]][p])) best = r;
    const int pivot = order[best];
    order[best] = order[p];
    order[p] = pivot;
    for (int r = p + 1; r < kSize; ++r) {
      const double factor = a[order[r]][p] / a[pivot][p];
      for (int c = p; c <= kSize; ++c) a[order[r]][c] -= factor * a[pivot][c];
    }
  }
  double x[kSize];
  for (int p = kSize; p-- > 0;) {
    double rest = a[order[p]][kSize];
    for (int c = p + 1; c < kSize; ++c) rest -= a[order[p]][c] * x[c];
    x[p] = rest / a[order[p]][p];
  }
  out[i] = static_cast<float>(x[0] + x[kSize - 1]);
}
