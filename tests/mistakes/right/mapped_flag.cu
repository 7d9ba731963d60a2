// right: a kernel writes into mapped host memory: the result, a fence of the system, the flag; the host polls a
// volatile flag.
#include <cstdio>

__global__ void work(volatile int* result, volatile int* flag) {
  int v = 1;
  for (int k = 0; k < 10; ++k) v = v * 3;
  *result = v;
  __threadfence_system();
  *flag = 1;
}

int main() {
  volatile int* host;
  int* device;
  cudaHostAlloc((void**)&host, 2 * sizeof(int), cudaHostAllocMapped);
  host[0] = 0;
  host[1] = 0;
  cudaHostGetDevicePointer((void**)&device, (void*)host, 0);
  work<<<1, 1>>>(device, device + 1);
  if (cudaGetLastError() != cudaSuccess) return 1;
  while (host[1] == 0) {
  }
  int result = host[0];
  printf("%d\n", result);
  cudaFreeHost((void*)host);
  return result != 59049;
}
