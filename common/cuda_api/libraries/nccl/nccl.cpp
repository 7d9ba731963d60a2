// NCCL's functions: arguments are checked, and go to the meeting, at once or at the end of the group.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>

#include "common/cuda_api/libraries/library.h"
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

ncclResult_t refused(ncclResult_t error) {
  if (group().depth > 0 && group().wrong == ncclSuccess) group().wrong = error;
  return error;
}

ncclResult_t end_group() {
  Group all = std::exchange(group(), {});
  if (all.wrong != ncclSuccess) return all.wrong;
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
  if (comm == nullptr || ranks < 1 || ranks > most || rank < 0 || rank >= ranks) return refused(ncclInvalidArgument);
  const Ranks all = clique_of(id, ranks);
  if (all == nullptr) return refused(ncclInvalidArgument);
  return come(comm, all, rank, runtime().current_gpu(), caller);
}

/// A call of a rank.
ncclResult_t submit(ncclComm_t comm, Posted call) {
  use_from_this_thread();
  if (!known().has(comm) || comm->ranks->aborted) return refused(ncclInvalidArgument);
  const int ranks = comm->ranks->ranks;
  const auto own = static_cast<std::size_t>(call.operation - operations);
  if (call.operation >= operations && own < comm->operations.size() && comm->operations[own]) {
    if (comm->operations[own]->type != call.type) return refused(ncclInvalidArgument);
    call.factor = comm->operations[own];
    call.operation = sum;
  }
  if (call.type < 0 || call.type >= types || call.operation < 0 || call.operation >= operations || call.peer < 0 ||
      call.peer >= ranks || call.count > kMostElements)
    return refused(ncclInvalidArgument);
  call.rank = comm->rank;
  call.gpu = comm->gpu;
  if (runtime().gpu_of(call.stream, comm->gpu) != comm->gpu) {
    runtime().find(
        fmt::format("{}: the stream is none of GPU {}, which its rank {} has", call.function, comm->gpu, comm->rank),
        call.caller);
    return refused(ncclUnhandledCudaError);
  }
  group().calls.emplace_back(comm->ranks, std::make_shared<Posted>(std::move(call)));
  return group().depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t destroy(ncclComm_t comm, bool aborts) {
  if (comm == nullptr) return ncclSuccess;
  if (!known().remove(comm)) return ncclInvalidArgument;
  if (aborts) abort(*comm->ranks);
  delete comm;
  return ncclSuccess;
}

ncclResult_t tell(ncclComm_t comm, int* to, int ncclComm::*what) {
  if (to == nullptr || !known().has(comm)) return ncclInvalidArgument;
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
  if (version == nullptr) return ncclInvalidArgument;
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
const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  (void)runtime();
  if (id == nullptr) return ncclInvalidArgument;
  *id = new_id();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank) {
  return init_rank(comm, nranks, id, rank, GPULAB_CALLER);
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank, void*) {
  return init_rank(comm, nranks, id, rank, GPULAB_CALLER);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int ndev, const int* devices) {
  use_from_this_thread();
  if (comms == nullptr || ndev < 1) return refused(ncclInvalidArgument);
  std::set<int> seen;
  for (int rank = 0; rank < ndev; ++rank) {
    const int gpu = devices == nullptr ? rank : devices[rank];
    if (gpu < 0 || gpu >= runtime().gpus()) {
      if (gpu > 0) runtime().asks_for_gpu(gpu);
      return refused(ncclUnhandledCudaError);
    }
    if (!seen.insert(gpu).second) return refused(ncclInvalidUsage);
  }
  const Ranks ranks = clique_of(new_id(), ndev);
  auto& mine = group();
  ++mine.depth;  // all of them, then they wait
  for (int rank = 0; rank < ndev; ++rank)
    (void)come(&comms[rank], ranks, rank, devices == nullptr ? rank : devices[rank], GPULAB_CALLER);
  return --mine.depth > 0 ? ncclSuccess : end_group();
}

ncclResult_t ncclCommFinalize(ncclComm_t comm) { return known().has(comm) ? ncclSuccess : ncclInvalidArgument; }
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return destroy(comm, false); }
ncclResult_t ncclCommAbort(ncclComm_t comm) { return destroy(comm, true); }
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  if (error == nullptr || !known().has(comm)) return ncclInvalidArgument;
  *error = ncclSuccess;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  if (count == nullptr || !known().has(comm)) return ncclInvalidArgument;
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
  if (handle == nullptr || !known().has(comm)) return ncclInvalidArgument;
  *handle = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommDeregister(ncclComm_t comm, void*) {
  return known().has(comm) ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclGroupStart() {
  ++group().depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (group().depth == 0) return ncclInvalidUsage;
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
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, void*) {
  if (made == nullptr) return refused(ncclInvalidArgument);
  *made = nullptr;
  if (color < -1 || !known().has(comm)) return refused(ncclInvalidArgument);
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
ncclResult_t ncclCommInitRankScalable(ncclComm_t* comm, int ranks, int rank, int ids, const ncclUniqueId* all, void*) {
  if (ids < 1 || all == nullptr) return refused(ncclInvalidArgument);
  return init_rank(comm, ranks, all[0], rank, GPULAB_CALLER);
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* operation, void* factor, ncclDataType_t type, int residence,
                                      ncclComm_t comm) {
  if (operation == nullptr || factor == nullptr || type < 0 || type >= types || !known().has(comm))
    return refused(ncclInvalidArgument);
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
    return ncclInvalidArgument;
  comm->operations[own].reset();
  comm->free.push_back(own);
  return ncclSuccess;
}

ncclResult_t ncclCommWindowRegister(ncclComm_t comm, void* buffer, std::size_t, void** window, int) {
  if (window == nullptr || !known().has(comm)) return ncclInvalidArgument;
  *window = buffer;
  return ncclSuccess;
}
ncclResult_t ncclCommWindowDeregister(ncclComm_t comm, void*) {
  return known().has(comm) ? ncclSuccess : ncclInvalidArgument;
}
void ncclResetDebugInit() {}

/// What is not here ends the program by its name.
#define GPULAB_ABSENT(name) \
  void name() { gpulab::libraries::refuse(#name, GPULAB_CALLER); }
GPULAB_ABSENT(ncclCommShrink)
GPULAB_ABSENT(ncclCommRevoke)
GPULAB_ABSENT(ncclGroupSimulateEnd)

}  // extern "C"
