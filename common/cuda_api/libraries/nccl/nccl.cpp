// NCCL's functions: arguments are checked, and go to the meeting, at once or at the end of the group.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "common/cuda_api/libraries/library.h"
#include "common/cuda_api/libraries/nccl/arguments.h"
#include "common/cuda_api/libraries/nccl/elements.h"
#include "common/cuda_api/libraries/nccl/interface.h"
#include "common/cuda_api/libraries/nccl/meetings.h"

/// A rank of a communicator.
struct ncclComm {
  gpulab::nccl::Ranks ranks;
  int rank = 0, gpu = 0;
  std::vector<std::optional<gpulab::nccl::Factor>> operations{};  ///< of ncclRedOpCreatePreMulSum
  std::vector<std::size_t> free{};                                ///< those destroyed, taken again from the last
};

namespace gpulab::nccl {
namespace {

using libraries::address_of;
using libraries::runtime;

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 40;

/// Communicators that are there: who gives another pointer is told, as far as that can be seen.
class Known {
 public:
  void add(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    all_.insert(comm);
  }
  bool remove(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    return all_.erase(comm) == 1;
  }
  bool has(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    return all_.contains(comm);
  }

 private:
  std::mutex mutex_;
  std::set<ncclComm_t> all_;
};
Known& known() {
  static auto* const all = new Known;
  return *all;
}

/// What a thread has called since ncclGroupStart.
struct Group {
  int depth = 0;
  ncclResult_t wrong = ncclSuccess;  ///< the first that was refused in it
  std::vector<Arrival> arrivals;
  std::vector<std::pair<Ranks, Call>> calls;
};
Group& group() {
  thread_local Group mine;
  return mine;
}

/// A call that has no part in the group's end.
ncclResult_t wrong(const std::string& why, ncclResult_t error = ncclInvalidArgument) {
  set_last_error(why);
  return error;
}
ncclResult_t no_place() { return wrong("there is no such communicator, or no place for the answer"); }
ncclResult_t refused(const std::string& why, ncclResult_t error = ncclInvalidArgument) {
  if (group().depth > 0 && group().wrong == ncclSuccess) group().wrong = error;
  return wrong(why, error);
}

/// What is found when the group ends: a stream of another GPU, a rank that sends to itself what it does not receive.
ncclResult_t check(const std::vector<std::pair<Ranks, Call>>& calls) {
  std::map<std::pair<Ranks, int>, int> to_itself;
  for (const auto& [ranks, call] : calls) {
    if (call->of_two() && call->peer == call->rank) to_itself[{ranks, call->rank}] += call->kind == Kind::send ? 1 : -1;
    if (runtime().gpu_of(call->stream, call->gpu) == call->gpu) continue;
    const auto text =
        fmt::format("{}: the stream is none of GPU {}, which its rank {} has", call->function, call->gpu, call->rank);
    runtime().find(text, call->caller);
    return wrong(text, ncclUnhandledCudaError);
  }
  for (const auto& [rank, open] : to_itself)
    if (open != 0)
      return wrong(fmt::format("rank {} {}", rank.second,
                               open > 0 ? "sends to itself what it does not receive in this group"
                                        : "receives from itself what it does not send in this group"),
                   ncclInvalidUsage);
  return ncclSuccess;
}

ncclResult_t end_group() {
  Group all = std::exchange(group(), {});
  if (all.wrong != ncclSuccess) return all.wrong;
  if (const auto error = check(all.calls); error != ncclSuccess) return error;
  if (!all.arrivals.empty())
    if (const auto error = arrive(all.arrivals); error != ncclSuccess) return error;
  return all.calls.empty() ? ncclSuccess : meet(all.calls);
}

ncclResult_t come(ncclComm_t* comm, const Ranks& ranks, int rank, int gpu, void* caller) {
  *comm = new ncclComm{ranks, rank, gpu};
  known().add(*comm);
  group().arrivals.push_back({ranks, rank, gpu, caller});
  return group().depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t init_rank(ncclComm_t* comm, int ranks, const ncclUniqueId& id, int rank, void* caller) {
  use_from_this_thread();
  constexpr int most = 1024;
  if (comm == nullptr || ranks < 1 || ranks > most || rank < 0 || rank >= ranks)
    return refused(fmt::format("rank {} of {} ranks, or no place for the communicator", rank, ranks));
  const Ranks all = clique_of(id, ranks);
  if (all == nullptr) return refused("the other ranks gave another number of ranks with this id");
  return come(comm, all, rank, runtime().current_gpu(), caller);
}

/// A call of a rank.
ncclResult_t submit(ncclComm_t comm, Posted call) {
  use_from_this_thread();
  if (!known().has(comm) || comm->ranks->aborted)
    return refused(fmt::format("{}: there is no such communicator", call.function));
  const int ranks = comm->ranks->ranks;
  const auto own = static_cast<std::size_t>(call.operation - operations);
  if (call.operation >= operations && own < comm->operations.size() && comm->operations[own]) {
    if (comm->operations[own]->type != call.type)
      return refused(fmt::format("{}: the operation is for another type", call.function));
    call.factor = comm->operations[own];
    call.operation = sum;
  }
  if (call.type < 0 || call.type >= types || call.operation < 0 || call.operation >= operations || call.peer < 0 ||
      call.peer >= ranks || call.count > kMostElements)
    return refused(fmt::format("{}: {} elements of type {}, operation {}, root or peer {} of {} ranks", call.function,
                               call.count, call.type, call.operation, call.peer, ranks));
  call.rank = comm->rank;
  call.gpu = comm->gpu;
  group().calls.emplace_back(comm->ranks, std::make_shared<Posted>(std::move(call)));
  return group().depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t destroy(ncclComm_t comm, bool aborts) {
  if (comm == nullptr) return ncclSuccess;
  if (!known().remove(comm)) return wrong("the communicator is destroyed already, or never was");
  if (aborts) abort(*comm->ranks);
  delete comm;
  return ncclSuccess;
}

ncclResult_t tell(ncclComm_t comm, int* to, int ncclComm::*what) {
  if (to == nullptr || !known().has(comm)) return no_place();
  *to = comm->*what;
  return ncclSuccess;
}

ncclUniqueId new_id() {
  static std::atomic<std::uint64_t> last = 0;
  ncclUniqueId id{};
  const auto text = fmt::format("gpulab {} {}", getpid(), ++last);
  text.copy(id.internal, sizeof id.internal - 1);
  return id;
}

}  // namespace
}  // namespace gpulab::nccl

using namespace gpulab::nccl;

#define GPULAB_CALLER __builtin_return_address(0)

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr) return no_place();
  *version = kVersion;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
  }
  return "unknown result code";
}
const char* ncclGetLastError(ncclComm_t) { return last_error(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  (void)runtime();
  if (id == nullptr) return no_place();
  *id = new_id();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank) {
  return init_rank(comm, nranks, id, rank, GPULAB_CALLER);
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t* config) {
  if (const auto why = refusal_of(config); !why.empty()) return refused(why);
  return init_rank(comm, nranks, id, rank, GPULAB_CALLER);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int ndev, const int* devices) {
  use_from_this_thread();
  if (comms == nullptr || ndev < 1) return refused("no place for communicators, or no GPUs");
  std::set<int> seen;
  for (int rank = 0; rank < ndev; ++rank) {
    const int gpu = devices == nullptr ? rank : devices[rank];
    if (gpu < 0 || gpu >= runtime().gpus()) {
      if (gpu > 0) runtime().asks_for_gpu(gpu);
      return refused(fmt::format("there is no GPU {}", gpu),
                     devices == nullptr ? ncclUnhandledCudaError : ncclInvalidArgument);
    }
    if (!seen.insert(gpu).second) return refused(fmt::format("two ranks on GPU {}", gpu), ncclInvalidUsage);
  }
  const Ranks ranks = clique_of(new_id(), ndev);
  auto& mine = group();
  ++mine.depth;  // all of them, then they wait
  for (int rank = 0; rank < ndev; ++rank)
    (void)come(&comms[rank], ranks, rank, devices == nullptr ? rank : devices[rank], GPULAB_CALLER);
  return --mine.depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) { return known().has(comm) ? ncclSuccess : no_place(); }
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return destroy(comm, false); }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return destroy(comm, true); }
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (error == nullptr || !known().has(comm)) return no_place();
  *error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  if (count == nullptr || !known().has(comm)) return no_place();
  *count = comm->ranks->ranks;
  return ncclSuccess;
}
ncclResult_t ncclCommCuDevice(ncclComm_t comm, int* device) { return tell(comm, device, &ncclComm::gpu); }
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) { return tell(comm, rank, &ncclComm::rank); }

ncclResult_t ncclMemAlloc(void** pointer, std::size_t bytes) {
  if (pointer == nullptr) return ncclUnhandledCudaError;
  return runtime().allocate(pointer, bytes, "ncclMemAlloc", GPULAB_CALLER) == cudaSuccess ? ncclSuccess
                                                                                          : ncclUnhandledCudaError;
}
ncclResult_t ncclMemFree(void* pointer) {
  return runtime().release(pointer, GPULAB_CALLER) == cudaSuccess ? ncclSuccess : ncclUnhandledCudaError;
}
ncclResult_t ncclCommRegister(ncclComm_t comm, void* buffer, std::size_t, void** handle) {
  if (handle == nullptr || !known().has(comm)) return no_place();
  *handle = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(ncclComm_t comm, void*) { return known().has(comm) ? ncclSuccess : no_place(); }

ncclResult_t ncclGroupStart() {
  ++group().depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (group().depth == 0) return wrong("ncclGroupEnd: no group is open", ncclInvalidUsage);
  return --group().depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t comm, cudaStream_t stream) {
  return submit(comm, {.kind = Kind::all_reduce,
                       .function = "ncclAllReduce",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .operation = operation,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t operation,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  return submit(comm, {.kind = Kind::reduce,
                       .function = "ncclReduce",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .operation = operation,
                       .peer = root,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return submit(comm, {.kind = Kind::broadcast,
                       .function = "ncclBroadcast",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .peer = root,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return submit(comm, {.kind = Kind::broadcast,
                       .function = "ncclBcast",
                       .from = address_of(buffer),
                       .to = address_of(buffer),
                       .count = count,
                       .type = type,
                       .peer = root,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return submit(comm, {.kind = Kind::all_gather,
                       .function = "ncclAllGather",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclReduceScatter(const void* from, void* to, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t comm, cudaStream_t stream) {
  return submit(comm, {.kind = Kind::reduce_scatter,
                       .function = "ncclReduceScatter",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .operation = operation,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return submit(comm, {.kind = Kind::send,
                       .function = "ncclSend",
                       .from = address_of(from),
                       .count = count,
                       .type = type,
                       .peer = peer,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return submit(comm, {.kind = Kind::receive,
                       .function = "ncclRecv",
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .peer = peer,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}

ncclResult_t ncclGather(const void* from, void* to, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return submit(comm, {.kind = Kind::gather,
                       .function = "ncclGather",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .peer = root,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclScatter(const void* from, void* to, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  return submit(comm, {.kind = Kind::scatter,
                       .function = "ncclScatter",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .peer = root,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclAlltoAll(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  return submit(comm, {.kind = Kind::all_to_all,
                       .function = "ncclAlltoAll",
                       .from = address_of(from),
                       .to = address_of(to),
                       .count = count,
                       .type = type,
                       .stream = stream,
                       .caller = GPULAB_CALLER});
}

/// Each rank of the communicator calls it, and has its part's communicator then; one without a color has none.
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, ncclConfig_t* config) {
  if (made == nullptr) return refused("ncclCommSplit: no place for the communicator");
  *made = nullptr;
  if (const auto why = refusal_of(config); !why.empty()) return refused(why);
  if (color < -1 || !known().has(comm))
    return refused(fmt::format("ncclCommSplit: color {}, or no such communicator", color));
  return submit(comm, {.kind = Kind::split,
                       .function = "ncclCommSplit",
                       .color = color,
                       .key = key,
                       .joins =
                           [made, gpu = comm->gpu](const Ranks& ranks, int rank) {
                             *made = new ncclComm{ranks, rank, gpu};
                             known().add(*made);
                           },
                       .caller = GPULAB_CALLER});
}
ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int ids, const ncclUniqueId* all,
                                      ncclConfig_t* config) {
  if (ids < 1 || all == nullptr) return refused("ncclCommInitRankScalable: no id");
  if (const auto why = refusal_of(config); !why.empty()) return refused(why);
  return init_rank(comm, ranks, all[0], rank, GPULAB_CALLER);
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* factor, ncclDataType_t type, int residence,
                                      ncclComm_t comm) {
  if (operation == nullptr || factor == nullptr || !known().has(comm))
    return refused("ncclRedOpCreatePreMulSum: no factor, no place for the operation, or no such communicator");
  if (type < 0 || type >= types)
    return refused(fmt::format("ncclRedOpCreatePreMulSum: type {}", type), ncclInternalError);
  constexpr int of_host = 1;
  if (comm->free.empty()) {
    comm->free.push_back(comm->operations.size());
    comm->operations.emplace_back();
  }
  const std::size_t own = comm->free.back();
  comm->free.pop_back();
  *operation = operations + static_cast<int>(own);
  comm->operations[own] =
      residence == of_host ? Factor{number_of(type, factor), 0, type} : Factor{1, address_of(factor), type};
  return ncclSuccess;
}
ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t comm) {
  const auto own = static_cast<std::size_t>(operation - operations);
  if (!known().has(comm) || operation < operations || own >= comm->operations.size() || !comm->operations[own])
    return wrong("ncclRedOpDestroy: there is no such operation of one's own, or no such communicator");
  comm->operations[own].reset();
  comm->free.push_back(own);
  return ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, std::size_t, void** window, int) {
  if (window == nullptr || !known().has(comm)) return no_place();
  *window = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, void*) { return known().has(comm) ? ncclSuccess : no_place(); }
void ncclResetDebugInit() {}

/// What is not here ends the program by its name.
#define GPULAB_ABSENT(name) \
  void name() { gpulab::libraries::refuse(#name, GPULAB_CALLER); }
GPULAB_ABSENT(ncclCommShrink)
GPULAB_ABSENT(ncclCommRevoke)
GPULAB_ABSENT(ncclGroupSimulateEnd)

}  // extern "C"
