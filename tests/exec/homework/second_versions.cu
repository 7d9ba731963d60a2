// CUDA 12 had new forms of old calls by names with _v2, which CUDA 13 has without.
// case: --old-cuda :: 0
// out: taken 0 0
// err: --old-cuda: second_versions\.cu:@= cudaMemPrefetchAsync_v2@: cudaMemPrefetchAsync_v2, which lost its _v2 with CUDA 13
// case: :: 1
// err: hint: second_versions\.cu:@= cudaMemPrefetchAsync_v2@: cudaMemPrefetchAsync_v2 lost its _v2 with CUDA 13: cudaMemPrefetchAsync, with the same arguments
// err: hint: second_versions\.cu:@= cudaMemAdvise_v2@: cudaMemAdvise_v2 lost its _v2 with CUDA 13
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int* data = nullptr;
  cudaMallocManaged(&data, 1024);
  const cudaMemLocation place{cudaMemLocationTypeDevice, 0};
  const int fetched = cudaMemPrefetchAsync_v2(data, 1024, place, 0);
  const int advised = cudaMemAdvise_v2(data, 1024, cudaMemAdviseSetReadMostly, place);
  std::printf("taken %d %d\n", fetched, advised);
  return cudaFree(data);
}
