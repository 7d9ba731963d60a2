// mistake: cudaStreamWaitEvent comes before the event is recorded.
// happens: waiting for an event that was never recorded is no wait at all.
// to say: nothing orders the kernel at BUG after the first one; the wait (BUG2) has to come after cudaEventRecord.
#include <cstdio>

// how: sanitize
// says: record|cudaStreamWaitEvent|\bevent
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x + 1.0f; }
__global__ void halve(float* x) { x[threadIdx.x] *= 0.5f; }

int main() {
  cudaStream_t first, second;
  cudaEvent_t filled;
  float *x, host[32];
  cudaMalloc(&x, sizeof(host));
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  cudaStreamWaitEvent(second, filled, 0);  // BUG2
  fill<<<1, 32, 0, first>>>(x);
  cudaEventRecord(filled, first);
  halve<<<1, 32, 0, second>>>(x);  // BUG
  cudaDeviceSynchronize();
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g (16 is right)\n", host[31]);
  cudaFree(x);
  cudaEventDestroy(filled);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
