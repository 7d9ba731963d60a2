// mistake: sizeof of a pointer (8) where the bytes of its array are meant.
// happens: two floats are copied; the kernel reads the others, which nobody wrote.
// to say: the kernel reads at BUG2 what was never written; the copy at BUG has 8 bytes, the size of a pointer.
#include <cstdio>
#include <cstdlib>

// how: sanitize
// says: sizeof|size of (a|the) pointer|(only|copies|copied|has) 8 bytes|8 of (the )?\d+ bytes
__global__ void scale(float* values, int n) {
  int i = threadIdx.x;
  if (i < n) {
    values[i] *= 3.0f;  // BUG2
  }
}

int main() {
  const int n = 96;
  float* host = (float*)malloc(n * sizeof(float));
  for (int i = 0; i < n; ++i) host[i] = i;
  float* values;
  cudaMalloc(&values, n * sizeof(float));
  cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);  // BUG
  scale<<<1, 128>>>(values, n);
  cudaMemcpy(host, values, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g (285 is right)\n", host[n - 1]);
  cudaFree(values);
  free(host);
}
