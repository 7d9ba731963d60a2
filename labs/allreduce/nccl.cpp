#include "labs/allreduce/nccl.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <type_traits>

#include "common/device/gpu/driver_api.h"
#include "common/error.h"
#include "common/launch_error.h"
#include "labs/allreduce/plans.h"

namespace gpulab::labs::allreduce {
namespace {

namespace fs = std::filesystem;

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
  Api api;
  std::string problem;
};

/// What the variable names, what the loader finds, a toolkit's, and the wheels of an active environment.
std::vector<std::string> candidates() {
  std::vector<std::string> names;
  if (const char* own = std::getenv("GPULAB_NCCL"); own != nullptr && *own != '\0') names.emplace_back(own);
  names.emplace_back("libnccl.so.2");
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
      names.push_back(std::string(root) + "/lib64/libnccl.so.2");
  names.emplace_back("/usr/local/cuda/lib64/libnccl.so.2");
  const char* environment = std::getenv("VIRTUAL_ENV");
  std::error_code none;
  if (environment != nullptr)
    for (const auto& python : fs::directory_iterator(fs::path(environment) / "lib", none))
      names.push_back((python.path() / "site-packages/nvidia/nccl/lib/libnccl.so.2").string());
  return names;
}

Loaded load() {
  Loaded loaded;
  void* library = nullptr;  // stays loaded: its communicators live as long as the process
  for (const auto& name : candidates()) {
    library = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) break;
    const char* why = dlerror();
    if (loaded.problem.empty() && why != nullptr) loaded.problem = why;
  }
  if (library == nullptr) return loaded;
  loaded.problem.clear();
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) loaded.problem = fmt::format("it has no {}", name);
  };
  take(loaded.api.ncclCommInitAll, "ncclCommInitAll");
  take(loaded.api.ncclAllReduce, "ncclAllReduce");
  take(loaded.api.ncclGroupStart, "ncclGroupStart");
  take(loaded.api.ncclGroupEnd, "ncclGroupEnd");
  take(loaded.api.ncclGetErrorString, "ncclGetErrorString");
  return loaded;
}

const Loaded& loaded() {
  static const Loaded once = load();
  return once;
}

std::string lack() {
  const auto& problem = loaded().problem;
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
