#include "common/cuda_api/driver/contexts.h"

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <vector>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/loaded_modules.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

constexpr unsigned kKnownFlags = CU_CTX_FLAGS_MASK;

struct Context {
  std::uint64_t number = 0;  ///< 0: the primary one
  unsigned flags = 0, version = 0;
  int gpu = 0;
  unsigned retained = 0;  ///< how often a primary one is, by the driver's API
};

struct Contexts {
  bool initialized = false;
  std::map<int, Context> primary;  ///< by GPU
  std::map<CUcontext, std::unique_ptr<Context>> made;
  std::uint64_t last = 0;
};
Contexts& contexts() {
  static auto& all = *new Contexts;
  return all;
}

/// Numbers of primary contexts of other GPUs than the first lie far behind those that are made.
constexpr std::uint64_t kPrimary = std::uint64_t{1} << 32;

Context& primary_of(int gpu) {
  const auto [known, fresh] = contexts().primary.try_emplace(gpu);
  if (fresh && gpu != 0) known->second.number = kPrimary + static_cast<std::uint64_t>(gpu);
  known->second.gpu = gpu;
  return known->second;
}

CUcontext primary(int gpu) { return reinterpret_cast<CUcontext>(&primary_of(gpu)); }

/// Null where there is none, or it has been destroyed.
Context* find(CUcontext handle) {
  for (auto& [gpu, one] : contexts().primary)
    if (handle == reinterpret_cast<CUcontext>(&one)) return &one;
  const auto found = contexts().made.find(handle);
  return found == contexts().made.end() ? nullptr : found->second.get();
}

/// The last is current. Never destroyed: what a program has in static storage may ask behind the thread's end.
std::vector<CUcontext>& stack() {
  thread_local auto* const mine = new std::vector<CUcontext>;
  return *mine;
}

Reason no_such_context() {
  return {"there is no such context, or it has been destroyed", "check what cuCtxCreate returned", false, true};
}

cudaError_t invalid_context(Session& s) { return s.because(cudaErrorDeviceUninitialized, no_such_context()); }

cudaError_t check_device(Session& s, CUdevice device) {
  if (s.has_gpu(device)) return cudaSuccess;
  if (device > 0) s.asks_for_gpu(device);
  return s.because(cudaErrorInvalidDevice, no_device(device));
}

cudaError_t create(Session& s, CUcontext* context, unsigned flags, CUdevice device) {
  if (context == nullptr || (flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
  if (const auto e = check_device(s, device); e != cudaSuccess) return e;
  auto made = std::make_unique<Context>(Context{++contexts().last, flags, 3020, device, 0});
  *context = reinterpret_cast<CUcontext>(made.get());
  contexts().made[*context] = std::move(made);
  stack().push_back(*context);
  return cudaSuccess;
}

/// What was allocated and loaded in it ends with it.
void release_all_of(Session& s, std::uint64_t number) {
  std::vector<MemoryEntry> mine;
  for (const auto& [address, entry] : s.memory.all())
    if (entry.context == number && !entry.variable) mine.push_back(entry);
  s.managed.forget();
  s.streams.synchronised();
  for (const auto& entry : mine) {
    s.device().release(entry.address);
    s.writing.forget(entry.address);
    s.partial_copies.forget(entry.address);
    s.memory.remove(entry.address, s.driver_function);
  }
  unload_modules_of(s, number);
}

cudaError_t destroy(Session& s, CUcontext context) {
  Context* const mine = find(context);
  if (mine == nullptr || mine->number == 0 || mine->number > kPrimary) return invalid_context(s);
  (void)s.under_way.wait_for_all();
  s.print();
  const auto number = mine->number;
  release_all_of(s, number);
  std::erase(stack(), context);
  contexts().made.erase(context);
  return s.surface();
}

cudaError_t reset_primary(Session& s, int gpu) {
  s.print();
  const auto error = s.surface();
  unload_modules_of(s, primary_of(gpu).number);
  const OnGpu on(gpu);
  s.reset_device();
  return error;
}

}  // namespace

bool gpulab::cuda_api::is_initialized() { return contexts().initialized || Session::instance().has_runtime_user; }

CUcontext gpulab::cuda_api::current_context() {
  if (!stack().empty()) return stack().back();
  return uses_runtime() ? primary(current_gpu()) : nullptr;
}

std::optional<int> gpulab::cuda_api::gpu_of_current_context() {
  if (stack().empty()) return std::nullopt;
  const Context* const current = find(stack().back());
  return current == nullptr ? std::nullopt : std::optional(current->gpu);
}

void gpulab::cuda_api::primary_is_current(int gpu) {
  if (!stack().empty()) stack().back() = primary(gpu);
}

bool gpulab::cuda_api::has_context() {
  const CUcontext current = current_context();
  return current != nullptr && find(current) != nullptr;
}

std::uint64_t gpulab::cuda_api::current_context_number() {
  const Context* current = find(current_context());
  return current == nullptr ? 0 : current->number;
}

extern "C" {

CUresult cuInit(unsigned flags) {
  return driver_call("cuInit", Needs::nothing, [&](Session&) {
    if (flags != 0) return cudaErrorInvalidValue;
    contexts().initialized = true;
    return cudaSuccess;
  });
}

#if CUDA_VERSION >= 12050
CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* asked, unsigned flags, CUdevice device) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuCtxCreate", Needs::driver, [&](Session& s) {
    if (asked != nullptr && asked->numExecAffinityParams > 0)
      s.refuse("cuCtxCreate with an execution affinity", caller);
    return create(s, context, flags, device);
  });
}
#endif

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int count, unsigned flags, CUdevice device) {
  void* const caller = __builtin_return_address(0);
  return driver_call("cuCtxCreate", Needs::driver, [&](Session& s) {
    if (count > 0) s.refuse("cuCtxCreate with an execution affinity", caller);
    return create(s, context, flags, device);
  });
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return driver_call("cuCtxCreate", Needs::driver, [&](Session& s) { return create(s, context, flags, device); });
}

CUresult cuCtxDestroy(CUcontext context) {
  return driver_call("cuCtxDestroy", Needs::driver, [&](Session& s) { return destroy(s, context); });
}

CUresult cuCtxAttach(CUcontext* context, unsigned) {
  return driver_call("cuCtxAttach", Needs::context, [&](Session&) {
    *context = current_context();
    return cudaSuccess;
  });
}

CUresult cuCtxDetach(CUcontext) {
  return driver_call("cuCtxDetach", Needs::context, [](Session&) { return cudaSuccess; });
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return driver_call("cuCtxPushCurrent", Needs::driver, [&](Session& s) {
    if (find(context) == nullptr) return invalid_context(s);
    stack().push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return driver_call("cuCtxPopCurrent", Needs::driver, [&](Session& s) {
    const CUcontext current = current_context();
    if (current == nullptr) return invalid_context(s);
    if (context != nullptr) *context = current;
    if (stack().empty())
      uses_runtime() = false;  // the primary one, which the runtime made current: until its next call
    else
      stack().pop_back();
    return cudaSuccess;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return driver_call("cuCtxSetCurrent", Needs::driver, [&](Session& s) {
    if (context != nullptr && find(context) == nullptr) return invalid_context(s);
    if (!stack().empty()) stack().pop_back();
    if (context != nullptr) stack().push_back(context);
    return cudaSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return driver_call("cuCtxGetCurrent", Needs::driver, [&](Session&) {
    if (context == nullptr) return cudaErrorInvalidValue;
    *context = current_context();
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return driver_call("cuCtxGetDevice", Needs::context, [&](Session&) {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = find(current_context())->gpu;
    return cudaSuccess;
  });
}

#if CUDA_VERSION >= 13000
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  return driver_call("cuCtxGetDevice", Needs::driver, [&](Session& s) {
    const Context* mine = find(context == nullptr ? current_context() : context);
    if (mine == nullptr) return invalid_context(s);
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = mine->gpu;
    return cudaSuccess;
  });
}

CUresult cuCtxSynchronize_v2(CUcontext) {
  return by_runtime("cuCtxSynchronize", [] { return cudaDeviceSynchronize(); });
}
#endif

CUresult cuCtxSynchronize() {
  return by_runtime("cuCtxSynchronize", [] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return driver_call("cuCtxGetFlags", Needs::context, [&](Session&) {
    *flags = find(current_context())->flags;
    return cudaSuccess;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return driver_call("cuCtxSetFlags", Needs::context, [&](Session&) {
    if ((flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
    find(current_context())->flags = flags;
    return cudaSuccess;
  });
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return driver_call("cuCtxGetId", Needs::driver, [&](Session& s) {
    const Context* mine = find(context == nullptr ? current_context() : context);
    if (mine == nullptr) return invalid_context(s);
    *id = mine->number + 1;
    return cudaSuccess;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return driver_call("cuCtxGetApiVersion", Needs::driver, [&](Session& s) {
    if (find(context == nullptr ? current_context() : context) == nullptr) return invalid_context(s);
    *version = 3020;
    return cudaSuccess;
  });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return by_runtime("cuCtxSetLimit", [&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return by_runtime("cuCtxGetLimit", [&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return driver_call("cuCtxGetCacheConfig", Needs::context, [&](Session&) {
    *config = CU_FUNC_CACHE_PREFER_NONE;
    return cudaSuccess;
  });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  return driver_call("cuCtxSetCacheConfig", Needs::context, [](Session&) { return cudaSuccess; });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return driver_call("cuCtxGetSharedMemConfig", Needs::context, [&](Session&) {
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return cudaSuccess;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return driver_call("cuCtxSetSharedMemConfig", Needs::context, [](Session&) { return cudaSuccess; });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return by_runtime("cuCtxGetStreamPriorityRange", [&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxResetPersistingL2Cache() {
  return driver_call("cuCtxResetPersistingL2Cache", Needs::context, [](Session&) { return cudaSuccess; });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return driver_call("cuCtxEnablePeerAccess", Needs::context, [&](Session& s) {
    const Context* const mine = find(peer);
    return mine == nullptr ? invalid_context(s) : cudaDeviceEnablePeerAccess(mine->gpu, flags);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return driver_call("cuCtxDisablePeerAccess", Needs::context, [&](Session& s) {
    const Context* const mine = find(peer);
    return mine == nullptr ? invalid_context(s) : cudaDeviceDisablePeerAccess(mine->gpu);
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return driver_call("cuDevicePrimaryCtxRetain", Needs::driver, [&](Session& s) {
    if (context == nullptr) return cudaErrorInvalidValue;
    if (const auto e = check_device(s, device); e != cudaSuccess) return e;
    ++primary_of(device).retained;
    *context = primary(device);
    return cudaSuccess;
  });
}

/// The last one who releases it ends what is in it, unless the runtime has it, too.
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return driver_call("cuDevicePrimaryCtxRelease", Needs::driver, [&](Session& s) {
    if (const auto e = check_device(s, device); e != cudaSuccess) return e;
    if (primary_of(device).retained == 0) return invalid_context(s);
    if (--primary_of(device).retained > 0 || s.has_runtime_user || !contexts().made.empty()) return cudaSuccess;
    return reset_primary(s, device);
  });
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  return driver_call("cuDevicePrimaryCtxReset", Needs::driver, [&](Session& s) {
    const auto e = check_device(s, device);
    return e != cudaSuccess ? e : reset_primary(s, device);
  });
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return driver_call("cuDevicePrimaryCtxSetFlags", Needs::driver, [&](Session& s) {
    if (const auto e = check_device(s, device); e != cudaSuccess) return e;
    if ((flags & ~kKnownFlags) != 0) return cudaErrorInvalidValue;
    primary_of(device).flags = flags;
    return cudaSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return driver_call("cuDevicePrimaryCtxGetState", Needs::driver, [&](Session& s) {
    if (const auto e = check_device(s, device); e != cudaSuccess) return e;
    *flags = primary_of(device).flags;
    *active = primary_of(device).retained > 0 || s.has_runtime_user ? 1 : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
