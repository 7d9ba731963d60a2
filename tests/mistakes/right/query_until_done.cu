// right: the host asks a stream and an event until they are done; cudaErrorNotReady is an answer, not a failure.
#include <cstdio>

__global__ void work(int* x) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < 2000; ++k) v = v * 3 + 1;
  x[threadIdx.x] = v;
}

int main() {
  int *x, *host;
  cudaStream_t stream;
  cudaEvent_t copied;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&copied, cudaEventDisableTiming);
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMallocHost(&host, 64 * sizeof(int));
  work<<<1, 64, 0, stream>>>(x);
  long asked = 0;
  cudaError_t state;
  while ((state = cudaStreamQuery(stream)) == cudaErrorNotReady) ++asked;
  if (state != cudaSuccess) return 1;
  cudaMemcpyAsync(host, x, 64 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaEventRecord(copied, stream);
  while ((state = cudaEventQuery(copied)) == cudaErrorNotReady) ++asked;
  unsigned expected = 5;
  for (int k = 0; k < 2000; ++k) expected = expected * 3 + 1;
  bool right = state == cudaSuccess && unsigned(host[5]) == expected;
  printf("%s\n", right ? "right" : "wrong");
  cudaFree(x);
  cudaFreeHost(host);
  cudaEventDestroy(copied);
  cudaStreamDestroy(stream);
  return !right;
}
