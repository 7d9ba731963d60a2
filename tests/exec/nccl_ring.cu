// NCCL as H100s have it, to the bit: the order in which a ring adds up, who reaches whose memory behind it, a buffer between two elements.
//
// long
// build: -lnccl
//
// case: --gpus 3 -- ring_order :: 0
// out: sums 0 0 0 0 1 1 1 1, averages -0.664062, -0.666992
//
// case: --gpus 2 -- weights :: 0
// out: 2\^53 \+ 1 and 2\^64 - 1 times: 9007199254740995 18446744073709551613, one rank without a factor: 7 2.5
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

#include "nccl_ranks.h"

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

/// Factors of 64 bits, and a sum in which one rank alone has one.
void weights() {
  ncclComm_t comms[2];
  NCCL(ncclCommInitAll(comms, 2, nullptr));
  auto all = made(2, kCount);
  const auto sum = [&](auto mine, auto first, auto second, ncclDataType_t type) {
    ncclRedOp_t operations[] = {ncclSum, ncclSum};
    decltype(mine) factors[] = {first, second}, got{};
    for (int r = 0; r < 2; ++r) {
      CHECK(cudaSetDevice(r));
      CHECK(cudaMemcpy(all[r].from, &mine, sizeof mine, cudaMemcpyHostToDevice));
      if (factors[r] != 0) NCCL(ncclRedOpCreatePreMulSum(&operations[r], &factors[r], type, ncclScalarHostImmediate, comms[r]));
    }
    together(2, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, 1, type, operations[r], comms[r], all[r].stream); });
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamSynchronize(all[0].stream));
    CHECK(cudaMemcpy(&got, all[0].to, sizeof got, cudaMemcpyDeviceToHost));
    return got;
  };
  const unsigned long long large = (1ull << 53) + 1, most = ~0ull, one = 1, two = 2, none = 0;
  printf("2^53 + 1 and 2^64 - 1 times: %llu %llu, ", sum(one, large, two, ncclUint64), sum(one, most, most - 1, ncclUint64));
  printf("one rank without a factor: %llu %g\n", sum(one, 6 * one, none, ncclUint64), sum(1.0f, 0.0f, 1.5f, ncclFloat));
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
  if (what == "weights") weights();
  if (what == "reach") reach();
  if (what == "misaligned") misaligned();
}
