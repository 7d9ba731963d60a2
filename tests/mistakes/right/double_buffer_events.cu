// right: two buffers between a copying and a computing stream; events order each refill after the last use of its
// buffer. The first wait for used[] comes before any record, and waits for nothing: nobody has used the buffer yet.
#include <cstdio>

__global__ void sum(const int* part, int* result) { atomicAdd(result, part[threadIdx.x]); }

int main() {
  const int parts = 8, n = 64;
  int *host, *buffer[2], *sums, results[parts];
  cudaStream_t copying, computing;
  cudaEvent_t filled[2], used[2];
  cudaStreamCreateWithFlags(&copying, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&computing, cudaStreamNonBlocking);
  cudaMallocHost(&host, parts * n * sizeof(int));
  for (int i = 0; i < parts * n; ++i) host[i] = i / n + 1;
  for (int b = 0; b < 2; ++b) {
    cudaMalloc(&buffer[b], n * sizeof(int));
    cudaEventCreateWithFlags(&filled[b], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&used[b], cudaEventDisableTiming);
  }
  cudaMalloc(&sums, sizeof(results));
  cudaMemsetAsync(sums, 0, sizeof(results), computing);
  for (int p = 0; p < parts; ++p) {
    int b = p % 2;
    cudaStreamWaitEvent(copying, used[b], 0);
    cudaMemcpyAsync(buffer[b], host + p * n, n * sizeof(int), cudaMemcpyHostToDevice, copying);
    cudaEventRecord(filled[b], copying);
    cudaStreamWaitEvent(computing, filled[b], 0);
    sum<<<1, n, 0, computing>>>(buffer[b], sums + p);
    cudaEventRecord(used[b], computing);
  }
  cudaStreamSynchronize(computing);
  cudaMemcpy(results, sums, sizeof(results), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int p = 0; p < parts; ++p) wrong += results[p] != (p + 1) * n;
  printf("wrong parts: %d\n", wrong);
  for (int b = 0; b < 2; ++b) {
    cudaFree(buffer[b]);
    cudaEventDestroy(filled[b]);
    cudaEventDestroy(used[b]);
  }
  cudaFree(sums);
  cudaFreeHost(host);
  cudaStreamDestroy(copying);
  cudaStreamDestroy(computing);
  return wrong;
}
