// Atomics on global and shared memory, with and without a use of the old value (PTX: atom, red). Old values are used
// where no two threads meet, so that the result does not depend on the order.

__device__ int thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// `share` neighbours add to one counter, counters are `stride` apart.
template <typename T>
__global__ void red_add(T* out, int share, int stride) {
  atomicAdd(&out[thread_of_grid() / share * stride], T(threadIdx.x + 1));
}
template __global__ void red_add<int>(int*, int, int);
template __global__ void red_add<unsigned long long>(unsigned long long*, int, int);
template __global__ void red_add<float>(float*, int, int);
template __global__ void red_add<double>(double*, int, int);

template <typename T>
__global__ void atom_add(T* counters, T* out, int stride) {
  const int i = thread_of_grid();
  out[i] = atomicAdd(&counters[i * stride], T(threadIdx.x + 1));
}
template __global__ void atom_add<int>(int*, int*, int);
template __global__ void atom_add<unsigned long long>(unsigned long long*, unsigned long long*, int);
template __global__ void atom_add<float>(float*, float*, int);

extern "C" __global__ void atom_max_masked(int* counters, int* out, int mask) {
  const int i = thread_of_grid();
  if (mask >> threadIdx.x % 32 & 1) out[i] = atomicMax(&counters[i], 5);
}
extern "C" __global__ void atom_exchange(int* counters, int* out, int stride) {
  const int i = thread_of_grid();
  out[i] = atomicExch(&counters[i * stride], i);
}
template <typename T>
__global__ void atom_cas(T* counters, T* out, T expected) {
  const int i = thread_of_grid();
  out[i] = atomicCAS(&counters[i], expected, T(i));
}
template __global__ void atom_cas<unsigned int>(unsigned int*, unsigned int*, unsigned int);
template __global__ void atom_cas<unsigned long long>(unsigned long long*, unsigned long long*, unsigned long long);

// A histogram in shared memory: `share` neighbours on one of the counters, which are `stride` apart.
template <typename T>
__global__ void shared_add(T* out, int share, int stride) {
  __shared__ T counters[1024];
  counters[threadIdx.x * stride] = T(0);
  __syncthreads();
  atomicAdd(&counters[threadIdx.x / share * stride], T(threadIdx.x + 1));
  __syncthreads();
  out[threadIdx.x] = counters[threadIdx.x * stride];
}
template __global__ void shared_add<int>(int*, int, int);
template __global__ void shared_add<unsigned long long>(unsigned long long*, int, int);
template __global__ void shared_add<float>(float*, int, int);

extern "C" __global__ void shared_exchange(const int* in, int* out) {
  __shared__ int cells[1024];
  cells[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = atomicExch(&cells[threadIdx.x ^ 1], 3);
}
