// right: saxpy saxpy saxpy_kernel
// A file as it is handed in: a program around the kernel, with its own checks, timers and output.
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(call)                                                               \
  do {                                                                            \
    cudaError_t e = (call);                                                       \
    if (e != cudaSuccess) {                                                       \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e)); \
      exit(1);                                                                    \
    }                                                                             \
  } while (0)

static const int THREADS = 256;

__global__ void saxpy_kernel(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = a * x[i] + y[i];
    if (i == 0) printf("first: %f\n", y[i]);
  }
}

void saxpy_cpu(float a, const float* x, float* y, int n) {
  for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20;
  std::vector<float> x(n, 1.0f), y(n, 2.0f), gold(y);
  float *dx, *dy;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMalloc(&dy, n * sizeof(float)));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  saxpy_kernel<<<(n + THREADS - 1) / THREADS, THREADS>>>(2.0f, dx, dy, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  saxpy_cpu(2.0f, x.data(), gold.data(), n);
  CHECK(cudaMemcpy(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += y[i] != gold[i];
  printf("%d wrong\n", wrong);
  CHECK(cudaFree(dx));
  CHECK(cudaFree(dy));
  return wrong != 0;
}
