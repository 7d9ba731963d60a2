// NCCL as H100s have it, to the bit: the order in which a ring adds up, who reaches whose memory behind it, a buffer between two elements.
//
// build: -lnccl
//
// case: --gpus 3 -- ring_order :: 0
// out: sums 0 0 0 0 1 1 1 1, averages -0.664062, -0.666992
//
// case: --gpus 4 -- reach :: 0
// out: before: invalid argument, after: no error to the neighbour, invalid argument to the other, no error after a send; enabled again: peer access is already enabled
// case: --gpus 2 -- misaligned :: 4
// out: misaligned address
// err: misaligned read at 0x[0-9a-f]+1 by ncclAllReduce \(4 float, sum, 2 ranks\): its 'sendbuff' begins at no multiple of 4 bytes
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <string>
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

/// 10^8 + 1 - 10^8 in float: the ring begins the first half of eight elements at rank 1, the second one at rank 2. An average is a sum of thirds, which are rounded: -2 / 3
/// would be -0.667969 and -0.666504.
void ring_order() {
  ncclComm_t comms[3];
  NCCL(ncclCommInitAll(comms, 3, nullptr));
  auto all = made(3, kCount);
  const float mine[] = {1e8f, 1, -1e8f}, thirds[] = {1, -1, -2};
  for (int r = 0; r < 3; ++r) {
    CHECK(cudaSetDevice(r));
    std::vector<float> values(8, mine[r]);
    CHECK(cudaMemcpy(all[r].from, values.data(), 32, cudaMemcpyHostToDevice));
  }
  together(3, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, 8, ncclFloat, ncclSum, comms[r], all[r].stream); });
  const auto sums = host(all[0], 0, 8);
  printf("sums");
  for (const float sum : sums) printf(" %g", sum);
  for (int r = 0; r < 3; ++r) {
    CHECK(cudaSetDevice(r));
    const __nv_bfloat16 value = __float2bfloat16(thirds[r]);
    CHECK(cudaMemcpy(all[r].from, &value, 2, cudaMemcpyHostToDevice));
    const __half half = __float2half(thirds[r]);
    CHECK(cudaMemcpy(all[r].from + 4, &half, 2, cudaMemcpyHostToDevice));
  }
  together(3, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, 1, ncclBfloat16, ncclAvg, comms[r], all[r].stream); });
  together(3, [&](int r) { return ncclAllReduce(all[r].from + 4, all[r].to + 4, 1, ncclHalf, ncclAvg, comms[r], all[r].stream); });
  CHECK(cudaSetDevice(0));
  CHECK(cudaStreamSynchronize(all[0].stream));
  __nv_bfloat16 got;
  __half half;
  CHECK(cudaMemcpy(&got, all[0].to, 2, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(&half, all[0].to + 4, 2, cudaMemcpyDeviceToHost));
  printf(", averages %g, %g\n", __bfloat162float(got), __half2float(half));
  destroy(all);
}

/// NCCL enables access between neighbours of its ring, and between who sends and who receives, when it connects them.
void reach() {
  ncclComm_t comms[4];
  NCCL(ncclCommInitAll(comms, 4, nullptr));
  auto all = made(4, kCount);
  CHECK(cudaSetDevice(0));
  const auto to = [&](int rank) { return std::string(cudaGetErrorString(cudaMemset(all[rank].to, 0, 4))); };
  printf("before: %s, ", to(1).c_str());
  together(4, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, 8, ncclFloat, ncclSum, comms[r], all[r].stream); });
  CHECK(cudaSetDevice(0));
  const std::string neighbour = to(3), other = to(2);
  NCCL(ncclGroupStart());
  NCCL(ncclSend(all[0].from, 8, ncclFloat, 2, comms[0], all[0].stream));
  NCCL(ncclRecv(all[2].to, 8, ncclFloat, 0, comms[2], all[2].stream));
  NCCL(ncclGroupEnd());
  CHECK(cudaSetDevice(0));
  printf("after: %s to the neighbour, %s to the other, %s after a send; enabled again: %s\n", neighbour.c_str(), other.c_str(), to(2).c_str(), cudaGetErrorString(cudaDeviceEnablePeerAccess(1, 0)));
  (void)cudaGetLastError();
  destroy(all);
}

void misaligned() {
  ncclComm_t comms[2];
  NCCL(ncclCommInitAll(comms, 2, nullptr));
  auto all = made(2, kCount);
  together(2, [&](int r) { return ncclAllReduce(reinterpret_cast<char*>(all[r].from) + 1, all[r].to, 4, ncclFloat, ncclSum, comms[r], all[r].stream); });
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "ring_order") ring_order();
  if (what == "reach") reach();
  if (what == "misaligned") misaligned();
}
