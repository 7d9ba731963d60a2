// mistake: <<<n, 1>>>: one thread in each block.
// happens: 31 of 32 lanes of every warp idle; the kernel is right and many times slower than it could be.
// to say: the launch at BUG has blocks of one thread; blocks of 128 or 256, and fewer of them.
#include <cstdio>
#include <vector>

// how: explain
// says: (one|1|single) thread|blocks? of (one|1)\b|threads (per|a|in a) block|lanes|multiple of 32
__global__ void addVectors(const float* a, const float* b, float* c) { c[blockIdx.x] = a[blockIdx.x] + b[blockIdx.x]; }

int main() {
  const int n = 4096;
  std::vector<float> host(n, 1.5f);
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  addVectors<<<n, 1>>>(a, b, c);  // BUG
  cudaMemcpy(host.data(), c, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (3 is right)\n", host[n - 1]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
