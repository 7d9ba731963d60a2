// What the simulator's speed is measured on, beside the labs' own kernels: arithmetic, divergence, plain copying.

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
