// Kernels of the device contract (tests/device_contract.h) and of the GPU tests: small, one point each.
#include <cassert>
#include <cstdio>

extern "C" __global__ void iota(int* out, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = first + i;
}

template <typename T, int factor>
__global__ void scale(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
template __global__ void scale<int, 3>(int*, int);
template __global__ void scale<float, 3>(float*, int);
template __global__ void scale<float, 5>(float*, int);

// Every size of parameter, each stored where it can be seen.
__global__ void parameters(double* out, char c, short s, int i, long l, float f, double d) {
  const double values[] = {double(c), double(s), double(i), double(l), double(f), d};
  if (threadIdx.x < 6) out[threadIdx.x] = values[threadIdx.x];
}

// Through dynamic shared memory, as much as the launch gives.
__global__ void reverse(int* data, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[n - 1 - i];
}

__global__ void static_shared(int* out) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void __launch_bounds__(128) bounded(int* out) { out[threadIdx.x] = 1; }

__global__ void say(int value) { printf("value %d of thread %d\n", value, int(threadIdx.x)); }

__global__ void store_at(int* data, long index) { data[index] = 1; }

__global__ void store_misaligned(char* data) { *reinterpret_cast<int*>(data + 1) = 1; }

__global__ void check_positive(const int* x) { assert(x[threadIdx.x] > 0); }

// Ends only when the host writes what it never writes.
__global__ void wait_for(const volatile int* flag) {
  while (*flag != 12345) {
  }
}

// All blocks meet: ends only if all are resident.
__global__ void meet(unsigned* arrived) {
  if (threadIdx.x > 0) return;
  atomicAdd(arrived, 1);
  while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) {
  }
}

// Reads the whole buffer, so that time is seen to grow with n and to depend on the cache.
__global__ void sum_all(const int* in, int* out, int n) {
  int total = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) total += in[i];
  if (total == 123456789) *out = total;
}
