// What programs set and ask again: advice to managed memory, pools, batches of copies, parameters of kernels. An H100 prints the same
// (driver 580).
// long
// case: :: 0
// out: ^new: 0 -2 -2 \[-2 -2 -2\] 0 0\nset: 1 0 -2 \[-1 -2 -2\] 1 0\nprefetched: 1 0 0 \[-1 -2 -2\] 1 1\nback: 1 0 -1 \[-1 -2 -2\] 1 2\nunset: 0 -2 -1 \[-2 -2 -2\] 0 2\nrefused: 1 1 101\nforeign: 0 -2\npool: 65536 0 65536, null 1\nbatch: 4 8, default stream 1, empty 1\nparameter: 8 4, third 1\nbus: 0 0 101\nleft: 49152\n$
// err: exit code 0
#include <cstdio>

__global__ void inc(int* p, int n) {
  for (int i = 0; i < n; ++i) atomicAdd(p, 1);
}

static int* m;
static constexpr size_t bytes = 16384;

static void show(const char* what) {
  int mostly = 7, preferred = 7, prefetched = 7, by[3] = {7, 7, 7}, type = 7, type_of_last = 7;
  cudaMemRangeGetAttribute(&mostly, 4, cudaMemRangeAttributeReadMostly, m, bytes);
  cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, m, bytes);
  cudaMemRangeGetAttribute(&prefetched, 4, cudaMemRangeAttributeLastPrefetchLocation, m, bytes);
  cudaMemRangeGetAttribute(by, 12, cudaMemRangeAttributeAccessedBy, m, bytes);
  cudaMemRangeGetAttribute(&type, 4, cudaMemRangeAttributePreferredLocationType, m, bytes);
  cudaMemRangeGetAttribute(&type_of_last, 4, cudaMemRangeAttributeLastPrefetchLocationType, m, bytes);
  std::printf("%s: %d %d %d [%d %d %d] %d %d\n", what, mostly, preferred, prefetched, by[0], by[1], by[2], type, type_of_last);
}

static void advice() {
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0}, none = {cudaMemLocationTypeDevice, 9};
  cudaMallocManaged(&m, bytes);
  show("new");
  cudaMemAdvise(m, bytes, cudaMemAdviseSetReadMostly, gpu);
  cudaMemAdvise(m, bytes, cudaMemAdviseSetPreferredLocation, gpu);
  cudaMemAdvise(m, bytes, cudaMemAdviseSetAccessedBy, host);
  show("set");
  cudaMemPrefetchAsync(m, bytes, gpu, 0);
  show("prefetched");
  cudaMemPrefetchAsync(m, bytes, host, 0);
  show("back");
  cudaMemAdvise(m, bytes, cudaMemAdviseUnsetReadMostly, gpu);
  cudaMemAdvise(m, bytes, cudaMemAdviseUnsetPreferredLocation, gpu);
  cudaMemAdvise(m, bytes, cudaMemAdviseUnsetAccessedBy, host);
  show("unset");
  const int beyond = cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, gpu), nothing = cudaMemRangeGetAttribute(m, 4, cudaMemRangeAttributeReadMostly, m, 0);
  const int no_gpu = cudaMemPrefetchAsync(m, bytes, none, 0);
  std::printf("refused: %d %d %d\n", beyond, nothing, no_gpu);
  cudaPointerAttributes told;
  cudaPointerGetAttributes(&told, &told);
  std::printf("foreign: %d %d\n", told.type, told.device);
}

static void pools(cudaStream_t stream) {
  cudaMemPool_t pool, other;
  cudaMemPoolProps props = {};
  props.allocType = cudaMemAllocationTypePinned;
  props.location = {cudaMemLocationTypeDevice, 0};
  cudaMemPoolCreate(&pool, &props);
  void* p;
  cudaMallocFromPoolAsync(&p, 1 << 16, pool, stream);
  unsigned long long used, left, high;
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaFreeAsync(p, stream);
  cudaStreamSynchronize(stream);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &left);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high);
  const int null = cudaMemPoolCreate(&other, nullptr);
  std::printf("pool: %llu %llu %llu, null %d\n", used, left, high, null);
  cudaMemPoolDestroy(pool);
}

static void batches(cudaStream_t stream) {
  int from[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[16], *d;
  cudaMalloc(&d, 64);
  const void* sources[] = {from, from + 4};
  void* targets[] = {d, d + 8};
  size_t sizes[] = {16, 16}, first[] = {0};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, first, 1, stream);
  cudaMemcpyAsync(back, d, 64, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const int in_default = cudaMemcpyBatchAsync(targets, sources, sizes, 2, &attributes, first, 1, 0);
  const int empty = cudaMemcpyBatchAsync(targets, sources, sizes, 0, &attributes, first, 1, stream);
  std::printf("batch: %d %d, default stream %d, empty %d\n", back[3], back[11], in_default, empty);
  cudaFree(d);
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  advice(), pools(stream), batches(stream);
  size_t offset, size, left;
  cudaFuncGetParamInfo(reinterpret_cast<void*>(inc), 1, &offset, &size);
  const int third = cudaFuncGetParamInfo(reinterpret_cast<void*>(inc), 2, nullptr, nullptr);
  std::printf("parameter: %zu %zu, third %d\n", offset, size, third);
  char id[32];
  int device = 7;
  cudaDeviceGetPCIBusId(id, 32, 0);
  const int known = cudaDeviceGetByPCIBusId(&device, id), unknown = cudaDeviceGetByPCIBusId(&device, "0001:02:03.0");
  std::printf("bus: %d %d %d\n", device, known, unknown);
  cudaOccupancyAvailableDynamicSMemPerBlock(&left, inc, 2, 256);
  std::printf("left: %zu\n", left);
  cudaFree(m);
}
