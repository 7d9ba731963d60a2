// mistake: a buffer is allocated and freed in every step of a loop.
// happens: cudaMalloc and cudaFree cost far more than the kernels, and cudaFree waits for the GPU.
// to say: cudaMalloc at BUG (cudaFree at BUG2) 60 times with one size; once before the loop, or cudaMallocAsync.
#include <cstdio>

// how: explain
// says: outside|before the loop|out of the loop|once|reuse|cudaMallocAsync|hoist
__global__ void twice(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] * 2; }
__global__ void back(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] * 0.5f + 1; }

int main() {
  float host[256], *x;
  for (float& v : host) v = 0;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int step = 0; step < 60; ++step) {
    float* scratch;
    cudaMalloc(&scratch, sizeof(host));  // BUG
    twice<<<1, 256>>>(x, scratch);
    back<<<1, 256>>>(scratch, x);
    cudaFree(scratch);  // BUG2
  }
  cudaMemcpy(host, x, sizeof(host), cudaMemcpyDeviceToHost);
  printf("%g (60 is right)\n", host[0]);
  cudaFree(x);
}
