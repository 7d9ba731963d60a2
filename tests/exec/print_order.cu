// long
// case: -- :: 0
// out: ^301223011230301223011230\n$
// case: --sanitize all -- :: 0
// out: ^301223011230301223011230\n$
// case: --threads 1 --every-launch -- :: 0
// out: ^301223011230301223011230\n$
// Warps that come to a barrier together go on in one order, whoever watches: what they print behind it, and what they
// add up, is the same with tools and without.
#include <cstdio>

__global__ void print() {
  for (int round = 0; round < 3; ++round) {
    __syncthreads();
    if (threadIdx.x % 32 == 0) printf("%d", threadIdx.x / 32);
  }
}

int main() {
  print<<<2, 128>>>();
  cudaDeviceSynchronize();
  printf("\n");
}
