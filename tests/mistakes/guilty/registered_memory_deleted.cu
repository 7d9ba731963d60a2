// mistake: host memory that an asynchronous copy still reads is deleted at the end of a function.
// happens: it is registered, so the copy is truly asynchronous; the heap reuses the bytes before they are read.
// to say: the copy at BUG2 is pending when its source is deleted at BUG; cudaStreamSynchronize before delete.
#include <cstdio>

// how: sanitize
// says: cudaStreamSynchronize|synchroni[sz]e|cudaHostUnregister|wait|freed|deleted
__global__ void work(int* x) {
  unsigned v = threadIdx.x;
  for (int k = 0; k < 1000; ++k) v = v * 7 + 3;
  x[threadIdx.x] = v;
}

static void upload(int* x, int n, cudaStream_t stream) {
  int* staging = new int[n];
  cudaHostRegister(staging, n * sizeof(int), cudaHostRegisterDefault);
  for (int i = 0; i < n; ++i) staging[i] = i + 1;
  cudaMemcpyAsync(x, staging, n * sizeof(int), cudaMemcpyHostToDevice, stream);  // BUG2
  delete[] staging;                                                              // BUG
}

int main() {
  const int n = 2048;
  int *x, first = -1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&x, n * sizeof(int));
  work<<<1, 64, 0, stream>>>(x);
  upload(x, n, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(&first, x, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d (1 is right)\n", first);
  cudaFree(x);
  cudaStreamDestroy(stream);
}
