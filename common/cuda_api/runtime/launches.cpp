// Launches of kernels. A cudaKernel_t is the address of a FunctionEntry.

#include <cuda_runtime_api.h>

#include <cstring>
#include <utility>
#include <vector>

#include "common/cuda_api/runtime/clusters.h"
#include "common/cuda_api/runtime/host/clock/host_clock.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

Dim3 shape(dim3 d) { return {d.x, d.y, d.z}; }

[[gnu::always_inline]] inline cudaError_t launch(const char* name, FunctionEntry* function, dim3 grid, dim3 block,
                                                 void** arguments, size_t shared_bytes, cudaStream_t stream,
                                                 bool cooperative, void* caller, const Dim3& cluster = {0, 0, 0}) {
  return call(name, Waits::no, [&](Session& session) {
    if (function == nullptr) return cudaErrorInvalidDeviceFunction;
    LaunchRequest request;
    request.function = function;
    request.grid = shape(grid);
    request.block = shape(block);
    request.shared_bytes = shared_bytes;
    request.arguments = arguments;
    request.stream = stream;
    request.cooperative = cooperative;
    request.cluster = cluster;
    void* const configured = std::exchange(configured_by(), nullptr);
    request.caller = configured != nullptr ? configured : caller;
    if (configured == nullptr) request.called = name;
    if (!session.captures(stream)) session.host_launches();
    return session.launch(request);
  });
}

enum class DefaultStream : std::uint8_t { legacy, own };
/// For streamcheck: names that end in _ptsz mean the thread's own stream by 0. Where a program has both kinds, 0 counts
/// as the legacy one, which orders more.
void note_default_stream(DefaultStream which) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  session.streams.default_is_own(which == DefaultStream::own);
}

/// By the address of the host's stub, or a kernel's own handle.
FunctionEntry* function_of(const void* function) {
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  return session.modules.function(function);
}

/// A function of the program's that a stream runs.
template <typename Function>
void run_host_function(Session& session, cudaStream_t stream, const Function& function) {
  session.print();
  session.streams.begin_callback(stream);
  session.in_host_function = true;
  const int depth = session.failures.suspend();
  {
    const host_clock::Going going;
    function();
  }
  session.failures.resume(depth);
  session.in_host_function = false;
  session.streams.end_callback();
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): NVIDIA's names
extern "C" {

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  FunctionEntry* entry = function_of(function);
  if (entry == nullptr) return cudaErrorInvalidDeviceFunction;
  *kernel = reinterpret_cast<cudaKernel_t>(entry);
  Session& session = Session::instance();
  const std::lock_guard lock(session.mutex);
  // A kernel may be launched by its handle, as by its stub.
  session.modules.alias(entry, *kernel);
  return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return call("cudaGetKernel", Waits::no, [&](Session&) { return __cudaGetKernel(kernel, function); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                               cudaStream_t stream) {
  note_default_stream(DefaultStream::legacy);
  return launch("cudaLaunchKernel", reinterpret_cast<FunctionEntry*>(kernel), grid, block, arguments, shared_bytes,
                stream, false, __builtin_return_address(0));
}

/// Of a program that was compiled so that each thread has a default stream of its own.
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                    cudaStream_t stream) {
  note_default_stream(DefaultStream::own);
  return launch("cudaLaunchKernel", reinterpret_cast<FunctionEntry*>(kernel), grid, block, arguments, shared_bytes,
                stream, false, __builtin_return_address(0));
}

cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                                  cudaStream_t stream) {
  note_default_stream(DefaultStream::own);
  return launch("cudaLaunchKernel", function_of(function), grid, block, arguments, shared_bytes, stream, false,
                __builtin_return_address(0));
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, size_t shared_bytes,
                             cudaStream_t stream) {
  note_default_stream(DefaultStream::legacy);
  return launch("cudaLaunchKernel", function_of(function), grid, block, arguments, shared_bytes, stream, false,
                __builtin_return_address(0));
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return launch("cudaLaunchCooperativeKernel", function_of(function), grid, block, arguments, shared_bytes, stream,
                true, __builtin_return_address(0));
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  void* const caller = __builtin_return_address(0);
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const auto& attribute = config->attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) cluster = asked_cluster(attribute.val);
  }
  return launch("cudaLaunchKernelExC", function_of(function), config->gridDim, config->blockDim, arguments,
                config->dynamicSmemBytes, config->stream, cooperative, caller, cluster);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  // All that was queued before has ended.
  return call("cudaLaunchHostFunc", Waits::no, [&](Session& session) {
    const auto work = [=](Session& now, cudaStream_t on) {
      run_host_function(now, on, [&] { function(data); });
      return cudaSuccess;
    };
    return session.capture(stream, work, cudaGraphNodeTypeHost) ? cudaSuccess : work(session, stream);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  return call("cudaStreamAddCallback", Waits::no, [&](Session& session) {
    const auto work = [=](Session& now, cudaStream_t on) {
      run_host_function(now, on, [&] { callback(on, cudaSuccess, data); });
      return cudaSuccess;
    };
    return session.under_way.later(stream, work) ? cudaSuccess : work(session, stream);
  });
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
