// A program with NVTX ranges, by the header's name of CUDA 12: the ranges cost nothing here, and nothing needs to be linked.
// long
// case:  :: 0
// out: (?m)^done 42
#include <nvToolsExt.h>

#include <cstdio>

__global__ void set(int* to) { *to = 42; }

int main() {
  nvtxRangePush("all");
  int* device;
  int host = 0;
  cudaMalloc(&device, sizeof(int));
  nvtxRangePushA("kernel");
  set<<<1, 1>>>(device);
  nvtxRangePop();
  cudaMemcpy(&host, device, sizeof(int), cudaMemcpyDeviceToHost);
  nvtxMark("copied");
  cudaFree(device);
  nvtxRangePop();
  std::printf("done %d\n", host);
}
