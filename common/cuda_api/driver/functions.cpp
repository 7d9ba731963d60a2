// What programs ask and set of their kernels: attributes, occupancy.

#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/modules/loaded_modules.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// The number that cudaFuncGetAttributes has in a struct; nothing for those that it has not.
std::optional<int> attribute_in(const cudaFuncAttributes& all, CUfunction_attribute attribute) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return all.maxThreadsPerBlock;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      return static_cast<int>(all.sharedSizeBytes);
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      return static_cast<int>(all.constSizeBytes);
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      return static_cast<int>(all.localSizeBytes);
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return all.numRegs;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      return all.ptxVersion;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return all.binaryVersion;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return all.maxDynamicSharedSizeBytes;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return all.preferredShmemCarveout;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      return all.clusterDimMustBeSet;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      return all.requiredClusterWidth;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      return all.requiredClusterHeight;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return all.requiredClusterDepth;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return all.nonPortableClusterSizeAllowed;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return all.clusterSchedulingPolicyPreference;
    default:
      return attribute > 0 && attribute < CU_FUNC_ATTRIBUTE_MAX ? std::optional(0) : std::nullopt;
  }
}

/// The block that keeps most threads on an SM at once, and how many blocks of it the GPU holds.
struct BestBlock {
  int threads = 0, blocks = 0;
};
cudaError_t best_block(Session& s, CUfunction function, CUoccupancyB2DSize shared_of, std::size_t shared_bytes,
                       int limit, BestBlock& best) {
  cudaFuncAttributes attributes;
  if (const auto e = cudaFuncGetAttributes(&attributes, function); e != cudaSuccess) return e;
  const int most = limit <= 0 ? attributes.maxThreadsPerBlock : std::min(limit, attributes.maxThreadsPerBlock);
  constexpr int warp = 32;
  int most_threads = 0;
  for (int threads = (most + warp - 1) / warp * warp; threads > 0; threads -= warp) {
    const int block = std::min(threads, most);
    const std::size_t shared = shared_of == nullptr ? shared_bytes : shared_of(block);
    int blocks = 0;
    const auto e = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, shared);
    if (e != cudaSuccess) return e;
    if (blocks * block > most_threads) {
      most_threads = blocks * block;
      best = {block, blocks * s.profile().sm_count};
    }
    if (most_threads == s.profile().max_threads_per_sm) break;
  }
  return cudaSuccess;
}

/// The same launch for the runtime's functions, whose attributes are the driver's.
cudaLaunchConfig_t runtime_config(const CUlaunchConfig& config) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute) &&
                static_cast<int>(cudaLaunchAttributeClusterDimension) ==
                    static_cast<int>(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
  cudaLaunchConfig_t same{};
  same.gridDim = {config.gridDimX, config.gridDimY, config.gridDimZ};
  same.blockDim = {config.blockDimX, config.blockDimY, config.blockDimZ};
  same.dynamicSmemBytes = config.sharedMemBytes;
  same.attrs = reinterpret_cast<cudaLaunchAttribute*>(config.attrs);
  same.numAttrs = config.attrs == nullptr ? 0 : config.numAttrs;
  return same;
}

#if CUDA_VERSION >= 12040
cudaError_t parameter_of(Session& s, const void* function, std::size_t index, std::size_t* offset, std::size_t* size) {
  FunctionEntry* const entry = s.modules.function(function);
  if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
  const Kernel& kernel = s.kernel_of(*entry).kernel;
  if (index >= kernel.parameter_sizes.size() || offset == nullptr) return cudaErrorInvalidValue;
  *offset = kernel.parameter_offsets.at(index);
  if (size != nullptr) *size = kernel.parameter_sizes[index];
  return cudaSuccess;
}
#endif

}  // namespace

extern "C" {

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  return driver_call("cuFuncGetAttribute", Needs::context, [&](Session&) {
    cudaFuncAttributes all;
    if (value == nullptr) return cudaErrorInvalidValue;
    if (const auto e = cudaFuncGetAttributes(&all, function); e != cudaSuccess) return e;
    const auto found = attribute_in(all, attribute);
    if (found) *value = *found;
    return found ? cudaSuccess : cudaErrorInvalidValue;
  });
}

/// Attributes that have a number in the runtime's API have the same here.
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  return by_runtime("cuFuncSetAttribute", [&] {
    if (attribute < CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || attribute >= CU_FUNC_ATTRIBUTE_MAX)
      return cudaErrorInvalidValue;
    return cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache) {
  return by_runtime("cuFuncSetCacheConfig", [&] { return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone); });
}

CUresult cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig) {
  return by_runtime("cuFuncSetSharedMemConfig",
                    [&] { return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone); });
}

CUresult cuFuncGetName(const char** name, CUfunction function) {
  return by_runtime("cuFuncGetName", [&] { return cudaFuncGetName(name, function); });
}

#if CUDA_VERSION >= 12040
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t* offset, size_t* size) {
  return driver_call("cuFuncGetParamInfo", Needs::context,
                     [&](Session& s) { return parameter_of(s, function, index, offset, size); });
}

/// Of the runtime's API.
cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return call("cudaFuncGetParamInfo", Waits::no,
              [&](Session& s) { return parameter_of(s, function, index, offset, size); });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction function) {
  return driver_call("cuFuncIsLoaded", Needs::context, [&](Session& s) {
    const FunctionEntry* entry = s.modules.function(function);
    if (entry == nullptr || state == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    *state = entry->loaded.empty() ? CU_FUNCTION_LOADING_STATE_UNLOADED : CU_FUNCTION_LOADING_STATE_LOADED;
    return cudaSuccess;
  });
}

CUresult cuFuncLoad(CUfunction function) {
  return driver_call("cuFuncLoad", Needs::context, [&](Session& s) {
    FunctionEntry* const entry = s.modules.function(function);
    if (entry == nullptr) return s.because(cudaErrorInvalidResourceHandle, no_kernel());
    (void)s.kernel_of(*entry);
    return cudaSuccess;
  });
}
#endif

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int block, size_t shared_bytes) {
  return by_runtime("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared_bytes);
  });
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = runtime_config(*config);
  return by_runtime("cuOccupancyMaxActiveClusters",
                    [&] { return cudaOccupancyMaxActiveClusters(clusters, function, &same); });
}

CUresult cuOccupancyMaxPotentialClusterSize(int* size, CUfunction function, const CUlaunchConfig* config) {
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = runtime_config(*config);
  return by_runtime("cuOccupancyMaxPotentialClusterSize",
                    [&] { return cudaOccupancyMaxPotentialClusterSize(size, function, &same); });
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int block,
                                                              size_t shared_bytes, unsigned) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block, shared_bytes);
}

CUresult cuOccupancyMaxPotentialBlockSize(int* blocks, int* block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t shared_bytes, int limit) {
  return driver_call("cuOccupancyMaxPotentialBlockSize", Needs::context, [&](Session& s) {
    if (blocks == nullptr || block == nullptr) return cudaErrorInvalidValue;
    BestBlock best;
    const auto error = best_block(s, function, shared_of, shared_bytes, limit, best);
    *blocks = best.blocks;
    *block = best.threads;
    return error;
  });
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* blocks, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_of, size_t shared_bytes, int limit,
                                                   unsigned) {
  return cuOccupancyMaxPotentialBlockSize(blocks, block, function, shared_of, shared_bytes, limit);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, CUfunction function, int blocks, int block) {
  return by_runtime("cuOccupancyAvailableDynamicSMemPerBlock",
                    [&] { return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, block); });
}

}  // extern "C"
