// NCCL in one process: all ranks of one thread, and a thread for each; numbers, rows of the report, what the tools see, and calls that
// nobody meets.
//
// build: -lnccl
//
// case: --gpus 4 --sanitize all -- numbers :: 0
// out: version 2
// out: ranks 4, rank 2 is on device 2
// out: all_reduce is right
// out: types are right
// out: broadcast is right, bcast is right
// out: reduce is right
// out: all_gather is right, reduce_scatter is right
// out: ring is right
// out: gather and scatter are right, all_to_all is right
// out: split: 2 ranks of each color, sums are right
// out: weighted sums are right: 0.5 of the host, 2 of the device
// err: ncclAllReduce
//
// case: --gpus 2 -- rows :: 0
// err: library call
// err: ncclAllReduce +1048576 float, sum, 2 ranks +2
//
// case: --gpus 3 --sanitize all -- threads :: 0
// out: threads are right
//
// case: --gpus 2 -- errors :: 0
// out: two on one device: invalid usage
// out: no such device: unhandled cuda error
// out: no such root: invalid argument, no such type: invalid argument, no communicator: invalid argument
// out: of another type: invalid argument, destroyed twice: invalid argument, the same number 1, memory to null: unhandled cuda error
//
// out: blocking 7: invalid argument: blocking is 7, not 0 or 1
// out: sent to itself alone: invalid usage: rank 0 sends to itself what it does not receive in this group
//
// case: --gpus 2 -- alone :: 4
// err: rank 0 waits in ncclAllReduce \(1024 float, sum\) for ever: rank 1 has not called it
// err: every rank has to call it: from a thread of its own, or all from one thread between ncclGroupStart\(\) and ncclGroupEnd\(\)
// case: --gpus 2 -- crossed :: 4
// err: rank 0 waits in ncclSend \(1024 float, to rank 1\) for ever: rank 1 calls no ncclRecv from rank 0
// case: --gpus 2 -- missing_rank :: 4
// err: rank 0 waits in ncclCommInitRank for ever: of 2 ranks 1 came
// case: --gpus 2 -- differ :: 4
// err: ranks of one communicator do not call the same: rank 0 calls ncclAllReduce \(1024 float, sum\), and rank 1 ncclAllReduce \(512 float, sum\)
// case: --gpus 2 -- sizes :: 4
// err: a send and its receive are of two sizes: rank 0 calls ncclSend \(1024 float, to rank 1\), and rank 1 ncclRecv \(512 float, from rank 0\)
// case: --gpus 2 -- others_stream :: 1
// out: unhandled cuda error
// err: ncclAllReduce: the stream is none of GPU 1, which its rank 1 has
//
// case: --gpus 2 --sanitize initcheck -- unwritten :: 1
// err: ncclAllReduce \(1024 float, sum, 2 ranks\) reads 4096 bytes of its 'sendbuff' that nothing has written
// case: --gpus 2 --sanitize memcheck -- beyond :: 4
// err: out-of-bounds read of 8192 bytes at 0x[0-9a-f]+ by ncclAllReduce \(2048 float, sum, 2 ranks\): its 'sendbuff' goes 4096 bytes beyond the end of 'cudaMalloc
// case: --gpus 2 --sanitize streamcheck -- forgets :: 1
// err: ncclAllReduce in stream
// err: nothing orders the two
// case: --gpus 2 -- captured :: 3
// err: ncclAllReduce in a stream that is captured
// case: --gpus 2 -- absent :: 3
// err: ncclCommShrink
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "nccl_ranks.h"

/// `value(r, i)` is right; -1: any.
template <typename Value>
const char* judged(const std::vector<Rank>& all, int elements, const Value& value) {
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto got = host(all[r], static_cast<int>(r), elements);
    for (int i = 0; i < elements; ++i)
      if (const float right = value(static_cast<int>(r), i); right >= 0 && got[i] != right) {
        printf("rank %d, element %d: %g, not %g\n", static_cast<int>(r), i, got[i], right);
        return "wrong";
      }
  }
  return "right";
}

/// One element of each type by each operation, of ranks that hold 1, 2, … .
template <typename T>
bool type_is_right(const std::vector<ncclComm_t>& comms, std::vector<Rank>& all, ncclDataType_t type,
                   T (*to_type)(float), float (*to_float)(T)) {
  const int ranks = static_cast<int>(all.size());
  float sum = 0, product = 1;
  for (int r = 0; r < ranks; ++r) sum += 2.0f * (r + 1), product *= 2.0f * (r + 1);
  const float right[] = {sum, product, 2.0f * ranks, 2, sum / ranks};
  bool ok = true;
  for (int op = ncclSum; op <= ncclAvg; ++op) {
    for (int r = 0; r < ranks; ++r) {
      const T mine = to_type(2.0f * (r + 1));
      CHECK(cudaSetDevice(r));
      CHECK(cudaMemcpy(all[r].to, &mine, sizeof mine, cudaMemcpyHostToDevice));
    }
    together(ranks, [&](int r) {
      return ncclAllReduce(all[r].to, all[r].to, 1, type, static_cast<ncclRedOp_t>(op), comms[r], all[r].stream);
    });
    for (int r = 0; r < ranks; ++r) {
      T got;
      CHECK(cudaSetDevice(r));
      CHECK(cudaStreamSynchronize(all[r].stream));
      CHECK(cudaMemcpy(&got, all[r].to, sizeof got, cudaMemcpyDeviceToHost));
      if (to_float(got) != right[op]) {
        printf("type %d, operation %d: %g, not %g\n", type, op, to_float(got), right[op]);
        ok = false;
      }
    }
  }
  return ok;
}
template <typename T>
T plain(float value) {
  return static_cast<T>(value);
}
template <typename T>
float back(T value) {
  return static_cast<float>(value);
}

/// Each rank's part comes to the root and goes back; each gives each other one a part.
void parts(const std::vector<ncclComm_t>& comms, const std::vector<Rank>& all, int ranks) {
  together(ranks, [&](int r) { return ncclGather(all[r].from, all[r].to, kCount, ncclFloat, 1, comms[r], all[r].stream); });
  const bool gathered = std::string(judged(all, ranks * kCount, [&](int r, int i) { return r == 1 ? i / kCount + 1.0f + i % kCount : -1.0f; })) == "right";
  together(ranks, [&](int r) { return ncclScatter(all[r].from, all[r].to, kCount, ncclFloat, 2, comms[r], all[r].stream); });
  const char* scattered = judged(all, kCount, [&](int r, int i) { return 3.0f + r * kCount + i; });
  together(ranks, [&](int r) { return ncclAlltoAll(all[r].from, all[r].to, kCount, ncclFloat, comms[r], all[r].stream); });
  printf("gather and scatter are %s, all_to_all is %s\n", gathered ? scattered : "wrong",
         judged(all, ranks * kCount, [&](int r, int i) { return i / kCount + 1.0f + r * kCount + i % kCount; }));
}
/// Even and odd ranks, each in falling order: rank 3 is the odd ones' first.
void split(const std::vector<ncclComm_t>& comms, const std::vector<Rank>& all, int ranks) {
  std::vector<ncclComm_t> part(ranks);
  together(ranks, [&](int r) { return ncclCommSplit(comms[r], r % 2, -r, &part[r], nullptr); });
  int count = 0, rank = -1;
  NCCL(ncclCommCount(part[3], &count));
  NCCL(ncclCommUserRank(part[3], &rank));
  together(ranks, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, kCount, ncclFloat, ncclSum, part[r], all[r].stream); });
  const char* sums = judged(all, kCount, [&](int r, int i) { return (r % 2 ? 6.0f : 4.0f) + 2.0f * i; });
  printf("split: %d ranks of each color, sums are %s\n", count, rank == 0 ? sums : "wrong");
  for (const auto comm : part) NCCL(ncclCommDestroy(comm));
}
/// Rank 0 by a half, the others as they are; then all by a number of the device's.
void weighted(const std::vector<ncclComm_t>& comms, const std::vector<Rank>& all, int ranks) {
  std::vector<ncclRedOp_t> operations(ranks);
  const char* said[2];
  float* two = nullptr;
  const float number = 2;
  CHECK(cudaSetDevice(0));
  CHECK(cudaMalloc(&two, sizeof(float)));
  CHECK(cudaMemcpy(two, &number, sizeof(float), cudaMemcpyHostToDevice));
  for (const bool on_device : {false, true}) {
    for (int r = 0; r < ranks; ++r) {
      float half = r == 0 ? 0.5f : 1;
      NCCL(ncclRedOpCreatePreMulSum(&operations[r], on_device ? two : &half, ncclFloat, on_device ? ncclScalarDevice : ncclScalarHostImmediate, comms[r]));
    }
    together(ranks, [&](int r) { return ncclAllReduce(all[r].from, all[r].to, kCount, ncclFloat, operations[r], comms[r], all[r].stream); });
    said[on_device] = judged(all, kCount, [&](int, int i) { return on_device ? 2 * (10.0f + 4 * i) : 9.5f + 3.5f * i; });
    for (int r = 0; r < ranks; ++r) NCCL(ncclRedOpDestroy(operations[r], comms[r]));
  }
  CHECK(cudaFree(two));
  printf("weighted sums are %s: 0.5 of the host, 2 of the device\n", std::string(said[0]) == said[1] ? said[0] : "wrong");
}

void numbers() {
  int version = 0, ranks = 0, device = -1, rank = -1;
  NCCL(ncclGetVersion(&version));
  printf("version %d\n", version / 10000);
  CHECK(cudaGetDeviceCount(&ranks));
  std::vector<ncclComm_t> comms(ranks);
  NCCL(ncclCommInitAll(comms.data(), ranks, nullptr));
  NCCL(ncclCommCount(comms[2], &ranks));
  NCCL(ncclCommCuDevice(comms[2], &device));
  NCCL(ncclCommUserRank(comms[2], &rank));
  printf("ranks %d, rank %d is on device %d\n", ranks, rank, device);
  auto all = made(ranks, ranks * kCount);
  const float sum_of_ranks = ranks * (ranks + 1) / 2.0f;
  const auto sum = [&](int i) { return sum_of_ranks + ranks * static_cast<float>(i); };
  together(ranks, [&](int r) {
    return ncclAllReduce(all[r].from, all[r].to, kCount, ncclFloat, ncclSum, comms[r], all[r].stream);
  });
  printf("all_reduce is %s\n", judged(all, kCount, [&](int, int i) { return sum(i); }));
  const bool types =
      type_is_right<double>(comms, all, ncclDouble, plain<double>, back<double>) &&
      type_is_right<int>(comms, all, ncclInt, plain<int>, back<int>) &&
      type_is_right<std::int8_t>(comms, all, ncclInt8, plain<std::int8_t>,
                                 [](std::int8_t v) { return v < 0 ? 384.0f + 0 * v : v; }) &&
      type_is_right<unsigned long long>(comms, all, ncclUint64, plain<unsigned long long>, back<unsigned long long>) &&
      type_is_right<__half>(comms, all, ncclHalf, __float2half, __half2float) &&
      type_is_right<__nv_bfloat16>(comms, all, ncclBfloat16, __float2bfloat16, __bfloat162float);
  printf("types are %s\n", types ? "right" : "wrong");
  together(ranks,
           [&](int r) { return ncclBroadcast(all[r].from, all[r].to, kCount, ncclFloat, 1, comms[r], all[r].stream); });
  const char* broadcast = judged(all, kCount, [&](int, int i) { return 2.0f + i; });
  for (int r = 0; r < ranks; ++r) {
    CHECK(cudaSetDevice(r));
    fill<<<kCount / 256, 256, 0, all[r].stream>>>(all[r].to, 10.0f * r, 0, kCount);
  }
  together(ranks, [&](int r) { return ncclBcast(all[r].to, kCount, ncclFloat, 3, comms[r], all[r].stream); });
  printf("broadcast is %s, bcast is %s\n", broadcast, judged(all, kCount, [&](int, int) { return 30.0f; }));
  together(ranks, [&](int r) {
    return ncclReduce(all[r].from, all[r].to, kCount, ncclFloat, ncclSum, 2, comms[r], all[r].stream);
  });
  printf("reduce is %s\n", judged(all, kCount, [&](int r, int i) { return r == 2 ? sum(i) : 30.0f; }));
  together(ranks,
           [&](int r) { return ncclAllGather(all[r].from, all[r].to, kCount, ncclFloat, comms[r], all[r].stream); });
  const char* gathered =
      judged(all, ranks * kCount, [&](int, int i) { return static_cast<float>(i / kCount + 1 + i % kCount); });
  together(ranks, [&](int r) {
    return ncclReduceScatter(all[r].from, all[r].to, kCount, ncclFloat, ncclSum, comms[r], all[r].stream);
  });
  printf("all_gather is %s, reduce_scatter is %s\n", gathered,
         judged(all, kCount, [&](int r, int i) { return sum(r * kCount + i); }));
  NCCL(ncclGroupStart());
  for (int r = 0; r < ranks; ++r) {
    NCCL(ncclSend(all[r].from, kCount, ncclFloat, (r + 1) % ranks, comms[r], all[r].stream));
    NCCL(ncclRecv(all[r].to, kCount, ncclFloat, (r + ranks - 1) % ranks, comms[r], all[r].stream));
  }
  NCCL(ncclGroupEnd());
  printf("ring is %s\n",
         judged(all, kCount, [&](int r, int i) { return static_cast<float>((r + ranks - 1) % ranks + 1 + i); }));
  parts(comms, all, ranks);
  split(comms, all, ranks);
  weighted(comms, all, ranks);
  for (const auto comm : comms) NCCL(ncclCommDestroy(comm));
  destroy(all);
}

void rows() {
  constexpr int large = 1 << 20;
  ncclComm_t comms[2];
  NCCL(ncclCommInitAll(comms, 2, nullptr));
  auto all = made(2, large);
  together(2, [&](int r) {
    return ncclAllReduce(all[r].from, all[r].to, large, ncclFloat, ncclSum, comms[r], all[r].stream);
  });
  destroy(all);
}

/// A thread for each rank, whose kernels come before and behind the calls.
void threads() {
  int ranks = 0;
  CHECK(cudaGetDeviceCount(&ranks));
  ncclUniqueId id;
  NCCL(ncclGetUniqueId(&id));
  std::vector<std::thread> all;
  std::vector<float> got(ranks);
  for (int r = 0; r < ranks; ++r)
    all.emplace_back([&, r] {
      CHECK(cudaSetDevice(r));
      ncclComm_t comm;
      NCCL(ncclCommInitRank(&comm, ranks, id, r));
      float* memory = nullptr;
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      CHECK(cudaMalloc(&memory, kCount * sizeof(float)));
      fill<<<kCount / 256, 256, 0, stream>>>(memory, 1.0f + r, 0, kCount);
      for (int round = 0; round < 3; ++round)
        NCCL(ncclAllReduce(memory, memory, kCount, ncclFloat, ncclMax, comm, stream));
      NCCL(ncclAllReduce(memory, memory, kCount, ncclFloat, ncclSum, comm, stream));
      CHECK(cudaMemcpyAsync(&got[r], memory + r, sizeof(float), cudaMemcpyDeviceToHost, stream));
      CHECK(cudaStreamSynchronize(stream));
      NCCL(ncclCommDestroy(comm));
      CHECK(cudaFree(memory));
      CHECK(cudaStreamDestroy(stream));
    });
  for (auto& one : all) one.join();
  for (const float value : got)
    if (value != static_cast<float>(ranks * ranks)) return (void)printf("got %g\n", value);
  printf("threads are right\n");
}

std::string first_words(ncclResult_t error) {
  const std::string text = ncclGetErrorString(error);
  return text.substr(0, text.find(" ("));
}

void errors() {
  ncclComm_t comms[9];
  const int twice[] = {1, 1};
  printf("two on one device: %s\n", first_words(ncclCommInitAll(comms, 2, twice)).c_str());
  printf("no such device: %s\n", first_words(ncclCommInitAll(comms, 3, nullptr)).c_str());
  NCCL(ncclCommInitAll(comms, 2, nullptr));
  auto all = made(2, kCount);
  const auto root = ncclBroadcast(all[0].from, all[0].to, kCount, ncclFloat, 2, comms[0], all[0].stream);
  const auto type = ncclAllReduce(all[0].from, all[0].to, kCount, ncclNumTypes, ncclSum, comms[0], all[0].stream);
  const auto none = ncclAllReduce(all[0].from, all[0].to, kCount, ncclFloat, ncclSum, nullptr, all[0].stream);
  printf("no such root: %s, no such type: %s, no communicator: %s\n", first_words(root).c_str(),
         first_words(type).c_str(), first_words(none).c_str());
  destroy(all);
  // Operations of one's own: of their type alone, gone when destroyed, the number taken again.
  float half = 0.5f;
  ncclRedOp_t operation = ncclSum, next = ncclSum;
  NCCL(ncclRedOpCreatePreMulSum(&operation, &half, ncclFloat, ncclScalarHostImmediate, comms[0]));
  const ncclResult_t other_type = ncclAllReduce(nullptr, nullptr, 4, ncclDouble, operation, comms[0], nullptr);
  NCCL(ncclRedOpDestroy(operation, comms[0]));
  const ncclResult_t again = ncclRedOpDestroy(operation, comms[0]);
  NCCL(ncclRedOpCreatePreMulSum(&next, &half, ncclFloat, ncclScalarHostImmediate, comms[0]));
  printf("of another type: %s, destroyed twice: %s, the same number %d, memory to null: %s\n", first_words(other_type).c_str(), first_words(again).c_str(), next == operation,
         first_words(ncclMemAlloc(nullptr, 10)).c_str());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 7;
  ncclUniqueId id;
  ncclComm_t comm;
  NCCL(ncclGetUniqueId(&id));
  const ncclResult_t blocking = ncclCommInitRankConfig(&comm, 1, id, 0, &config);
  printf("blocking 7: %s: %s\n", first_words(blocking).c_str(), ncclGetLastError(nullptr));
  const ncclResult_t to_itself = ncclSend(nullptr, 0, ncclFloat, 0, comms[0], nullptr);
  printf("sent to itself alone: %s: %s\n", first_words(to_itself).c_str(), ncclGetLastError(comms[0]));
}

void mistakes(const std::string& what) {
  ncclComm_t comms[2];
  NCCL(ncclCommInitAll(comms, 2, nullptr));
  auto all = made(2, kCount);
  const auto reduce = [&](int r, int count, cudaStream_t stream) {
    return ncclAllReduce(all[r].from, all[r].to, count, ncclFloat, ncclSum, comms[r], stream);
  };
  if (what == "alone") NCCL(reduce(0, kCount, all[0].stream));
  if (what == "crossed")
    for (int r = 0; r < 2; ++r) {
      NCCL(ncclSend(all[r].from, kCount, ncclFloat, 1 - r, comms[r], all[r].stream));
      NCCL(ncclRecv(all[r].to, kCount, ncclFloat, 1 - r, comms[r], all[r].stream));
    }
  if (what == "differ") together(2, [&](int r) { return reduce(r, kCount / (r + 1), all[r].stream); });
  if (what == "unwritten") {
    CHECK(cudaFree(all[1].from));
    CHECK(cudaMalloc(&all[1].from, kCount * sizeof(float)));
    together(2, [&](int r) { return reduce(r, kCount, all[r].stream); });
  }
  if (what == "beyond") together(2, [&](int r) { return reduce(r, 2 * kCount, all[r].stream); });
  if (what == "forgets") {
    // Rank 1 waits for what fills its vector, rank 0 does not: its call has a stream of its own.
    cudaStream_t other;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreate(&other));
    fill<<<kCount / 256, 256, 0, all[0].stream>>>(all[0].from, 5, 0, kCount);
    together(2, [&](int r) { return reduce(r, kCount, r == 0 ? other : all[r].stream); });
    CHECK(cudaStreamSynchronize(other));
    CHECK(cudaStreamDestroy(other));
  }
  if (what == "sizes")
    together(2, [&](int r) {
      return r == 0 ? ncclSend(all[0].from, kCount, ncclFloat, 1, comms[0], all[0].stream)
                    : ncclRecv(all[1].to, kCount / 2, ncclFloat, 0, comms[1], all[1].stream);
    });
  if (what == "others_stream") printf("%s\n", first_words(reduce(1, kCount, all[0].stream)).c_str());
  if (what == "captured") {
    CHECK(cudaStreamBeginCapture(all[0].stream, cudaStreamCaptureModeGlobal));
    together(2, [&](int r) { return reduce(r, kCount, all[r].stream); });
  }
  if (what == "absent") NCCL(ncclCommShrink(comms[0], nullptr, 0, &comms[1], nullptr, 0));
  destroy(all);
}

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "numbers")
    numbers();
  else if (what == "rows")
    rows();
  else if (what == "threads")
    threads();
  else if (what == "errors")
    errors();
  else if (what == "missing_rank") {
    ncclUniqueId id;
    ncclComm_t comm;
    NCCL(ncclGetUniqueId(&id));
    NCCL(ncclCommInitRank(&comm, 2, id, 0));
  } else
    mistakes(what);
}
