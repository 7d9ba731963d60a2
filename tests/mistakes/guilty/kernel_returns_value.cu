// mistake: a kernel returns its result.
// happens: the compiler refuses it: a __global__ function returns nothing.
// to say: at BUG the return type must be void; the result goes through a pointer.
#include <cstdio>

// build: fails
// how: plain
// says: void|pointer
__global__ int largest(const int* x, int n) {  // BUG
  int best = x[0];
  for (int i = 1; i < n; ++i) best = x[i] > best ? x[i] : best;
  return best;
}

int main() {
  int host[4] = {3, 9, 2, 5}, *x;
  cudaMalloc(&x, sizeof(host));
  cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
  largest<<<1, 1>>>(x, 4);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(x);
}
