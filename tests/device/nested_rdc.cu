// Dynamic parallelism: kernels that launch kernels (tests/unit/common/simt/dynamic_parallelism_test.cpp, the device
// contract).
#include <cstdio>

// Each grid notes its number where the one before it stopped: the order in which they ran.
__global__ void note(int* log, int number) {
  if (threadIdx.x == 0) log[1 + atomicAdd(log, 1)] = number;
}

// A launch by each stream. The tail comes last, whatever the order of the launches; the parent's own note first.
extern "C" __global__ void streams(int* log, int* errors) {
  cudaStream_t own;
  cudaEvent_t event;
  errors[0] = cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  note<<<1, 32, 0, cudaStreamTailLaunch>>>(log, 90);
  note<<<1, 32, 0, cudaStreamTailLaunch>>>(log, 91);
  note<<<1, 32>>>(log, 10);
  note<<<2, 32, 0, own>>>(log, 20);
  note<<<1, 32, 0, cudaStreamFireAndForget>>>(log, 30);
  errors[1] = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  errors[2] = cudaEventRecord(event, own);
  errors[3] = cudaStreamWaitEvent(0, event, 0);
  note<<<1, 32>>>(log, 11);
  errors[4] = cudaEventDestroy(event);
  errors[5] = cudaStreamDestroy(own);
  errors[6] = cudaStreamDestroy(own);                              // twice
  errors[7] = cudaEventRecord(event, 0);                           // destroyed
  errors[8] = cudaStreamCreateWithFlags(&own, cudaStreamDefault);  // only non-blocking ones
  errors[9] = cudaGetLastError();
  errors[10] = cudaPeekAtLastError();
  log[1 + atomicAdd(log, 1)] = 1;
}

// A tree: each grid launches two of the next level, by different threads and blocks.
extern "C" __global__ void tree(int* log, int level, int number) {
  if (threadIdx.x == 0 && blockIdx.x == 0) log[1 + atomicAdd(log, 1)] = number;
  const int blocks = level > 1 ? 2 : 1;
  if (level > 0 && threadIdx.x == 0) tree<<<blocks, 32>>>(log, level - 1, 10 * number + blockIdx.x + 1);
}

// A loop by tail launches, longer than any nesting may be: each starts when the one before has ended.
extern "C" __global__ void countdown(int* log, int left) {
  log[1 + atomicAdd(log, 1)] = left;
  if (left > 0) countdown<<<1, 1, 0, cudaStreamTailLaunch>>>(log, left - 1);
}

// The sum of an array: halves until a warp's worth is left, then a tail launch each.
extern "C" __global__ void nested_sum(int* data, int n) {
  const int half = n / 2;
  if (int(threadIdx.x) < half) data[threadIdx.x] += data[threadIdx.x + half];
  __syncthreads();
  if (half > 1 && threadIdx.x == 0) nested_sum<<<1, half / 2, 0, cudaStreamTailLaunch>>>(data, half);
}

// How deep may it go? Each level notes what its launch said.
extern "C" __global__ void descend(int* errors, int level) {
  descend<<<1, 1>>>(errors, level + 1);
  errors[level] = cudaGetLastError();
}

// How many may wait?
extern "C" __global__ void many(int* log, int* errors, int n) {
  int made = 0;
  while (made < n) {
    note<<<1, 1>>>(log, made);
    if ((errors[1] = cudaGetLastError()) != cudaSuccess) break;
    ++made;
  }
  errors[0] = made;
}

struct Large {
  double values[20];
  char tag;
};
__global__ void takes_all(double* out, char c, Large large, short s, float f) {
  out[threadIdx.x] = large.values[threadIdx.x] + c + s + f + large.tag;
}
extern "C" __global__ void passes_all(double* out) {
  Large large;
  for (int i = 0; i < 20; ++i) large.values[i] = 100 * i + out[i];
  large.tag = 2;
  takes_all<<<1, 20>>>(out, 1, large, -5, 0.5f);
}

__global__ void uses_shared(int* out) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void refused(int* out, int* errors) {
  uses_shared<<<1, 1025>>>(out);
  errors[0] = cudaGetLastError();
  uses_shared<<<1, 0>>>(out);
  errors[1] = cudaGetLastError();
  uses_shared<<<dim3(1, 70000), 32>>>(out);
  errors[2] = cudaGetLastError();
  uses_shared<<<1, 32, 100000>>>(out);
  errors[3] = cudaGetLastError();
  uses_shared<<<1, 32, 128, reinterpret_cast<cudaStream_t>(77)>>>(out);
  errors[4] = cudaGetLastError();
  uses_shared<<<1, 32, 128>>>(out);
  errors[5] = cudaGetLastError();
}

// Copies and fills in a stream, before and after a kernel.
extern "C" __global__ void moves(int* data, int* errors) {
  errors[0] = cudaMemsetAsync(data, 1, 16, 0);
  note<<<1, 1>>>(data + 8, 7);
  errors[1] = cudaMemcpyAsync(data + 4, data, 16, cudaMemcpyDeviceToDevice, 0);
  int local[4];
  errors[2] = cudaMemcpyAsync(local, data, 16, cudaMemcpyDeviceToDevice, 0);
  errors[3] = cudaGetLastError();
}

extern "C" __global__ void queries(int* out, char* text) {
  size_t heap = 0;
  out[0] = cudaGetDevice(out + 1);
  cudaGetDeviceCount(out + 2);
  cudaDeviceGetAttribute(out + 3, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(out + 4, cudaDevAttrMaxThreadsPerBlock, 0);
  cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
  out[5] = heap >> 10;
  int* block = nullptr;
  out[6] = cudaMalloc(&block, 100);
  *block = 1;
  out[7] = cudaFree(block);
  out[8] = cudaFree(out);
  cudaFuncAttributes attributes;
  out[9] = cudaFuncGetAttributes(&attributes, uses_shared);
  out[10] = attributes.maxThreadsPerBlock;
  out[11] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(out + 12, uses_shared, 1024, 0);
  printf("%s: %s\n", cudaGetErrorName(cudaErrorInvalidValue), cudaGetErrorString(cudaErrorInvalidValue));
}

__global__ void faulty(int* data, int i) { data[i] = 1; }
extern "C" __global__ void launches_a_fault(int* data) { faulty<<<1, 1>>>(data, 1 << 10); }
