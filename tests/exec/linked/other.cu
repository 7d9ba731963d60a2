#include "other.h"

#include <cstdio>

static __device__ int own = 7;
__device__ int table[4] = {10, 20, 30, 40};

__device__ int twice(int x) { return 2 * one_more(x) - 2; }

__global__ void other(int* x) {
  x[7] += 1000 + own;
  counter += 100;
  x[0] = one_more(x[0]);
  if (x[0] == 0) printf("never\n");
}
