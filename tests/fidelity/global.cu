// Global memory, one load and one store per thread (but where the heading of a kernel says otherwise): the value
// stored is the value loaded, so ptxas can neither drop, merge nor widen an access, and both stay as PTX has them.
// Offsets and strides are arguments: nothing can be worked out before the launch.
// tests/fidelity/global_cases.cpp launches them and says once more, on its own, which thread touches what.

#define INSTANTIATE(kernel, T, ...) template __global__ void kernel<T>(const T*, T*, __VA_ARGS__);
#define FOR_EACH_WIDTH(kernel, ...)                    \
  INSTANTIATE(kernel, unsigned char, __VA_ARGS__)      \
  INSTANTIATE(kernel, unsigned short, __VA_ARGS__)     \
  INSTANTIATE(kernel, unsigned int, __VA_ARGS__)       \
  INSTANTIATE(kernel, unsigned long long, __VA_ARGS__) \
  INSTANTIATE(kernel, uint4, __VA_ARGS__)

__device__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int lane() { return threadIdx.x % 32; }

template <typename T>
__global__ void load_stride(const T* in, T* out, int stride) {
  const int i = thread_of_grid();
  out[i] = in[i * stride];
}
FOR_EACH_WIDTH(load_stride, int)

template <typename T>
__global__ void store_stride(const T* in, T* out, int stride) {
  const int i = thread_of_grid();
  out[i * stride] = in[i];
}
FOR_EACH_WIDTH(store_stride, int)

// Off the 128-byte line by `from` elements in the load, `to` in the store.
template <typename T>
__global__ void copy_offset(const T* in, T* out, int from, int to) {
  const int i = thread_of_grid();
  out[i + to] = in[i + from];
}
FOR_EACH_WIDTH(copy_offset, int, int)

// `share` neighbours read one element; 32: a broadcast.
template <typename T>
__global__ void load_shared_by(const T* in, T* out, int share) {
  const int i = thread_of_grid();
  out[i] = in[i / share];
}
FOR_EACH_WIDTH(load_shared_by, int)

// Lanes that differ only in the bits of `ignored` read one element, and write one: the same value.
template <typename T>
__global__ void copy_ignoring(const T* in, T* out, int ignored) {
  const int i = thread_of_grid() & ~ignored;
  out[i] = in[i];
}
FOR_EACH_WIDTH(copy_ignoring, int)

// Only lanes whose bit is set in `mask`.
template <typename T>
__global__ void copy_masked(const T* in, T* out, int mask) {
  const int i = thread_of_grid();
  if (mask >> lane() & 1) out[i] = in[i];
}
FOR_EACH_WIDTH(copy_masked, int)

// Descending addresses.
template <typename T>
__global__ void copy_reversed(const T* in, T* out, int last) {
  const int i = last - thread_of_grid();
  out[i] = in[i];
}
FOR_EACH_WIDTH(copy_reversed, int)

// A gather that looks random, within `mask` + 1 elements.
template <typename T>
__global__ void gather(const T* in, T* out, int mask) {
  const int i = thread_of_grid();
  out[i] = in[(i * 2654435761u >> 7) & mask];
}
FOR_EACH_WIDTH(gather, int)

// A scatter to where an odd factor takes each thread: no two meet, as `mask` + 1 is the number of threads.
template <typename T>
__global__ void scatter(const T* in, T* out, int factor, int mask) {
  const int i = thread_of_grid();
  out[i * factor & mask] = in[i];
}
FOR_EACH_WIDTH(scatter, int, int)

// Lanes take turns between two arrays, far apart.
template <typename T>
__global__ void two_arrays(const T* in, T* out, const T* other, int mask) {
  const int i = thread_of_grid();
  const T* from = mask >> lane() & 1 ? other : in;
  out[i] = from[i];
}
template __global__ void two_arrays<unsigned int>(const unsigned int*, unsigned int*, const unsigned int*, int);
template __global__ void two_arrays<uint4>(const uint4*, uint4*, const uint4*, int);

// One member of a structure of three words, so that lanes are 12 bytes apart.
struct Point {
  float x, y, z;
};
extern "C" __global__ void load_member(const Point* in, float* out) {
  const int i = thread_of_grid();
  out[i] = in[i].y;
}
// All three members: three loads of one word each, for 12 bytes have no alignment of 8.
extern "C" __global__ void load_members(const Point* in, float* out) {
  const int i = thread_of_grid();
  const Point p = in[i];
  out[i * 3] = p.x;
  out[i * 3 + 1] = p.y;
  out[i * 3 + 2] = p.z;
}

// Two-dimensional blocks: warps wrap rows, and `pitch` says how far apart those are.
extern "C" __global__ void copy_rows(const float* in, float* out, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * pitch + x] = in[y * pitch + x];
}
extern "C" __global__ void copy_columns(const float* in, float* out, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * pitch + y] = in[x * pitch + y];
}
extern "C" __global__ void transpose_rows(const float* in, float* out, int pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * pitch + y] = in[y * pitch + x];
}
// Three dimensions, z last.
extern "C" __global__ void copy_volume(const float* in, float* out, int pitch, int plane) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  out[z * plane + y * pitch + x] = in[z * plane + y * pitch + x];
}

// A table in constant memory goes through its own cache: it is no global load, uniform or not.
__constant__ unsigned int table[16] = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22};
extern "C" __global__ void load_constant(unsigned int* out, int mask) {
  const int i = thread_of_grid();
  out[i] = table[i & mask];
}
