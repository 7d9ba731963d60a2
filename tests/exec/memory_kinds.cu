// All kinds of memory hold what is put into them, and are where a GPU has them.
// long
// case: :: 0
// out: ^managed ok\nmanaged variable ok\npinned ok\nregistered ok\npitched ok\nthree dimensions ok\nsymbols ok\nasync ok\nattributes ok\nmet by atomics ok\n$
// err: exit code 0
// case: --sanitize all :: 0
// out: met by atomics ok
#include <cstdio>
#include <cstring>
#include <vector>

__managed__ int counter = 3;
__constant__ int factors[4];
__device__ int results[4];

__global__ void twice(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void add_system(int* x) { atomicAdd_system(x, 1); }
__global__ void count(int n) { atomicAdd(&counter, n); }
__global__ void scale() { results[threadIdx.x] = factors[threadIdx.x] * 10; }
__global__ void rows(char* base, size_t pitch, int width) {
  reinterpret_cast<int*>(base + blockIdx.x * pitch)[threadIdx.x % width] = blockIdx.x * 100 + threadIdx.x;
}

static void say(const char* what, bool good) { std::printf("%s %s\n", what, good ? "ok" : "WRONG"); }

static bool check(cudaError_t e) {
  if (e != cudaSuccess) std::printf("%s\n", cudaGetErrorString(e));
  return e == cudaSuccess;
}

static void managed() {
  int* x;
  bool good = check(cudaMallocManaged(&x, 100 * sizeof(int)));
  for (int i = 0; i < 100; ++i) x[i] = i;
  twice<<<1, 128>>>(x, 100);
  good &= check(cudaDeviceSynchronize());
  for (int i = 0; i < 100; ++i) good &= x[i] == 2 * i;
  say("managed", good && check(cudaFree(x)));
  counter += 1;
  count<<<1, 2>>>(5);
  good = check(cudaDeviceSynchronize());
  say("managed variable", good && counter == 14);
}

static void host_memory() {
  int *x, *seen;
  bool good = check(cudaHostAlloc(&x, 40, cudaHostAllocMapped)) && check(cudaHostGetDevicePointer(&seen, x, 0));
  for (int i = 0; i < 10; ++i) x[i] = i;
  twice<<<1, 10>>>(seen, 10);
  good &= check(cudaDeviceSynchronize()) && x[9] == 18;
  say("pinned", good && check(cudaFreeHost(x)));
  std::vector<int> own(10, 4);
  good = check(cudaHostRegister(own.data(), 40, 0));
  good &= cudaHostRegister(own.data(), 40, 0) == cudaErrorHostMemoryAlreadyRegistered;
  twice<<<1, 10>>>(own.data(), 10);
  good &= check(cudaDeviceSynchronize()) && own[9] == 8;
  say("registered", good && check(cudaHostUnregister(own.data())));
}

static void shapes() {
  char* base;
  size_t pitch;
  bool good = check(cudaMallocPitch(&base, &pitch, 12, 5)) && pitch % 512 == 0;
  rows<<<5, 3>>>(base, pitch, 3);
  int seen[5][3] = {};
  good &= check(cudaMemcpy2D(seen, 12, base, pitch, 12, 5, cudaMemcpyDeviceToHost)) && seen[4][2] == 402;
  good &= cudaMemcpy2D(seen, 4, base, pitch, 12, 5, cudaMemcpyDeviceToHost) == cudaErrorInvalidPitchValue;
  say("pitched", good && check(cudaFree(base)));
  cudaPitchedPtr box;
  good = check(cudaMalloc3D(&box, make_cudaExtent(8, 3, 2))) && check(cudaMemset3D(box, 7, make_cudaExtent(8, 3, 2)));
  char bytes[48] = {};
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = box;
  copy.dstPtr = make_cudaPitchedPtr(bytes, 8, 8, 3);
  copy.extent = make_cudaExtent(8, 3, 2);
  copy.kind = cudaMemcpyDeviceToHost;
  good &= check(cudaMemcpy3D(&copy));
  for (const char byte : bytes) good &= byte == 7;
  say("three dimensions", good && check(cudaFree(box.ptr)));
}

static void symbols() {
  const int by[4] = {1, 2, 3, 4};
  int seen[4] = {};
  size_t size = 0;
  void* place = nullptr;
  bool good = check(cudaMemcpyToSymbol(factors, by, sizeof by));
  scale<<<1, 4>>>();
  good &= check(cudaMemcpyFromSymbol(seen, results, sizeof seen)) && seen[3] == 40;
  good &= check(cudaGetSymbolSize(&size, results)) && size == 16 && check(cudaGetSymbolAddress(&place, results));
  good &= check(cudaMemcpy(seen, place, 8, cudaMemcpyDefault)) && seen[1] == 20;
  good &= cudaMemcpyToSymbol(factors, by, sizeof by, 4) == cudaErrorInvalidValue;
  say("symbols", good);
  cudaGetLastError();
}

static void async() {
  cudaStream_t stream;
  int* x;
  bool good = check(cudaStreamCreate(&stream)) && check(cudaMallocAsync(&x, 40, stream));
  good &= check(cudaMemsetAsync(x, 1, 40, stream));
  int seen[10];
  good &= check(cudaMemcpyAsync(seen, x, 40, cudaMemcpyDeviceToHost, stream)) && check(cudaFreeAsync(x, stream));
  good &= check(cudaStreamSynchronize(stream)) && seen[3] == 0x01010101 && check(cudaStreamDestroy(stream));
  say("async", good);
}

/// Atomics of the host, which does not wait, meet those of a kernel: no race.
static void met_by_atomics() {
  int* x;
  bool good = check(cudaMallocManaged(&x, 3 * sizeof(int)));
  x[0] = x[1] = x[2] = 0;
  add_system<<<2, 32>>>(x);
  __atomic_fetch_add(&x[0], 5, __ATOMIC_SEQ_CST);
  add_system<<<2, 32>>>(x + 1);
  __atomic_exchange_n(&x[2], 7, __ATOMIC_SEQ_CST);
  add_system<<<2, 32>>>(x);
  int expected = 64;
  __atomic_compare_exchange_n(&x[1], &expected, 3, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  good &= check(cudaDeviceSynchronize()) && x[0] == 133 && x[1] == 3 && x[2] == 7;
  say("met by atomics", good && check(cudaFree(x)));
}

int main() {
  managed();
  host_memory();
  shapes();
  symbols();
  async();
  int* x;
  cudaPointerAttributes attributes;
  bool good = check(cudaMallocManaged(&x, 4)) && check(cudaPointerGetAttributes(&attributes, x + 0));
  good &= attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == x;
  good &= check(cudaPointerGetAttributes(&attributes, &good)) && attributes.type == cudaMemoryTypeUnregistered;
  say("attributes", good && check(cudaFree(x)));
  met_by_atomics();
}
