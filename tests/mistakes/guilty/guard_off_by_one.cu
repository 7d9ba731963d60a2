// mistake: the guard is i <= n.
// happens: one thread more than there are elements writes behind the array.
// to say: out of bounds at BUG, element 1000 of 1000; i < n (BUG2).
#include <cstdio>
#include <vector>

// how: plain
// says: i < n|<=|off by one|one (element )?(past|behind|too many)|guard|bounds? check|condition
__global__ void fade(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {    // BUG2
    x[i] *= 0.9f;  // BUG
  }
}

int main() {
  const int n = 1000;
  std::vector<float> host(n, 10.0f);
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  fade<<<(n + 255) / 256, 256>>>(x, n);
  cudaError_t error = cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%s: %g (9 is right)\n", cudaGetErrorName(error), host[n - 1]);
  cudaFree(x);
}
