// Homework: the dot product of two vectors, each block's part summed in shared memory. Usage: ./dot [elements]
//
// Rounds of the sum have no barrier between them, and blocks add to one result without an atomic. MENDED mistakes are
// mended. What the program prints is wrong, and why is for --sanitize to say; with one mended it is right by luck, in the
// order in which blocks happen to run here.
// case: :: 1
// out: Results differ
// err: next: --sanitize all looks for races
// case: --sanitize all :: 1
// err: error: racecheck: dot: race in shared memory: read and write by different threads, with nothing that orders them; read into a variable, __syncthreads\(\), then write, and __syncthreads\(\) again behind it, outside of the branch, where all threads of the block come by .* \S*racy\.cu:@cache[tid] +=@ read by
// err: error: racecheck: dot: race in global memory: read and write by different threads, with nothing that orders them; update it by an atomic operation \(of x\[i\] \+= y: atomicAdd\(&x\[i\], y\)\) .* \S*racy\.cu:@*result +=@ read by .* cudaMalloc #3\[0\] cudaMalloc #3 was allocated at racy\.cu:@&d_result, sizeof@
// case: -D MENDED=1 --sanitize all :: 1
// out: Results match
// err: exit code 0 error: racecheck: dot: race in global memory
// case: -D MENDED=2 --sanitize all :: 0
// out: Results match
#include <cmath>
#include <cstdio>
#include <cstdlib>

#define THREADS 256

__global__ void dot(const float* a, const float* b, float* result, int n) {
  __shared__ float cache[THREADS];
  int tid = threadIdx.x;
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) {
    sum += a[i] * b[i];
  }
  cache[tid] = sum;
  __syncthreads();

  for (int step = blockDim.x / 2; step > 0; step /= 2) {
    if (tid < step) {
      cache[tid] += cache[tid + step];
    }
#if MENDED >= 1
    __syncthreads();
#endif
  }

  if (tid == 0) {
#if MENDED >= 2
    atomicAdd(result, cache[0]);
#else
    *result += cache[0];
#endif
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  size_t bytes = n * sizeof(float);

  float* a = (float*)malloc(bytes);
  float* b = (float*)malloc(bytes);
  for (int i = 0; i < n; i++) {
    a[i] = (i % 7) * 0.5f;
    b[i] = (i % 5) - 1.0f;
  }

  float *d_a, *d_b, *d_result;
  cudaMalloc((void**)&d_a, bytes);
  cudaMalloc((void**)&d_b, bytes);
  cudaMalloc((void**)&d_result, sizeof(float));
  cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice);
  cudaMemset(d_result, 0, sizeof(float));

  dot<<<32, THREADS>>>(d_a, d_b, d_result, n);
  cudaDeviceSynchronize();

  float result;
  cudaMemcpy(&result, d_result, sizeof(float), cudaMemcpyDeviceToHost);

  double expected = 0.0;
  for (int i = 0; i < n; i++) expected += (double)a[i] * b[i];

  printf("GPU: %f\nCPU: %f\n", result, expected);
  bool same = fabs(result - expected) <= 1e-5 * fabs(expected);
  printf("%s\n", same ? "Results match" : "Results differ");

  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_result);
  free(a);
  free(b);
  return same ? 0 : 1;
}
