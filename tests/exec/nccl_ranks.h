// Ranks of NCCL with a stream and two buffers each, for nccl.cu and nccl_ring.cu.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <vector>

constexpr int kCount = 1024;

#define CHECK(call)                                                                 \
  do {                                                                              \
    const cudaError_t error = (call);                                               \
    if (error != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorString(error)); \
  } while (false)
#define NCCL(call)                                                                  \
  do {                                                                              \
    const ncclResult_t error = (call);                                              \
    if (error != ncclSuccess) printf("%s: %s\n", #call, ncclGetErrorString(error)); \
  } while (false)

__global__ void fill(float* to, float first, float step, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = first + step * i;
}

struct Rank {
  float *from = nullptr, *to = nullptr;
  cudaStream_t stream = nullptr;
};

/// Rank r holds r + 1, r + 2, …
std::vector<Rank> made(int ranks, int elements) {
  std::vector<Rank> all(ranks);
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r));
    CHECK(cudaStreamCreate(&all[r].stream));
    CHECK(cudaMalloc(&all[r].from, elements * sizeof(float)));
    CHECK(cudaMalloc(&all[r].to, elements * sizeof(float)));
    fill<<<(elements + 255) / 256, 256, 0, all[r].stream>>>(all[r].from, r + 1.0f, 1.0f, elements);
  }
  return all;
}

void destroy(std::vector<Rank>& all) {
  for (std::size_t r = 0; r < all.size(); ++r) {
    CHECK(cudaSetDevice(static_cast<int>(r)));
    CHECK(cudaStreamSynchronize(all[r].stream));
    CHECK(cudaStreamDestroy(all[r].stream));
    CHECK(cudaFree(all[r].from));
    CHECK(cudaFree(all[r].to));
  }
}

std::vector<float> host(const Rank& rank, int r, int elements) {
  std::vector<float> values(elements);
  CHECK(cudaSetDevice(r));
  CHECK(cudaMemcpyAsync(values.data(), rank.to, elements * sizeof(float), cudaMemcpyDeviceToHost, rank.stream));
  CHECK(cudaStreamSynchronize(rank.stream));
  return values;
}

template <typename Each>
void together(int ranks, const Each& each) {
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) NCCL(each(r));
  NCCL(ncclGroupEnd());
}
