// Starting a kernel costs microseconds, however little it does: the host puts the launch into a queue, the GPU takes it
// out, distributes its blocks, and waits for the last of them before it begins the next. And the host does not wait at
// all: a launch returns as soon as it is in the queue.
//
// The matrix of the first kernels lies column after column, as in Fortran, MATLAB and Julia: column c is the rows
// elements from in[c * rows] on, and a warp that walks down a column reads neighbouring words.

// What becomes of a column: its largest element, or its mean.
struct Max {
  static constexpr float neutral = -INFINITY;
  static __device__ float combine(float a, float b) { return a > b ? a : b; }
  static __device__ float finish(float all, int) { return all; }
};
struct Mean {
  static constexpr float neutral = 0;
  static __device__ float combine(float a, float b) { return a + b; }
  static __device__ float finish(float all, int rows) { return all / rows; }
};

// --- 1: one thread per column, and a long wait ----------------------------------------------------
// Each thread walks down a column of its own: neighbouring lanes are `rows` elements apart, a sector for each, and few
// threads to hide that. A slow kernel on purpose: a clock that does not wait for its end sees nothing of it.
template <typename Op>
__global__ void columns_by_thread(const float* in, float* out, int rows, int cols) {
  const long column = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  float all = Op::neutral;
  for (int row = 0; row < rows; ++row) all = Op::combine(all, in[column * rows + row]);
  out[column] = Op::finish(all, rows);
}

// --- 2, 3, 4: one block per column ----------------------------------------------------------------
// The threads of a block share a column: each takes every blockDim-th element, then a tree in shared memory combines
// what they have. The same kernel serves three rungs: launched once for each column (with pointers to it, and cols =
// 1), all these launches recorded as one graph, and launched once for all columns. Not an instruction differs.
template <typename Op>
__global__ void columns(const float* in, float* out, int rows, int cols) {
  extern __shared__ float partial[];
  const long column = blockIdx.x;
  if (column >= cols) return;
  float all = Op::neutral;
  for (int row = threadIdx.x; row < rows; row += blockDim.x) all = Op::combine(all, in[column * rows + row]);
  partial[threadIdx.x] = all;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] = Op::combine(partial[threadIdx.x], partial[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) out[column] = Op::finish(partial[0], rows);
}

// --- 5: an operation, a kernel ----------------------------------------------------------------------
// sin(x)^2 + w cos(x)^2 as a library of array operations does it: each operation is a kernel that reads arrays and
// writes one. Four of the five results are temporaries: they go out to memory, only to be read back by the next kernel.
__global__ void sine(const float* in, float* out, long n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sinf(in[i]);
}
__global__ void cosine(const float* in, float* out, long n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = cosf(in[i]);
}
__global__ void square(const float* in, float* out, long n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}
__global__ void add_weighted(const float* a, const float* b, float* out, long n, float weight) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + weight * b[i];
}

// --- 6: one kernel for all of them ------------------------------------------------------------------
// The same arithmetic, fused: what was a temporary array is a register. One launch instead of five, one load and one
// store per element instead of six and five.
__global__ void fused(const float* in, float* out, long n, float weight) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float s = sinf(in[i]), c = cosf(in[i]);
  out[i] = s * s + weight * (c * c);
}

template __global__ void columns_by_thread<Max>(const float*, float*, int, int);
template __global__ void columns_by_thread<Mean>(const float*, float*, int, int);
template __global__ void columns<Max>(const float*, float*, int, int);
template __global__ void columns<Mean>(const float*, float*, int, int);
