// Launches and host functions (CUDA Driver API: Execution Control).

#include <cuda_runtime_api.h>

#include <cstring>
#include <vector>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/launch_arguments.h"
#include "common/cuda_api/runtime/clusters.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

struct Shape {
  Dim3 grid, block;
  unsigned shared_bytes = 0;
  Dim3 cluster{0, 0, 0};
};

[[gnu::always_inline]] inline CUresult launch(const char* name, CUfunction function, const Shape& shape,
                                              CUstream stream, void** parameters, void** extra, bool cooperative) {
  void* const caller = __builtin_return_address(0);
  return driver_call(name, Needs::context, [&](Session& s) {
    FunctionEntry* const entry = s.modules.function(function);
    if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    const LaunchArguments arguments(s.kernel_of(*entry).kernel, parameters, extra);
    if (!arguments.problem().empty()) return s.because(cudaErrorInvalidValue, {arguments.problem(), {}, true});
    LaunchRequest request;
    request.function = entry;
    request.grid = shape.grid;
    request.block = shape.block;
    request.shared_bytes = shape.shared_bytes;
    request.arguments = arguments.places();
    request.stream = stream;
    request.cooperative = cooperative;
    request.cluster = shape.cluster;
    request.caller = s.caller_of(caller);
    request.called = s.driver_function;
    return s.launch(request);
  });
}

/// What the functions of CUDA 3 set one by one before cuLaunchGrid.
struct OldLaunch {
  Shape shape;
  std::vector<std::byte> parameters;
};
OldLaunch& old_launch_of(CUfunction function) {
  static auto& all = *new std::map<CUfunction, OldLaunch>;
  return all[function];
}
constexpr std::size_t kMostParameters = 32764;  ///< bytes

cudaError_t set_parameter(Session& s, CUfunction function, int offset, const void* from, std::size_t bytes) {
  if (s.modules.function(function) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
  if (offset < 0 || from == nullptr || static_cast<std::size_t>(offset) + bytes > kMostParameters)
    return cudaErrorInvalidValue;
  auto& parameters = old_launch_of(function).parameters;
  const std::size_t end = static_cast<std::size_t>(offset) + bytes;
  if (parameters.size() < end) parameters.resize(end);
  std::memcpy(parameters.data() + offset, from, bytes);
  return cudaSuccess;
}

[[gnu::always_inline]] inline CUresult launch_old(const char* name, CUfunction function, int width, int height,
                                                  CUstream stream) {
  OldLaunch old;
  {
    const std::lock_guard lock(Session::instance().mutex);
    old = old_launch_of(function);
  }
  old.shape.grid = {static_cast<unsigned>(width), static_cast<unsigned>(height), 1};
  std::size_t bytes = old.parameters.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, old.parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  return launch(name, function, old.shape, stream, nullptr, extra, false);
}

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                        unsigned block_y, unsigned block_z, unsigned shared_bytes, CUstream stream, void** parameters,
                        void** extra) {
  return launch("cuLaunchKernel", function, {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes},
                stream, parameters, extra, false);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};
  for (unsigned i = 0; config->attrs != nullptr && i < config->numAttrs; ++i) {
    const auto& attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) cooperative = attribute.value.cooperative != 0;
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) cluster = asked_cluster(attribute.value);
  }
  return launch("cuLaunchKernelEx", function,
                {{config->gridDimX, config->gridDimY, config->gridDimZ},
                 {config->blockDimX, config->blockDimY, config->blockDimZ},
                 config->sharedMemBytes,
                 cluster},
                config->hStream, parameters, extra, cooperative);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                                   CUstream stream, void** parameters) {
  return launch("cuLaunchCooperativeKernel", function,
                {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes}, stream, parameters, nullptr,
                true);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return by_runtime("cuLaunchHostFunc", [&] { return cudaLaunchHostFunc(stream, function, data); });
}

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return driver_call("cuFuncSetBlockShape", Needs::context, [&](Session& s) {
    if (s.modules.function(function) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    if (x <= 0 || y <= 0 || z <= 0) return cudaErrorInvalidValue;
    old_launch_of(function).shape.block = {static_cast<unsigned>(x), static_cast<unsigned>(y),
                                           static_cast<unsigned>(z)};
    return cudaSuccess;
  });
}

CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  return driver_call("cuFuncSetSharedSize", Needs::context, [&](Session& s) {
    if (s.modules.function(function) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    old_launch_of(function).shape.shared_bytes = bytes;
    return cudaSuccess;
  });
}

CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  return driver_call("cuParamSetSize", Needs::context, [&](Session& s) {
    if (s.modules.function(function) == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    if (bytes > kMostParameters) return cudaErrorInvalidValue;
    old_launch_of(function).parameters.resize(bytes);
    return cudaSuccess;
  });
}

CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return driver_call("cuParamSeti", Needs::context,
                     [&](Session& s) { return set_parameter(s, function, offset, &value, sizeof value); });
}

CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return driver_call("cuParamSetf", Needs::context,
                     [&](Session& s) { return set_parameter(s, function, offset, &value, sizeof value); });
}

CUresult cuParamSetv(CUfunction function, int offset, void* from, unsigned bytes) {
  return driver_call("cuParamSetv", Needs::context,
                     [&](Session& s) { return set_parameter(s, function, offset, from, bytes); });
}

CUresult cuLaunch(CUfunction function) { return launch_old("cuLaunch", function, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launch_old("cuLaunchGrid", function, width, height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launch_old("cuLaunchGridAsync", function, width, height, stream);
}

}  // extern "C"
