// mistake: the consumer waits for an event that was recorded in its own stream, not in the producer's.
// happens: the event says nothing about the producer; the consumer may read before it has written.
// to say: nothing orders the kernel at BUG after produce; record the event in the producer's stream (BUG2).
#include <cstdio>

// how: sanitize
// says: cudaEventRecord|cudaStreamWaitEvent|record|\bevent
__global__ void produce(int* data) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < 500; ++k) v = v * 5 + 1;
  data[threadIdx.x] = v | 1;
}
__global__ void consume(const int* data, int* odd) { odd[threadIdx.x] = data[threadIdx.x] & 1; }

int main() {
  cudaStream_t producer, consumer;
  cudaEvent_t ready;
  int *data, *odd, host[64];
  cudaStreamCreate(&producer);
  cudaStreamCreate(&consumer);
  cudaEventCreate(&ready);
  cudaMalloc(&data, sizeof(host));
  cudaMalloc(&odd, sizeof(host));
  cudaMemset(data, 0, sizeof(host));
  produce<<<1, 64, 0, producer>>>(data);
  cudaEventRecord(ready, consumer);  // BUG2
  cudaStreamWaitEvent(consumer, ready, 0);
  consume<<<1, 64, 0, consumer>>>(data, odd);  // BUG
  cudaDeviceSynchronize();
  cudaMemcpy(host, odd, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%d (1 is right)\n", host[63]);
  cudaFree(data);
  cudaFree(odd);
  cudaEventDestroy(ready);
  cudaStreamDestroy(producer);
  cudaStreamDestroy(consumer);
}
