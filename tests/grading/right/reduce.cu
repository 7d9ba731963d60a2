// Right sums in different styles. A line "// right: LAB CONTRACT KERNEL" is a solution that tests/grading/run.py judges.
#include <cstdio>

// right: reduce total every_element
__global__ void every_element(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, in[i]);
}

// right: reduce total one_thread
__global__ void one_thread(float const* __restrict__ values, float* const result, const int count) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  float sum = 0;
  for (int k = 0; k < count; ++k) sum += values[k];
  *result += sum;
}

// right: reduce total fixed_block
// gpulab: block 256
constexpr int kThreads = 256;
__global__ void fixed_block(const float* in, float* out, int n) {
  __shared__ float s[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}

// right: reduce total in_double
__global__ void in_double(const double* in, double* out, size_t n) {
  double sum = 0;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) sum += in[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

// right: reduce total warp_first
__device__ int warp_sum(int x) {
  for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}
__global__ void warp_first(const int* in, int* out, int n) {
  extern __shared__ int sums[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = warp_sum(i < n ? in[i] : 0);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    const int all = warp_sum(threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd(out, all);
  }
}

// right: reduce total vectors
__global__ void vectors(const float* in, float* out, int n) {
  const int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  float sum = 0;
  if (i + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(in + i);
    sum = v.x + v.y + v.z + v.w;
  } else {
    for (int k = i; k < n; ++k) sum += in[k];
  }
  if (sum != 0) atomicAdd(out, sum);
}

// right: reduce total chatty
__global__ void chatty(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) printf("n is %d, in[0] is %d\n", n, n > 0 ? in[0] : 0);
  if (i < n) atomicAdd(out, in[i]);
}

// right: reduce partials one_each
__global__ void one_each(const float* in, float* out, int n) {
  extern __shared__ float s[];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: reduce partials two_each
__global__ void two_each(const int* in, int* out, int n) {
  __shared__ int s[1024];
  const int t = threadIdx.x, i = 2 * blockIdx.x * blockDim.x + t;
  s[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// right: reduce partials in_place
__global__ void in_place(int* data, int* out, int n) {
  int* mine = data + blockIdx.x * blockDim.x;
  const int left = n - int(blockIdx.x * blockDim.x), t = threadIdx.x;
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0 && t + step < left) mine[t] += mine[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = left > 0 ? mine[0] : 0;
}
