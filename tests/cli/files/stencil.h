// A kernel in a header, as libraries have them. `synced` decides whether it waits between writing and reading.
#pragma once

// Another thread has written it: what the barrier is for.
__device__ inline int neighbour(const int* tile, int at) { return tile[at + 1]; }

// Each block sums neighbours in its own part.
template <bool synced>
__global__ void stencil(const int* in, int* out, int n) {
  __shared__ int tile[65];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = in[i];
  if (threadIdx.x == 0) tile[64] = 0;
  if (synced) __syncthreads();
  out[i] = tile[threadIdx.x] + neighbour(tile, threadIdx.x);
}
