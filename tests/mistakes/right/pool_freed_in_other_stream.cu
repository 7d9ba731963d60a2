// right: memory allocated in one stream is used and freed in another, which first waits for an event of the first.
#include <cstdio>

__global__ void fill(int* x) { x[threadIdx.x] = threadIdx.x + 7; }
__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }

int main() {
  int *x, *y, host[64];
  cudaStream_t a, b;
  cudaEvent_t filled;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&filled, cudaEventDisableTiming);
  cudaMallocAsync(&x, sizeof(host), a);
  fill<<<1, 64, 0, a>>>(x);
  cudaEventRecord(filled, a);
  cudaStreamWaitEvent(b, filled, 0);
  cudaMallocAsync(&y, sizeof(host), b);
  copy<<<1, 64, 0, b>>>(x, y);
  cudaFreeAsync(x, b);
  cudaMemcpyAsync(host, y, sizeof(host), cudaMemcpyDeviceToHost, b);
  cudaFreeAsync(y, b);
  cudaStreamSynchronize(b);
  printf("%d\n", host[63]);
  cudaEventDestroy(filled);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  return host[63] != 70;
}
