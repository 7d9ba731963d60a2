// Homework: C = A * B for square matrices, a thread for each element of C. It is right; is it fast? Usage: ./matmul [n]
//
// Neighbouring threads take neighbouring rows, and each round loads and stores the sum in memory. MENDED of the two are
// mended.
// long
// case: :: 0
// out: correct
// err: matmul +1 +8x8 +16x16 +41(\.\d)? µs +latency +447 k +100% +13\.3% +25%
// err: next: .* --explain names the lines that cost the time$
// case: --explain :: 0
// err: matmul: what to look at, worst first slow\.cu:@c[row * n + col] +=@ c\[row \* n \+ col\] \+= a\[row \* n \+ k\] \* b\[k \* n \+ col\]; uncoalesced load: [\d.]+ sectors per request on average where [\d.]+ would do; .*Try: neighbouring threads on neighbouring elements
// err: where its warps spend the modelled time, the most first: line @c[row * n + col] +=@ 9\d% [\d.]+ µs waits for global memory 9\d%
// err: modelled again with that cost gone: if line @c[row * n + col] +=@ were coalesced: [\d.]+ µs instead of 41(\.\d)? µs
// case: -D MENDED=1 --explain :: 0
// err: matmul: no line stands out: lanes agree, global memory is coalesced, no banks conflict
// err: line @c[row * n + col] +=@ 9\d% [\d.]+ µs waits for global memory 9\d%
// case: -D MENDED=2 --explain --sanitize all :: 0
// out: correct
// case: --explain --no-counters :: 2
// err: error: --explain is made of counters hint: leave --no-counters out
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BLOCK 16

__global__ void matmul(const float* a, const float* b, float* c, int n) {
#if MENDED >= 1
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int col = blockIdx.x * blockDim.x + threadIdx.x;
#else
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
#endif
  if (row < n && col < n) {
#if MENDED >= 2
    float sum = 0.0f;
    for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
#else
    for (int k = 0; k < n; k++) {
      c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
#endif
  }
}

void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) {
    printf("%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
  }
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 128;
  size_t bytes = n * n * sizeof(float);
  std::vector<float> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; i++) {
    a[i] = (i % 13) / 13.0f;
    b[i] = (i % 11) / 11.0f - 0.5f;
  }

  float *d_a, *d_b, *d_c;
  check(cudaMalloc(&d_a, bytes), "cudaMalloc");
  check(cudaMalloc(&d_b, bytes), "cudaMalloc");
  check(cudaMalloc(&d_c, bytes), "cudaMalloc");
  check(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaMemset(d_c, 0, bytes), "cudaMemset");

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  dim3 block(BLOCK, BLOCK);
  dim3 grid((n + BLOCK - 1) / BLOCK, (n + BLOCK - 1) / BLOCK);
  cudaEventRecord(start);
  matmul<<<grid, block>>>(d_a, d_b, d_c, n);
  cudaEventRecord(stop);
  check(cudaEventSynchronize(stop), "matmul");
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  check(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");

  double worst = 0;
  for (int row = 0; row < n; row++) {
    for (int col = 0; col < n; col++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += (double)a[row * n + k] * b[k * n + col];
      worst = fmax(worst, fabs(sum - c[row * n + col]));
    }
  }
  printf("%d x %d: %.3f ms, %.1f GFLOP/s, largest error %g: %s\n", n, n, ms, 2.0 * n * n * n / ms / 1e6, worst,
         worst < 1e-3 ? "correct" : "WRONG");

  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return worst < 1e-3 ? 0 : 1;
}
