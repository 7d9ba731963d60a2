// right: three pinned slots go round; before the host fills one again it waits for the event behind that slot's copy.
#include <cstdio>

__global__ void add(const int* x, int* sum) { atomicAdd(sum, x[threadIdx.x]); }

int main() {
  const int slots = 3, rounds = 10, n = 32;
  int *ring, *x[slots], *sum, result = -1;
  cudaEvent_t copied[slots];
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMallocHost(&ring, slots * n * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  cudaMemsetAsync(sum, 0, sizeof(int), stream);
  for (int s = 0; s < slots; ++s) {
    cudaMalloc(&x[s], n * sizeof(int));
    cudaEventCreateWithFlags(&copied[s], cudaEventDisableTiming);
  }
  for (int round = 0; round < rounds; ++round) {
    int s = round % slots;
    cudaEventSynchronize(copied[s]);
    for (int i = 0; i < n; ++i) ring[s * n + i] = round;
    cudaMemcpyAsync(x[s], ring + s * n, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaEventRecord(copied[s], stream);
    add<<<1, n, 0, stream>>>(x[s], sum);
  }
  cudaMemcpyAsync(&result, sum, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  printf("%d\n", result);
  for (int s = 0; s < slots; ++s) {
    cudaFree(x[s]);
    cudaEventDestroy(copied[s]);
  }
  cudaFree(sum);
  cudaFreeHost(ring);
  cudaStreamDestroy(stream);
  return result != 45 * n;
}
