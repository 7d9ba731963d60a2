// The first kernels: adding two arrays, and y = a x + y ("single precision a x plus y", as the BLAS call it). Two
// loads, one multiply-add, one store per element: the memory decides the time, arithmetic is free.
//
// Positions are long: blockIdx.x * blockDim.x of a large grid is more than an int holds.

// --- 0: the first kernel ---------------------------------------------------------------------------------------------
// The body of a loop, without the loop: as many threads as elements, each works out which one is its own. Blocks have
// whole numbers of threads, so that the last one mostly reaches beyond n: its surplus threads must do nothing.
__global__ void vadd(const float* x, const float* y, float* z, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

// --- 1: one block ----------------------------------------------------------------------------------------------------
// A single block walks over the array, blockDim.x elements at a time. Right, and no thread lies beyond n: but a block
// lives on one SM, and the others have nothing to do.
__global__ void saxpy_one_block(float a, const float* x, float* y, int n) {
  if (blockIdx.x > 0) return;
  for (long i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];
}

// --- 2: a thread per element -----------------------------------------------------------------------------------------
// Enough blocks to cover the array, on all SMs, in any order. Each warp runs a few instructions and is gone.
__global__ void saxpy_naive(float a, const float* x, float* y, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// --- 3: stride over the grid -----------------------------------------------------------------------------------------
// Only as many blocks as the GPU holds; each thread takes every gridDim * blockDim-th element. Right with any grid, and
// what a thread does once (its index, its arguments) is paid once for several elements.
__global__ void saxpy_grid_stride(float a, const float* x, float* y, int n) {
  const long step = long(gridDim.x) * blockDim.x;
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i] + y[i];
}

// --- 4: four at a time -----------------------------------------------------------------------------------------------
// 16 bytes per load and store: a quarter of the memory instructions for the same bytes. What n % 4 leaves over, the
// first threads take.
__global__ void saxpy_vec4(float a, const float* x, float* y, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    const float4 u = reinterpret_cast<const float4*>(x)[i];
    float4 v = reinterpret_cast<float4*>(y)[i];
    v.x = a * u.x + v.x;
    v.y = a * u.y + v.y;
    v.z = a * u.z + v.z;
    v.w = a * u.w + v.w;
    reinterpret_cast<float4*>(y)[i] = v;
  }
  const long rest = n / 4 * 4L + i;
  if (rest < n) y[rest] = a * x[rest] + y[rest];
}
