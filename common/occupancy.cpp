#include "common/occupancy.h"

#include <algorithm>
#include <climits>

// Part of the CUDA Toolkit (its own include directory, as system headers): the calculator that Nsight Compute and
// cudaOccupancyMaxActiveBlocksPerMultiprocessor follow.
#include <cuda_occupancy.h>

namespace gpulab {
namespace {

constexpr int warp_size = 32;

cudaOccDeviceProp properties_of(const GpuProfile& gpu) {
  cudaOccDeviceProp properties;
  properties.computeMajor = gpu.compute_major;
  properties.computeMinor = gpu.compute_minor;
  properties.maxThreadsPerBlock = gpu.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = gpu.max_threads_per_sm;
  properties.regsPerBlock = gpu.registers_per_block;
  properties.regsPerMultiprocessor = gpu.registers_per_sm;
  properties.warpSize = warp_size;
  properties.sharedMemPerBlock = gpu.shared_bytes_per_block;
  properties.sharedMemPerMultiprocessor = gpu.shared_bytes_per_sm;
  properties.numSms = gpu.sm_count;
  properties.sharedMemPerBlockOptin = gpu.shared_bytes_per_block_optin;
  properties.reservedSharedMemPerBlock = gpu.reserved_shared_bytes_per_block;
  return properties;
}

/// A kernel that has opted into all the dynamic shared memory that the GPU gives a block.
cudaOccFuncAttributes attributes_of(const GpuProfile& gpu, int registers, std::size_t static_shared_bytes) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = registers;
  attributes.sharedSizeBytes = static_shared_bytes;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = gpu.shared_bytes_per_block_optin - static_shared_bytes;
  attributes.numBlockBarriers = 1;
  return attributes;
}

std::vector<std::string> names_of(unsigned factors) {
  std::vector<std::string> names;
  if (factors & OCC_LIMIT_WARPS) names.emplace_back("warps");
  if (factors & OCC_LIMIT_REGISTERS) names.emplace_back("registers");
  if (factors & OCC_LIMIT_SHARED_MEMORY) names.emplace_back("shared");
  if (factors & OCC_LIMIT_BLOCKS) names.emplace_back("blocks");
  return names;
}

std::optional<cudaOccResult> calculate(const GpuProfile& gpu, int registers, std::size_t static_shared_bytes,
                                       std::size_t dynamic_shared_bytes, int threads_per_block, int carveout) {
  if (threads_per_block <= 0 || static_shared_bytes > gpu.shared_bytes_per_block_optin) return std::nullopt;
  const cudaOccDeviceProp properties = properties_of(gpu);
  const cudaOccFuncAttributes attributes = attributes_of(gpu, registers, static_shared_bytes);
  cudaOccDeviceState state;
  // An H100 keeps as few blocks at once as this says, and its own occupancy calls say the same: 6 KB a block at 0 %
  // one, at 10 % four, at 33 % 14 (at 50 % it says 18 and keeps 23).
  state.carveoutConfig = std::clamp(carveout, -1, 100);
  cudaOccResult result{};
  const auto status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                              threads_per_block, dynamic_shared_bytes);
  return status == CUDA_OCC_SUCCESS ? std::optional(result) : std::nullopt;
}

}  // namespace

std::optional<Occupancy> occupancy(const GpuProfile& gpu, std::optional<int> registers_per_thread,
                                   std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                   int threads_per_block, int carveout) {
  if (!registers_per_thread) return std::nullopt;
  const auto result =
      calculate(gpu, *registers_per_thread, static_shared_bytes, dynamic_shared_bytes, threads_per_block, carveout);
  if (!result) return std::nullopt;

  const int warps_per_block = (threads_per_block + warp_size - 1) / warp_size;
  const int max_warps = gpu.max_threads_per_sm / warp_size;
  Occupancy answer;
  answer.blocks_per_sm = result->activeBlocksPerMultiprocessor;
  answer.theoretical = static_cast<double>(answer.blocks_per_sm * warps_per_block) / max_warps;
  answer.limited_by = names_of(result->limitingFactors);
  return answer;
}

Spread spread_of(std::uint64_t blocks, const std::optional<Occupancy>& occupancy, int sm_count) {
  Spread spread;
  spread.sm_count = sm_count;
  spread.sms_used = static_cast<int>(std::min<std::uint64_t>(blocks, static_cast<std::uint64_t>(sm_count)));
  if (!occupancy || occupancy->blocks_per_sm <= 0 || sm_count <= 0) return spread;
  const auto resident = static_cast<std::uint64_t>(occupancy->blocks_per_sm) * static_cast<std::uint64_t>(sm_count);
  const auto last = blocks % resident;
  spread.waves = static_cast<double>(blocks) / static_cast<double>(resident);
  spread.tail = last == 0 ? 0 : 1 - static_cast<double>(last) / static_cast<double>(resident);
  return spread;
}

std::optional<BlockLimits> block_limits(const GpuProfile& gpu, int registers_per_thread,
                                        std::size_t static_shared_bytes, std::size_t dynamic_shared_bytes,
                                        int threads_per_block) {
  const auto result =
      calculate(gpu, registers_per_thread, static_shared_bytes, dynamic_shared_bytes, threads_per_block, -1);
  if (!result) return std::nullopt;
  const auto limit = [](int blocks) { return blocks == INT_MAX ? std::nullopt : std::optional(blocks); };
  return BlockLimits{limit(result->blockLimitWarps), limit(result->blockLimitRegs), limit(result->blockLimitSharedMem),
                     limit(result->blockLimitBlocks)};
}

}  // namespace gpulab
