// mistake: the results are fetched one by one.
// happens: 400 copies of 4 bytes; each costs as much as one of a hundred kilobytes.
// to say: the copy at BUG 400 times with 4 bytes; one copy of the array.
#include <cstdio>

// how: explain
// says: one (copy|cudaMemcpy|call|transfer)|single (copy|cudaMemcpy|call|transfer)|at once|together|whole array|batch
__global__ void cubes(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i * i * i;
}

int main() {
  const int n = 400;
  int host[n], *x;
  cudaMalloc(&x, n * sizeof(int));
  cubes<<<2, 256>>>(x, n);
  for (int i = 0; i < n; ++i) {
    cudaMemcpy(&host[i], &x[i], sizeof(int), cudaMemcpyDeviceToHost);  // BUG
  }
  printf("%d (63521199 is right)\n", host[n - 1]);
  cudaFree(x);
}
