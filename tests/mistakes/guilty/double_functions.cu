// mistake: in code for floats, pow(x, 1.5) and sqrt of a double expression.
// happens: they are computed in double, on most GPUs 32 to 64 times slower.
// to say: double arithmetic at BUG where inputs and output are floats; powf(x, 1.5f), sqrtf.
#include <cstdio>
#include <vector>

// how: explain
// says: powf|sqrtf|double|fp64|1\.5f
__global__ void brighten(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = pow((double)x[i], 1.5) + sqrt(x[i] * 0.25);  // BUG
  }
}

int main() {
  const int n = 8192;
  std::vector<float> host(n, 4.0f);
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  brighten<<<n / 256, 256>>>(x, n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (9 is right)\n", host[0]);
  cudaFree(x);
}
