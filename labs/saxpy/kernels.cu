// The first kernels: adding two arrays, and y = a x + y ("single precision a x plus y", as the BLAS call it; in double
// precision it is their daxpy). Two loads, one multiply-add, one store per element: the memory decides the time,
// arithmetic is free. T is float or double.
//
// Positions are long: blockIdx.x * blockDim.x of a large grid is more than an int holds.

// --- 0: the first kernel ---------------------------------------------------------------------------------------------
// The body of a loop, without the loop: as many threads as elements, each works out which one is its own. Blocks have
// whole numbers of threads, so that the last one mostly reaches beyond n: its surplus threads must do nothing.
template <typename T>
__global__ void vadd(const T* x, const T* y, T* z, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

// --- 1: one block ----------------------------------------------------------------------------------------------------
// A single block walks over the array, blockDim.x elements at a time. Right, and no thread lies beyond n: but a block
// lives on one SM, and the others have nothing to do.
template <typename T>
__global__ void saxpy_one_block(T a, const T* x, T* y, int n) {
  if (blockIdx.x > 0) return;
  for (long i = threadIdx.x; i < n; i += blockDim.x) y[i] = a * x[i] + y[i];
}

// --- 2: a thread per element -----------------------------------------------------------------------------------------
// Enough blocks to cover the array, on all SMs, in any order. Each warp runs a few instructions and is gone.
template <typename T>
__global__ void saxpy_naive(T a, const T* x, T* y, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// --- 3: stride over the grid -----------------------------------------------------------------------------------------
// Only as many blocks as the GPU holds; each thread takes every gridDim * blockDim-th element. Right with any grid, and
// what a thread does once (its index, its arguments) is paid once for several elements.
template <typename T>
__global__ void saxpy_grid_stride(T a, const T* x, T* y, int n) {
  const long step = long(gridDim.x) * blockDim.x;
  for (long i = long(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) y[i] = a * x[i] + y[i];
}

// --- 4: four at a time -----------------------------------------------------------------------------------------------
// 16 bytes per load and store, four floats or two doubles: a quarter of the memory instructions for the same bytes, or
// half. What n leaves over, the first threads take.
template <typename T>
constexpr int width = 16 / sizeof(T);
template <typename T>
struct alignas(16) Vector {
  T at[width<T>];
};

template <typename T>
__global__ void saxpy_vec4(T a, const T* x, T* y, int n) {
  const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n / width<T>) {
    const Vector<T> u = reinterpret_cast<const Vector<T>*>(x)[i];
    Vector<T> v = reinterpret_cast<Vector<T>*>(y)[i];
    for (int k = 0; k < width<T>; ++k) v.at[k] = a * u.at[k] + v.at[k];
    reinterpret_cast<Vector<T>*>(y)[i] = v;
  }
  const long rest = long(n / width<T>) * width<T> + i;
  if (rest < n) y[rest] = a * x[rest] + y[rest];
}

// Every kernel for both types: naming a template's instance is enough for nvcc to compile it.
template <auto... kernel>
struct Compile {};
template <typename T>
struct Ladder : Compile<vadd<T>, saxpy_one_block<T>, saxpy_naive<T>, saxpy_grid_stride<T>, saxpy_vec4<T>> {};
template struct Ladder<float>;
template struct Ladder<double>;
