// Shared memory. A tile is filled with unit stride and, behind a barrier, read in the pattern under test (or filled in
// the pattern and read with it). The barrier keeps the compilers from passing values on in registers, each thread
// loads and stores one element per step (nothing to merge into a wider access), and patterns are arguments.

#define INSTANTIATE(kernel, T, ...) template __global__ void kernel<T>(const T*, T*, __VA_ARGS__);
#define FOR_EACH_WIDTH(kernel, ...)                    \
  INSTANTIATE(kernel, unsigned char, __VA_ARGS__)      \
  INSTANTIATE(kernel, unsigned short, __VA_ARGS__)     \
  INSTANTIATE(kernel, unsigned int, __VA_ARGS__)       \
  INSTANTIATE(kernel, unsigned long long, __VA_ARGS__) \
  INSTANTIATE(kernel, uint4, __VA_ARGS__)

constexpr int tile_elements = 1056;  // 32 x 33

__device__ int lane() { return threadIdx.x % 32; }

// Conflict-free, one element per thread and turn.
template <typename T>
__device__ void fill(T* tile, const T* in, int n) {
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = in[i];
  __syncthreads();
}

template <typename T>
__global__ void shared_load_stride(const T* in, T* out, int n, int stride, int offset) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[threadIdx.x * stride + offset];
}
FOR_EACH_WIDTH(shared_load_stride, int, int, int)

template <typename T>
__global__ void shared_store_stride(const T* in, T* out, int stride) {
  __shared__ T tile[tile_elements];
  tile[threadIdx.x * stride] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x * stride];
}
FOR_EACH_WIDTH(shared_store_stride, int)

// `share` neighbours on one element.
template <typename T>
__global__ void shared_load_shared_by(const T* in, T* out, int n, int share) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[threadIdx.x / share];
}
FOR_EACH_WIDTH(shared_load_shared_by, int, int)

// Lanes that differ only in the bits of `ignored` meet on one element.
template <typename T>
__global__ void shared_load_ignoring(const T* in, T* out, int n, int ignored) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[threadIdx.x & ~ignored];
}
FOR_EACH_WIDTH(shared_load_ignoring, int, int)

// Neighbours meet, but where bit `bit` of the lane is set: there those two apart.
template <typename T>
__global__ void shared_load_mixed(const T* in, T* out, int n, int bit) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[threadIdx.x & ~(threadIdx.x & bit ? 2 : 1)];
}
FOR_EACH_WIDTH(shared_load_mixed, int, int)

// Stores of lanes that meet: the same value each.
template <typename T>
__global__ void shared_store_ignoring(const T* in, T* out, int ignored) {
  __shared__ T tile[tile_elements];
  const int i = threadIdx.x & ~ignored;
  tile[i] = in[i];
  __syncthreads();
  out[i] = tile[i];
}
FOR_EACH_WIDTH(shared_store_ignoring, int)

// `degree` rows of one column of 128 bytes: that many distinct words in a bank, each a broadcast to the lanes on it.
template <typename T>
__global__ void shared_load_column(const T* in, T* out, int n, int degree, int row) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[threadIdx.x % degree * row];
}
FOR_EACH_WIDTH(shared_load_column, int, int, int)

template <typename T>
__global__ void shared_load_masked(const T* in, T* out, int n, int mask, int stride) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  if (mask >> lane() & 1) out[threadIdx.x] = tile[threadIdx.x * stride];
}
FOR_EACH_WIDTH(shared_load_masked, int, int, int)

template <typename T>
__global__ void shared_store_masked(const T* in, T* out, int mask, int stride) {
  __shared__ T tile[tile_elements];
  if (mask >> lane() & 1) tile[threadIdx.x * stride] = in[threadIdx.x];
  __syncthreads();
  if (mask >> lane() & 1) out[threadIdx.x] = tile[threadIdx.x * stride];
}
FOR_EACH_WIDTH(shared_store_masked, int, int)

// A gather that looks random.
template <typename T>
__global__ void shared_gather(const T* in, T* out, int n, int mask) {
  __shared__ T tile[tile_elements];
  fill(tile, in, n);
  out[threadIdx.x] = tile[(threadIdx.x * 2654435761u >> 7) & mask];
}
FOR_EACH_WIDTH(shared_gather, int, int)

// A tile is written by rows and read by columns: rows of `pitch` elements, padded or not.
template <typename T>
__global__ void shared_columns(const T* in, T* out, int pitch) {
  __shared__ T tile[tile_elements];
  const int from = threadIdx.y * blockDim.x + threadIdx.x;
  tile[threadIdx.y * pitch + threadIdx.x] = in[from];
  __syncthreads();
  out[from] = tile[threadIdx.x * pitch + threadIdx.y];
}
FOR_EACH_WIDTH(shared_columns, int)

// The same without padding: columns are permuted by the row's number.
extern "C" __global__ void shared_swizzled(const float* in, float* out) {
  __shared__ float tile[1024];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y * 32 + (x ^ y)] = in[y * 32 + x];
  __syncthreads();
  out[y * 32 + x] = tile[x * 32 + (y ^ x)];
}
