// right: calls that look idle and are idioms: cudaFree of null and before any work, an event recorded twice, peeked
// errors, memory registered, used and unregistered, a device asked whether it can do what it need not.
#include <cstdio>
#include <vector>

__global__ void increment(int* x) { x[threadIdx.x] += 1; }

int main() {
  cudaFree(0);
  int *x = nullptr, device = -1, canMap = 0;
  cudaFree(x);
  cudaGetDevice(&device);
  cudaSetDevice(device);
  cudaDeviceGetAttribute(&canMap, cudaDevAttrCanMapHostMemory, device);
  std::vector<int> host(1024, 1);
  cudaHostRegister(host.data(), host.size() * sizeof(int), cudaHostRegisterDefault);
  cudaMalloc(&x, host.size() * sizeof(int));
  cudaStream_t stream;
  cudaEvent_t event;
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaEventRecord(event, stream);
  cudaMemcpyAsync(x, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
  increment<<<1, 1024, 0, stream>>>(x);
  if (cudaPeekAtLastError() != cudaSuccess) return 1;
  cudaMemcpyAsync(host.data(), x, host.size() * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  printf("%d\n", host[1023]);
  cudaHostUnregister(host.data());
  cudaEventDestroy(event);
  cudaStreamDestroy(stream);
  cudaFree(x);
  return host[1023] != 2 || cudaGetLastError() != cudaSuccess;
}
