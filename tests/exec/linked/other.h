#pragma once

__device__ int twice(int x);
extern __device__ int table[4];
extern __device__ int counter;
__global__ void other(int* x);

template <typename T>
__device__ __noinline__ T one_more(T x) {
  return x + 1;
}
