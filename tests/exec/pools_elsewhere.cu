// Memory pools of the host's memory and of managed memory, and which pool a place has.
// long
// case: :: 0
// out: ^pools of the host: 1\nhost: 2 4 6 8, host memory\nmanaged: 2 4 6 8, managed memory\n
// out: device reaches the host's: 0, when set: 3; the host: 3\n
// out: no pool: invalid argument\nno memory of cudaFreeHost's: invalid argument\n
// out: of the device: the same 1, of managed memory: the same 0, set: 1, another kind: invalid argument\n
// out: by the driver: 1 1\n
// err: cudaMemPoolCreate: pools are of a GPU's memory or the host's \(cudaMemAllocationTypePinned\), or of managed memory
// err: cudaMemSetMemPool: pools are of a GPU's memory or the host's
// case: --sanitize all :: 0
// out: host: 2 4 6 8
// build: -lcuda
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

static void must(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  std::printf("line %d: %s\n", line, cudaGetErrorString(error));
  std::exit(9);
}
#define CALL(x) must((x), __LINE__)

__global__ void twice(int* x) { x[threadIdx.x] *= 2; }

static cudaError_t make(cudaMemPool_t* pool, cudaMemAllocationType type, cudaMemLocationType place) {
  cudaMemPoolProps asked{};
  asked.allocType = type;
  asked.location = {place, 0};
  return cudaMemPoolCreate(pool, &asked);
}
static cudaMemAccessFlags access(cudaMemPool_t pool, cudaMemLocationType who) {
  cudaMemLocation location{who, 0};
  cudaMemAccessFlags flags{};
  CALL(cudaMemPoolGetAccess(&flags, pool, &location));
  return flags;
}

/// The host writes and reads it where it lies.
static int* use(const char* what, cudaMemPool_t pool, cudaStream_t stream) {
  int* x;
  CALL(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&x), 16, pool, stream));
  CALL(cudaStreamSynchronize(stream));
  for (int i = 0; i < 4; ++i) x[i] = i + 1;
  twice<<<1, 4, 0, stream>>>(x);
  CALL(cudaStreamSynchronize(stream));
  cudaPointerAttributes all;
  CALL(cudaPointerGetAttributes(&all, x));
  std::printf("%s: %d %d %d %d, %s memory\n", what, x[0], x[1], x[2], x[3],
              all.type == cudaMemoryTypeHost ? "host" : all.type == cudaMemoryTypeManaged ? "managed" : "device");
  return x;
}

int main() {
  int supported = 0;
  cudaStream_t stream;
  cudaMemPool_t host, managed, none, own, first;
  CALL(cudaDeviceGetAttribute(&supported, cudaDevAttrHostMemoryPoolsSupported, 0));
  std::printf("pools of the host: %d\n", supported);
  CALL(cudaStreamCreate(&stream));
  CALL(make(&host, cudaMemAllocationTypePinned, cudaMemLocationTypeHost));
  const int before = access(host, cudaMemLocationTypeDevice);
  const cudaMemAccessDesc desc{{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
  CALL(cudaMemPoolSetAccess(host, &desc, 1));
  CALL(make(&managed, cudaMemAllocationTypeManaged, cudaMemLocationTypeDevice));
  int* const x = use("host", host, stream);
  int* const y = use("managed", managed, stream);
  std::printf("device reaches the host's: %d, when set: %d; the host: %d\n", before, access(host, cudaMemLocationTypeDevice),
              access(host, cudaMemLocationTypeHost));
  std::printf("no pool: %s\n", cudaGetErrorString(make(&none, cudaMemAllocationTypeInvalid, cudaMemLocationTypeDevice)));
  std::printf("no memory of cudaFreeHost's: %s\n", cudaGetErrorString(cudaFreeHost(x)));
  cudaMemLocation device{cudaMemLocationTypeDevice, 0};
  CALL(cudaMemGetMemPool(&own, &device, cudaMemAllocationTypePinned));
  CALL(cudaDeviceGetDefaultMemPool(&first, 0));
  std::printf("of the device: the same %d", own == first);
  CALL(cudaMemGetDefaultMemPool(&own, &device, cudaMemAllocationTypeManaged));
  std::printf(", of managed memory: the same %d", own == first || own == managed);
  CALL(cudaMemSetMemPool(&device, cudaMemAllocationTypeManaged, managed));
  CALL(cudaMemGetMemPool(&own, &device, cudaMemAllocationTypeManaged));
  std::printf(", set: %d", own == managed);
  std::printf(", another kind: %s\n", cudaGetErrorString(cudaMemSetMemPool(&device, cudaMemAllocationTypePinned, managed)));
  cudaGetLastError();
  CUmemLocation there{CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemoryPool by_default = nullptr, current = nullptr;
  cuMemGetDefaultMemPool(&by_default, &there, CU_MEM_ALLOCATION_TYPE_PINNED);
  cuMemSetMemPool(&there, CU_MEM_ALLOCATION_TYPE_MANAGED, managed);
  cuMemGetMemPool(&current, &there, CU_MEM_ALLOCATION_TYPE_MANAGED);
  std::printf("by the driver: %d %d\n", by_default == first, current == managed);
  CALL(cudaFreeAsync(x, stream));
  CALL(cudaFreeAsync(y, stream));
  CALL(cudaStreamSynchronize(stream));
  CALL(cudaMemPoolDestroy(host));
  CALL(cudaMemPoolDestroy(managed));
}
