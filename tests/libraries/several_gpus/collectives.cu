// NCCL in one process: what every function answers to right and wrong arguments, and the bits of what it computes.   collectives GPUS SECTION
#include <cuda_runtime.h>
#include <nccl.h>

#include <functional>

#include "../cases.h"

static int gpus = 2, status = 0;
static vector<ncclComm_t> comms;
static vector<cudaStream_t> streams;
static vector<char*> from, to;
constexpr size_t kBytes = 1 << 20;

#define IS(what, ...) line(std::string("refused ") + what, int(__VA_ARGS__), 0, 0)

static int size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8: case ncclUint8: case ncclFloat8e4m3: case ncclFloat8e5m2: return 1;
    case ncclHalf: case ncclBfloat16: return 2;
    case ncclInt64: case ncclUint64: case ncclDouble: return 8;
    default: return 4;
  }
}
static const char* kTypes[] = {"int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bf16", "e4m3", "e5m2"};
static const char* kOps[] = {"sum", "prod", "max", "min", "avg"};

static void open() {
  comms.resize(gpus), streams.resize(gpus), from.resize(gpus), to.resize(gpus);
  line("init all", ncclCommInitAll(comms.data(), gpus, nullptr), 0, 0);
  for (int i = 0; i < gpus; ++i) {
    cudaSetDevice(i);
    cudaStreamCreate(&streams[i]);
    cudaMalloc(&from[i], kBytes), cudaMalloc(&to[i], kBytes);
  }
}
static void wait() {
  for (int i = 0; i < gpus; ++i) cudaSetDevice(i), cudaStreamSynchronize(streams[i]);
}
/// A group of every rank's call: what the first rank's call, the last one's and the group's end say.
static std::string group(const std::function<ncclResult_t(int)>& each) {
  ncclGroupStart();
  int first = -1, last = -1;
  for (int i = 0; i < gpus; ++i) {
    last = each(i);
    if (i == 0) first = last;
  }
  const int end = ncclGroupEnd();
  if (end == 0) wait();
  return text("%d %d end %d", first, last, end);
}
static unsigned long long hash(const char* memory, size_t bytes) {
  vector<unsigned char> host(bytes);
  cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost);
  unsigned long long h = 1469598103934665603ull;
  for (const unsigned char one : host) h = (h ^ one) * 1099511628211ull;
  return h;
}
/// Bits of each rank, of random numbers: any bits for integers; for floats finite ones of few exponents (`how` 0), small whole ones (1), or with NaN, infinities and zeros (2).
static vector<char> bits(int rank, ncclDataType_t type, size_t count, int how) {
  seed_now = 1000 * rank + 7 * type + count;
  vector<char> all(count * size_of(type));
  for (size_t i = 0; i < count; ++i) {
    double x = how == 1 ? std::floor(number() * 4) : number() * 3;
    if (how == 2 && i % 5 == size_t(rank) % 5) {
      const double special[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0};
      x = special[(i / 5 + rank) % 5];
    }
    char* const at = all.data() + i * size_of(type);
    const long long any = how == 1 ? (long long)std::floor(number() * 4) : (long long)(number() * 9e18);
    switch (type) {
      case ncclHalf: { const __half h = __float2half(float(x)); std::memcpy(at, &h, 2); break; }
      case ncclBfloat16: { const __nv_bfloat16 h = __float2bfloat16(float(x)); std::memcpy(at, &h, 2); break; }
      case ncclFloat: { const float f = float(x); std::memcpy(at, &f, 4); break; }
      case ncclDouble: { x += number() * 0x1p-40; std::memcpy(at, &x, 8); break; }
      case ncclFloat8e4m3: case ncclFloat8e5m2: { const int low = type == ncclFloat8e4m3 ? 0x28 : 0x34; *at = char(((any >> 8) & 0x80) | (low + ((any >> 20) & 15))); break; }
      default: std::memcpy(at, &any, size_of(type));
    }
  }
  return all;
}
static void fill(ncclDataType_t type, size_t count, int how) {
  for (int i = 0; i < gpus; ++i) {
    const auto one = bits(i, type, count, how);
    cudaMemcpy(from[i], one.data(), one.size(), cudaMemcpyHostToDevice);
    cudaMemset(to[i], 0x5a, kBytes);
  }
  cudaDeviceSynchronize();
}
static std::string hashes(size_t bytes) {
  std::string all;
  for (int i = 0; i < gpus; ++i) all += text(" %016llx", hash(to[i], bytes));
  return all;
}
static std::string values(ncclDataType_t type, size_t count) {
  std::string all;
  vector<char> host(count * size_of(type));
  cudaMemcpy(host.data(), to[0], host.size(), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < count; ++i) {
    unsigned long long one = 0;
    std::memcpy(&one, host.data() + i * size_of(type), size_of(type));
    all += text(" %llx", one);
  }
  return all;
}

static void queries() {
  int value = -7, version = 0;
  status = ncclGetVersion(&version);
  line("version", status, 0, 0, text("2: %d", version / 10000 == 2));
  line("version to null", ncclGetVersion(nullptr), 0, 0);
  for (int i = -1; i < 10; ++i) line(text("text %d", i), 0, 0, 0, ncclGetErrorString(ncclResult_t(i)));
  status = ncclCommCount(comms[0], &value);
  line("count", status, 0, 0, text("%d", value));
  status = ncclCommUserRank(comms[1], &value);
  line("rank", status, 0, 0, text("%d", value));
  status = ncclCommCuDevice(comms[1], &value);
  line("device", status, 0, 0, text("%d", value));
  ncclResult_t async = ncclResult_t(5);
  status = ncclCommGetAsyncError(comms[0], &async);
  line("async", status, 0, 0, text("%d", int(async)));
  IS("count to null", ncclCommCount(comms[0], nullptr)), IS("rank to null", ncclCommUserRank(comms[0], nullptr)), IS("device to null", ncclCommCuDevice(comms[0], nullptr)), IS("async to null", ncclCommGetAsyncError(comms[0], nullptr));
  IS("count of null", ncclCommCount(nullptr, &value)), IS("rank of null", ncclCommUserRank(nullptr, &value)), IS("device of null", ncclCommCuDevice(nullptr, &value)), IS("async of null", ncclCommGetAsyncError(nullptr, &async));
  IS("id to null", ncclGetUniqueId(nullptr));
  line("last error", 0, 0, 0, text("empty %d", ncclGetLastError(comms[0])[0] == 0)), line("last error of null", 0, 0, 0, text("empty %d", ncclGetLastError(nullptr)[0] == 0));
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  ncclComm_t one = nullptr;
  IS("no ranks", ncclCommInitRank(&one, 0, id, 0)), IS("ranks -1", ncclCommInitRank(&one, -1, id, 0)), IS("rank -1", ncclCommInitRank(&one, 2, id, -1)), IS("rank beyond", ncclCommInitRank(&one, 2, id, 2)), IS("rank to null", ncclCommInitRank(nullptr, 1, id, 0));
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 7;
  IS("blocking 7", ncclCommInitRankConfig(&one, 1, id, 0, &config));
  config.blocking = 1, config.cgaClusterSize = 99;
  IS("cluster 99", ncclCommInitRankConfig(&one, 1, id, 0, &config));
  config.cgaClusterSize = 2, config.minCTAs = 0;
  IS("no CTAs", ncclCommInitRankConfig(&one, 1, id, 0, &config));
  cudaSetDevice(0);
  ncclUniqueId alone;
  ncclGetUniqueId(&alone);
  line("one rank", ncclCommInitRankConfig(&one, 1, alone, 0, nullptr), 0, 0);
  line("destroy it", ncclCommDestroy(one), 0, 0);
  vector<ncclComm_t> more(32);
  const int twice[] = {0, 0}, none[] = {0, 99}, minus[] = {-1, 0};
  IS("all: null", ncclCommInitAll(nullptr, gpus, nullptr)), IS("all: -1", ncclCommInitAll(more.data(), -1, nullptr)), IS("all: twice", ncclCommInitAll(more.data(), 2, twice)),
      IS("all: 99", ncclCommInitAll(more.data(), 2, none)), IS("all: -1 by number", ncclCommInitAll(more.data(), 2, minus)), IS("all: too many", ncclCommInitAll(more.data(), 17, nullptr));
  IS("group end alone", ncclGroupEnd());
  IS("destroy null", ncclCommDestroy(nullptr)), IS("abort null", ncclCommAbort(nullptr)), IS("finalize null", ncclCommFinalize(nullptr));
  IS("empty group", (ncclGroupStart(), ncclGroupEnd()));
  void* memory = nullptr;
  line("alloc", ncclMemAlloc(&memory, 1000), 0, 0), line("free", ncclMemFree(memory), 0, 0), IS("free null", ncclMemFree(nullptr)), IS("alloc nothing", ncclMemAlloc(&memory, 0));
  void* handle = nullptr;
  line("register", ncclCommRegister(comms[0], from[0], 4096, &handle), 0, 0), line("deregister", ncclCommDeregister(comms[0], handle), 0, 0), IS("deregister null", ncclCommDeregister(comms[0], nullptr)), IS("register null", ncclCommRegister(comms[0], nullptr, 10, &handle));
}

static void arguments() {
  const auto good = [] { return group([](int i) { return ncclAllReduce(from[i], to[i], 100, ncclFloat, ncclSum, comms[i], streams[i]); }); };
  const auto one = [&](const char* what, const std::function<ncclResult_t(int)>& each) {
    const auto said = group(each);
    ncclResult_t async = ncclSuccess;
    ncclCommGetAsyncError(comms[0], &async);
    line(std::string("refused ") + what, 0, 0, 0, said + text(" async %d then ", int(async)) + good());
  };
  line("good", 0, 0, 0, good());
  for (const int type : {-1, 12, 99}) one(text("type %d", type).c_str(), [&](int i) { return ncclAllReduce(from[i], to[i], 4, ncclDataType_t(type), ncclSum, comms[i], streams[i]); });
  for (const int op : {-1, 5, 99, 0x7fffffff}) one(text("operation %d", op).c_str(), [&](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ncclRedOp_t(op), comms[i], streams[i]); });
  for (const int root : {-1, gpus, 99}) {
    one(text("root %d of reduce", root).c_str(), [&](int i) { return ncclReduce(from[i], to[i], 4, ncclFloat, ncclSum, root, comms[i], streams[i]); });
    one(text("root %d of broadcast", root).c_str(), [&](int i) { return ncclBroadcast(from[i], to[i], 4, ncclFloat, root, comms[i], streams[i]); });
    one(text("peer %d of send", root).c_str(), [&](int i) { return ncclSend(from[i], 4, ncclFloat, root, comms[i], streams[i]); });
    one(text("peer %d of recv", root).c_str(), [&](int i) { return ncclRecv(from[i], 4, ncclFloat, root, comms[i], streams[i]); });
    one(text("root %d of gather", root).c_str(), [&](int i) { return ncclGather(from[i], to[i], 4, ncclFloat, root, comms[i], streams[i]); });
  }
  one("no communicator", [](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ncclSum, nullptr, streams[i]); });
  one("no elements", [](int i) { return ncclAllReduce(from[i], to[i], 0, ncclFloat, ncclSum, comms[i], streams[i]); });
  one("no elements of null", [](int i) { return ncclAllReduce(nullptr, nullptr, 0, ncclFloat, ncclSum, comms[i], streams[i]); });
  one("no elements of a broadcast", [](int i) { return ncclBroadcast(from[i], to[i], 0, ncclFloat, 0, comms[i], streams[i]); });
  one("no elements to scatter", [](int i) { return ncclReduceScatter(from[i], to[i], 0, ncclFloat, ncclSum, comms[i], streams[i]); });
  one("avg of int8 ", [](int i) { return ncclAllReduce(from[i], to[i], 4, ncclInt8, ncclAvg, comms[i], streams[i]); });
  one("the default stream", [](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ncclSum, comms[i], nullptr); });
  ncclRedOp_t op = ncclRedOp_t(77);
  float factor = 0.5f;
  status = ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, comms[0]);
  line("premul", status, 0, 0, text("of one's own %d", int(op) > 4));
  line("destroy an operation", ncclRedOpDestroy(op, comms[0]), 0, 0);
  IS("destroy it again", ncclRedOpDestroy(op, comms[0])), IS("destroy a sum", ncclRedOpDestroy(ncclSum, comms[0])), IS("destroy an operation of null", ncclRedOpDestroy(op, nullptr)), IS("destroy operation -1", ncclRedOpDestroy(ncclRedOp_t(-1), comms[0]));
  IS("premul of no type", ncclRedOpCreatePreMulSum(&op, &factor, ncclDataType_t(99), ncclScalarHostImmediate, comms[0])), IS("premul of null", ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, nullptr));
  for (int i = 0; i < 3; ++i) status = ncclRedOpCreatePreMulSum(&op, &factor, ncclFloat, ncclScalarHostImmediate, comms[0]), line(text("premul number %d", i), status, 0, 0, text("of one's own %d", int(op) > 4));
  vector<ncclRedOp_t> ops(gpus);
  for (int i = 0; i < gpus; ++i) ncclRedOpCreatePreMulSum(&ops[i], &factor, ncclFloat, ncclScalarHostImmediate, comms[i]);
  one("premul of float on double", [&](int i) { return ncclAllReduce(from[i], to[i], 4, ncclDouble, ops[i], comms[i], streams[i]); });
  one("premul of float", [&](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ops[i], comms[i], streams[i]); });
}

/// Each of these may fault or wait for ever, and is a process of its own.
static void alone(int section) {
  const auto say = [](const char* what, const std::function<ncclResult_t(int)>& each) {
    const auto said = group(each);
    std::string errors;
    for (int i = 0; i < gpus; ++i) cudaSetDevice(i), errors += text(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    line(std::string("refused ") + what, 0, 0, 0, said + errors);
  };
  static float host[1000];
  if (section == 20) say("null to read", [](int i) { return ncclAllReduce(nullptr, to[i], 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 21) say("null to write", [](int i) { return ncclAllReduce(from[i], nullptr, 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 22) say("a host's memory", [](int i) { return ncclAllReduce(host, to[i], 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 23) say("another rank's memory", [](int i) { return ncclAllReduce(from[(i + 1) % gpus], to[i], 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 24) say("another rank's stream", [](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ncclSum, comms[i], streams[(i + 1) % gpus]); });
  if (section == 25) say("buffers that overlap", [](int i) { return ncclAllReduce(from[i], from[i] + 8, 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 26) say("a misaligned buffer", [](int i) { return ncclAllReduce(from[i] + 1, to[i], 4, ncclFloat, ncclSum, comms[i], streams[i]); });
  if (section == 27) {
    say("sent to itself", [](int i) { ncclSend(from[i], 4, ncclFloat, i, comms[i], streams[i]); return ncclRecv(to[i], 4, ncclFloat, i, comms[i], streams[i]); });
    say("two sends of a pair", [](int i) {
      ncclSend(from[i], 4, ncclFloat, (i + 1) % gpus, comms[i], streams[i]), ncclSend(from[i] + 64, 4, ncclFloat, (i + 1) % gpus, comms[i], streams[i]);
      ncclRecv(to[i], 4, ncclFloat, (i + gpus - 1) % gpus, comms[i], streams[i]);
      return ncclRecv(to[i] + 64, 4, ncclFloat, (i + gpus - 1) % gpus, comms[i], streams[i]);
    });
  }
  if (section == 28) {
    vector<ncclComm_t> made(gpus, nullptr);
    for (const int how : {0, 1, 2}) {
      const auto said = group([&](int i) { return ncclCommSplit(comms[i], how == 0 ? 0 : how == 1 ? i % 2 : NCCL_SPLIT_NOCOLOR, -i, &made[i], nullptr); });
      std::string ranks;
      for (int i = 0; i < gpus; ++i) {
        int rank = -1, count = -1;
        if (made[i] != nullptr) ncclCommUserRank(made[i], &rank), ncclCommCount(made[i], &count);
        ranks += text(" %d of %d", rank, count);
      }
      line(text("split %d", how), 0, 0, 0, said + ranks);
      for (auto& one : made) if (one != nullptr) ncclCommDestroy(one), one = nullptr;
    }
    IS("split color -2", ncclCommSplit(comms[0], -2, 0, &made[0], nullptr));
  }
  if (section == 29) {
    std::string said;
    for (int i = 0; i < gpus; ++i) said += text(" %d", int(ncclCommFinalize(comms[i])));
    line("finalize", 0, 0, 0, said), said.clear();
    for (int i = 0; i < gpus; ++i) said += text(" %d", int(ncclCommDestroy(comms[i])));
    line("destroy", 0, 0, 0, said);
  }
  if (section == 30) {
    std::string said;
    ncclGroupStart();
    for (int i = 0; i < gpus; ++i) said += text(" %d", int(ncclCommFinalize(comms[i])));
    line("finalize in a group", ncclGroupEnd(), 0, 0, said);
    IS("a call behind finalize", ncclAllReduce(from[0], to[0], 4, ncclFloat, ncclSum, comms[0], streams[0]));
    IS("finalize again", ncclCommFinalize(comms[0]));
  }
  if (section == 31) {
    line("abort", ncclCommAbort(comms[0]), 0, 0);
    line("abort the other", ncclCommAbort(comms[1]), 0, 0);
  }
  if (section == 34) say("nothing sent to itself", [](int i) { return ncclSend(from[i], 0, ncclFloat, i, comms[i], streams[i]); });
  if (section == 35) {
    vector<ncclComm_t> more(2);
    IS("all: none", ncclCommInitAll(more.data(), 0, nullptr));
  }
  if (section == 36) say("nothing received from itself", [](int i) { return ncclRecv(to[i], 4, ncclFloat, i, comms[i], streams[i]); });
  if (section == 37) {
    // Which GPUs reach which after an operation: to a neighbour in the ring, to one that is none, by a pair.
    const auto reach = [](const char* what) {
      std::string said;
      for (int a = 0; a < gpus; ++a) {
        cudaSetDevice(a);
        for (int b = 0; b < gpus; ++b)
          if (a != b) said += text(" %d>%d:%d", a, b, int(cudaMemset(to[b], 1, 16)));
      }
      line(what, 0, 0, 0, said);
    };
    reach("at first");
    group([](int i) { return ncclAllReduce(from[i], to[i], 4, ncclFloat, ncclSum, comms[i], streams[i]); });
    reach("after a reduction");
    group([](int i) { return i == 0 ? ncclSend(from[i], 4, ncclFloat, gpus - 2, comms[i], streams[i]) : i == gpus - 2 ? ncclRecv(to[i], 4, ncclFloat, 0, comms[i], streams[i]) : ncclSuccess; });
    reach("after a pair");
    group([](int i) { return ncclGather(from[i], to[i], 4, ncclFloat, 0, comms[i], streams[i]); });
    reach("after a gather");
    cudaSetDevice(0);
    line("enabled again", cudaDeviceEnablePeerAccess(1, 0), 0, 0);
  }
  if (section == 33) IS("alloc to null", ncclMemAlloc(nullptr, 10));
  if (section == 32) {
    line("destroy", ncclCommDestroy(comms[0]), 0, 0);
    int value;
    IS("count of one destroyed", ncclCommCount(comms[0], &value)), IS("destroy again", ncclCommDestroy(comms[0]));
  }
}

static void numbers(int how) {
  for (int type = 0; type < 12; ++type)
    for (int op = 0; op < 5; ++op)
      for (const size_t count : {size_t(1), size_t(7), size_t(1000)}) {
        const auto t = ncclDataType_t(type);
        const auto o = ncclRedOp_t(op);
        const std::string name = text("%s %s %zu of kind %d", kTypes[type], kOps[op], count, how);
        fill(t, count * gpus, how);
        auto said = group([&](int i) { return ncclAllReduce(from[i], to[i], count, t, o, comms[i], streams[i]); });
        line("all_reduce " + name, 0, 0, 0, said + hashes(count * size_of(t)) + (count == 7 ? values(t, 7) : ""));
        if (count == 7) continue;
        fill(t, count * gpus, how);
        said = group([&](int i) { return ncclReduce(from[i], to[i], count, t, o, gpus - 1, comms[i], streams[i]); });
        line("reduce " + name, 0, 0, 0, said + text(" %016llx", hash(to[gpus - 1], count * size_of(t))));
        fill(t, count * gpus, how);
        said = group([&](int i) { return ncclReduceScatter(from[i], to[i], count, t, o, comms[i], streams[i]); });
        line("reduce_scatter " + name, 0, 0, 0, said + hashes(count * size_of(t)));
      }
}
static void moves() {
  for (const int type : {0, 6, 8})
    for (const size_t count : {1, 7, 1000}) {
      const auto t = ncclDataType_t(type);
      const std::string name = text("%s %zu", kTypes[type], count);
      const size_t all = count * gpus * size_of(t);
      const auto one = [&](const char* what, const std::function<ncclResult_t(int)>& each) {
        fill(t, count * gpus, 0);
        const auto said = group(each);
        line(what + (" " + name), 0, 0, 0, said + hashes(all));
      };
      one("broadcast", [&](int i) { return ncclBroadcast(from[i], to[i], count, t, 1, comms[i], streams[i]); });
      one("bcast", [&](int i) { return ncclBcast(to[i], count, t, 1, comms[i], streams[i]); });
      one("all_gather", [&](int i) { return ncclAllGather(from[i], to[i], count, t, comms[i], streams[i]); });
      one("gather", [&](int i) { return ncclGather(from[i], to[i], count, t, 1, comms[i], streams[i]); });
      one("scatter", [&](int i) { return ncclScatter(from[i], to[i], count, t, 1, comms[i], streams[i]); });
      one("all_to_all", [&](int i) { return ncclAlltoAll(from[i], to[i], count, t, comms[i], streams[i]); });
    }
  for (const auto residence : {ncclScalarHostImmediate, ncclScalarDevice})
    for (const int type : {0, 2, 3, 6, 7, 8, 9}) {
      const auto t = ncclDataType_t(type);
      vector<ncclRedOp_t> ops(gpus);
      vector<void*> factors(gpus);
      int made = 0;
      for (int i = 0; i < gpus; ++i) {
        const auto factor = bits(i + 50, t, 1, 1);
        void* memory;
        cudaSetDevice(i), cudaMalloc(&memory, 16), cudaMemcpy(memory, factor.data(), factor.size(), cudaMemcpyHostToDevice);
        factors[i] = memory;
        made += ncclRedOpCreatePreMulSum(&ops[i], residence == ncclScalarDevice ? memory : const_cast<char*>(factor.data()), t, residence, comms[i]);
      }
      fill(t, 7, 1);
      const auto said = group([&](int i) { return ncclAllReduce(from[i], to[i], 7, t, ops[i], comms[i], streams[i]); });
      line(text("premul %d of %s", int(residence), kTypes[type]), made, 0, 0, said + hashes(7 * size_of(t)) + values(t, 7));
    }
}

int main(int count, char** words) {
  begin();
  if (count > 1) gpus = std::atoi(words[1]);
  const int section = count > 2 ? std::atoi(words[2]) : 0;
  open();
  if (section == 0) queries();
  if (section == 1) arguments();
  if (section >= 2 && section <= 4) numbers(section - 2);
  if (section == 5) moves();
  if (section >= 20) alone(section);
  return end();
}
