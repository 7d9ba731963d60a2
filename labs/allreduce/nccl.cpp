#include "labs/allreduce/nccl.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "common/device/gpu/driver_api.h"
#include "common/error.h"
#include "common/launch_error.h"
#include "labs/allreduce/plans.h"
#include "labs/loaded_library.h"

namespace gpulab::labs::allreduce {
namespace {

/// nccl.h, as far as it is used: every function returns 0 or an error.
struct Api {
  using Communicator = void*;
  int (*ncclCommInitAll)(Communicator*, int gpus, const int* devices) = nullptr;
  int (*ncclAllReduce)(const void*, void*, std::size_t, int type, int operation, Communicator, CUstream) = nullptr;
  int (*ncclGroupStart)() = nullptr;
  int (*ncclGroupEnd)() = nullptr;
  const char* (*ncclGetErrorString)(int) = nullptr;
};
constexpr int kFloat = 7, kSum = 0;

struct Loaded {
  Loaded() {
    library.take(api.ncclCommInitAll, "ncclCommInitAll");
    library.take(api.ncclAllReduce, "ncclAllReduce");
    library.take(api.ncclGroupStart, "ncclGroupStart");
    library.take(api.ncclGroupEnd, "ncclGroupEnd");
    library.take(api.ncclGetErrorString, "ncclGetErrorString");
  }
  LoadedLibrary library{{.files = {"libnccl.so.2"}, .variable = "GPULAB_NCCL", .wheel = "nvidia/nccl/lib"}};
  Api api;
};

const Loaded& loaded() {
  static const Loaded once;
  return once;
}

std::string lack() {
  const auto& problem = loaded().library.problem();
  if (problem.empty()) return {};
  return fmt::format(
      "NCCL cannot be used: {}; 'pip install nvidia-nccl-cu13' has it, and GPULAB_NCCL=…/nvidia/nccl/lib/libnccl.so.2 "
      "names it",
      problem);
}

void check(int result, const char* where) {
  if (result != 0) throw LaunchError(LaunchFailure::fault, loaded().api.ncclGetErrorString(result), where);
}

/// NCCL changes which context is current.
class SameContext {
 public:
  SameContext() { driver()->cuCtxGetCurrent(&context_); }
  ~SameContext() { driver()->cuCtxSetCurrent(context_); }
  SameContext(const SameContext&) = delete;
  SameContext& operator=(const SameContext&) = delete;

 private:
  CUcontext context_ = nullptr;
};

/// One for each GPU, made once for those that a case has: making them takes seconds.
const std::vector<Api::Communicator>& communicators(const VendorCall& call) {
  static std::map<std::vector<int>, std::vector<Api::Communicator>> all;
  std::vector<int> devices;
  for (int gpu = 0; gpu < static_cast<int>(call.params->integer("gpus")); ++gpu) {
    int device = 0;
    const auto pointer = reinterpret_cast<CUdeviceptr>(call.buffers.at(numbered("out", gpu)));
    driver()->check(driver()->cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                    DriverUse::launch);
    devices.push_back(device);
  }
  auto& mine = all[devices];
  if (mine.empty()) {
    std::vector<Api::Communicator> fresh(devices.size());
    check(loaded().api.ncclCommInitAll(fresh.data(), static_cast<int>(devices.size()), devices.data()),
          "ncclCommInitAll");
    mine = std::move(fresh);
  }
  return mine;
}

std::size_t prepare(const VendorCall& call) {
  const SameContext kept;
  if (call.params->integer("n") > 0) (void)communicators(call);
  return 0;
}

/// On the default stream of each GPU.
void run(const VendorCall& call) {
  const auto n = static_cast<std::size_t>(call.params->integer("n"));
  if (n == 0) return;
  const SameContext kept;
  const auto& all = communicators(call);
  const Api& api = loaded().api;
  check(api.ncclGroupStart(), "ncclGroupStart");
  for (int gpu = 0; gpu < static_cast<int>(all.size()); ++gpu)
    check(api.ncclAllReduce(call.buffers.at(numbered("in", gpu)), call.buffers.at(numbered("out", gpu)), n, kFloat,
                            kSum, all[static_cast<std::size_t>(gpu)], nullptr),
          "ncclAllReduce");
  check(api.ncclGroupEnd(), "ncclGroupEnd");
}

}  // namespace

Vendor nccl() { return {prepare, run, lack}; }

}  // namespace gpulab::labs::allreduce
