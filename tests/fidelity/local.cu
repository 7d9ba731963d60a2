// Arrays in local memory: indexed by what only the launch knows, so no compiler can keep them in registers, and in
// loops that are not unrolled, so none can merge neighbouring elements into one access.
// Word w of lane l lies at w * 128 + 4 * l: lanes on one index share sectors, lanes on different ones do not.

#define FOR_EACH_WIDTH(kernel)                                                                                   \
  template __global__ void kernel<unsigned char>(const unsigned char*, unsigned char*, int, int);                \
  template __global__ void kernel<unsigned short>(const unsigned short*, unsigned short*, int, int);             \
  template __global__ void kernel<unsigned int>(const unsigned int*, unsigned int*, int, int);                   \
  template __global__ void kernel<unsigned long long>(const unsigned long long*, unsigned long long*, int, int); \
  template __global__ void kernel<uint4>(const uint4*, uint4*, int, int);

constexpr int elements = 16;

template <typename T>
__device__ void fill(T* array, const T* in) {
#pragma unroll 1
  for (int i = 0; i < elements; ++i) array[i] = in[i * blockDim.x + threadIdx.x];
}

// Every lane at the same index.
template <typename T>
__global__ void local_uniform(const T* in, T* out, int index, int) {
  T array[elements];
  fill(array, in);
  out[threadIdx.x] = array[index & 15];
}
FOR_EACH_WIDTH(local_uniform)

// Lane l at index l * factor: diverged.
template <typename T>
__global__ void local_diverged(const T* in, T* out, int factor, int mask) {
  T array[elements];
  fill(array, in);
  out[threadIdx.x] = array[threadIdx.x * factor & mask];
}
FOR_EACH_WIDTH(local_diverged)

// Only lanes of `mask`, stores at diverged indices.
template <typename T>
__global__ void local_masked(const T* in, T* out, int factor, int mask) {
  T array[elements];
  fill(array, in);
  if (mask >> threadIdx.x % 32 & 1) array[threadIdx.x * factor & 15] = in[threadIdx.x];
  out[threadIdx.x] = array[15 & factor];
}
FOR_EACH_WIDTH(local_masked)
