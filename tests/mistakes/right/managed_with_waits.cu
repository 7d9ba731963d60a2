// right: host and kernels take turns on managed memory, and the host waits each time before its turn.
#include <cstdio>

__global__ void step(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}

int main() {
  const int n = 200;
  float* x;
  cudaMallocManaged(&x, n * sizeof(float));
  for (int i = 0; i < n; ++i) x[i] = 0;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int turn = 0; turn < 4; ++turn) {
    step<<<2, 128, 0, stream>>>(x, n);
    step<<<2, 128, 0, stream>>>(x, n);
    cudaStreamSynchronize(stream);
    for (int i = 0; i < n; ++i) x[i] *= 2;
  }
  step<<<2, 128>>>(x, n);
  cudaDeviceSynchronize();
  float last = x[n - 1];
  printf("%g\n", last);
  cudaFree(x);
  cudaStreamDestroy(stream);
  return last != 61;
}
