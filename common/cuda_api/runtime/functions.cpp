// What programs ask and set of their kernels: attributes, occupancy.

#include <cuda_runtime_api.h>

#include <algorithm>

#include "common/cuda_api/runtime/clusters.h"
#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/session.h"
#include "common/device/launch_limits.h"
#include "common/occupancy.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// `body` with the kernel behind a stub.
template <typename Body>
[[gnu::always_inline]] inline cudaError_t with_kernel(const char* name, const void* function, Body&& body) {
  return call(name, Waits::no, [&](Session& s) {
    FunctionEntry* entry = s.modules.function(function);
    if (entry == nullptr) return s.because(cudaErrorInvalidDeviceFunction, no_kernel());
    (void)s.kernel_of(*entry);
    return body(s, entry->loaded.at(current_gpu()));
  });
}

/// Where ptxas has not been asked: a number that most kernels stay below.
constexpr int kUnknownRegisters = 32;

int most_threads(const Session& s, const LoadedFunction& kernel) {
  return kernel.kernel.attributes.max_threads_per_block.value_or(s.profile().max_threads_per_block);
}

int blocks_per_sm(const Session& s, const LoadedFunction& kernel, int block, std::size_t shared_bytes) {
  const auto found =
      occupancy(s.profile(), kernel.kernel.attributes.registers.value_or(kUnknownRegisters),
                kernel.kernel.attributes.static_shared_bytes.value_or(0), shared_bytes, block, kernel.carveout);
  return found ? found->blocks_per_sm : 0;
}

/// What an H100 takes of the attributes that are about clusters.
cudaError_t set_cluster(Session& s, LoadedFunction& kernel, cudaFuncAttribute attribute, int value) {
  constexpr int policies = 3;
  const auto set = [&](std::uint32_t& dimension) {
    if (value < 0 || kernel.kernel.attributes.cluster.volume() != 0)
      return s.because(cudaErrorInvalidValue, {"the kernel is compiled for clusters of a size of its own",
                                               "leave the call out, or __cluster_dims__", true});
    dimension = static_cast<std::uint32_t>(value);
    return cudaSuccess;
  };
  switch (attribute) {
    case cudaFuncAttributeClusterDimMustBeSet:
      return cudaErrorInvalidValue;  // it is compiled in
    case cudaFuncAttributeRequiredClusterWidth:
      return set(kernel.cluster.x);
    case cudaFuncAttributeRequiredClusterHeight:
      return set(kernel.cluster.y);
    case cudaFuncAttributeRequiredClusterDepth:
      return set(kernel.cluster.z);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
      kernel.may_be_large = value != 0;
      return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
      if (value < 0 || value >= policies) return cudaErrorInvalidValue;
      kernel.cluster_policy = value;
      return cudaSuccess;
    default:
      return cudaSuccess;
  }
}

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return with_kernel("cudaFuncGetAttributes", function, [&](Session& s, LoadedFunction& kernel) {
    const auto& known = kernel.kernel.attributes;
    *attributes = {};
    attributes->sharedSizeBytes = known.static_shared_bytes.value_or(0);
    attributes->localSizeBytes = known.local_bytes.value_or(0);
    attributes->maxThreadsPerBlock = most_threads(s, kernel);
    attributes->numRegs = known.registers.value_or(kUnknownRegisters);
    attributes->ptxVersion = attributes->binaryVersion = s.profile().compute_major * 10 + s.profile().compute_minor;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(
        kernel.dynamic_shared_most != 0 ? kernel.dynamic_shared_most
                                        : s.profile().shared_bytes_per_block - attributes->sharedSizeBytes);
    attributes->preferredShmemCarveout = kernel.carveout;
    const Dim3 cluster = required_cluster(kernel);
    attributes->clusterDimMustBeSet = known.cluster.volume() != 0 ? 1 : 0;
    attributes->requiredClusterWidth = static_cast<int>(cluster.x);
    attributes->requiredClusterHeight = static_cast<int>(cluster.y);
    attributes->requiredClusterDepth = static_cast<int>(cluster.z);
    attributes->clusterSchedulingPolicyPreference = kernel.cluster_policy;
    attributes->nonPortableClusterSizeAllowed = kernel.may_be_large ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return with_kernel("cudaFuncSetAttribute", function, [&](Session& s, LoadedFunction& kernel) {
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
      kernel.carveout = std::clamp(value, -1, 100);
      return cudaSuccess;
    }
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return set_cluster(s, kernel, attribute, value);
    const std::size_t fixed = kernel.kernel.attributes.static_shared_bytes.value_or(0);
    if (value < 0 || static_cast<std::size_t>(value) + fixed > s.profile().shared_bytes_per_block_optin)
      return s.because(cudaErrorInvalidValue,
                       too_much_shared(static_cast<std::size_t>(value), fixed, s.profile().shared_bytes_per_block_optin,
                                       kernel.kernel.cpp_name));
    kernel.dynamic_shared_most = static_cast<std::size_t>(value);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return with_kernel("cudaFuncSetCacheConfig", function, [](Session&, LoadedFunction&) { return cudaSuccess; });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return with_kernel("cudaFuncSetSharedMemConfig", function, [](Session&, LoadedFunction&) { return cudaSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return with_kernel("cudaFuncGetName", function, [&](Session&, LoadedFunction& kernel) {
    *name = kernel.kernel.entry.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int block,
                                                                   size_t shared_bytes, unsigned) {
  return with_kernel("cudaOccupancyMaxActiveBlocksPerMultiprocessor", function,
                     [&](Session& s, LoadedFunction& kernel) {
                       *blocks = block > most_threads(s, kernel) ? 0 : blocks_per_sm(s, kernel, block, shared_bytes);
                       return cudaSuccess;
                     });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block,
                                                          size_t shared_bytes) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, block, shared_bytes, 0);
}

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function, const cudaLaunchConfig_t* config) {
  return with_kernel("cudaOccupancyMaxActiveClusters", function, [&](Session& s, LoadedFunction& kernel) {
    if (clusters == nullptr || config == nullptr) return cudaErrorInvalidValue;
    LaunchRequest request;
    request.grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z};
    for (unsigned i = 0; config->attrs != nullptr && i < config->numAttrs; ++i)
      if (config->attrs[i].id == cudaLaunchAttributeClusterDimension)
        request.cluster = asked_cluster(config->attrs[i].val);
    const Dim3 cluster = cluster_of(kernel, request.cluster);
    const auto volume = static_cast<int>(cluster.volume());
    if (volume > static_cast<int>(most_blocks_per_cluster) && kernel.may_be_large) return *clusters = 0, cudaSuccess;
    if (const auto wrong = s.check_cluster(kernel, request); wrong.error != cudaSuccess)
      return s.because(wrong.error, {wrong.why, wrong.remedy, true});
    const int threads = static_cast<int>(config->blockDim.x * config->blockDim.y * config->blockDim.z);
    const int blocks =
        threads > most_threads(s, kernel) ? 0 : blocks_per_sm(s, kernel, threads, config->dynamicSmemBytes);
    *clusters = volume == 0 ? 0 : active_clusters(s.profile(), blocks, volume);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function, const cudaLaunchConfig_t* config) {
  return with_kernel("cudaOccupancyMaxPotentialClusterSize", function, [&](Session& s, LoadedFunction& kernel) {
    if (size == nullptr || config == nullptr) return cudaErrorInvalidValue;
    *size = s.profile().compute_major < 9 ? 1 : static_cast<int>(most_of_cluster(kernel));
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks, int) {
  return with_kernel("cudaOccupancyAvailableDynamicSMemPerBlock", function, [&](Session& s, LoadedFunction& kernel) {
    const auto& gpu = s.profile();
    const std::size_t each = gpu.shared_bytes_per_sm / static_cast<std::size_t>(std::max(blocks, 1));
    const std::size_t taken =
        kernel.kernel.attributes.static_shared_bytes.value_or(0) + gpu.reserved_shared_bytes_per_block;
    // No more than a launch of the kernel may ask for as it stands (an H100, driver 580).
    const std::size_t fixed = kernel.kernel.attributes.static_shared_bytes.value_or(0);
    const std::size_t most =
        kernel.dynamic_shared_most != 0 ? kernel.dynamic_shared_most : gpu.shared_bytes_per_block - fixed;
    *bytes = each > taken ? std::min(each - taken, most) / 128 * 128 : 0;
    return cudaSuccess;
  });
}

}  // extern "C"
