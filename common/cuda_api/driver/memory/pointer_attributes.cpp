#include "common/cuda_api/driver/memory/pointer_attributes.h"

#include <cstring>
#include <optional>

#include "common/cuda_api/driver/contexts.h"
#include "common/cuda_api/driver/memory/physical_memory.h"
#include "common/cuda_api/runtime/memory/pools.h"

namespace gpulab::cuda_api {
namespace {

template <typename T>
bool give(void* data, T value) {
  std::memcpy(data, &value, sizeof value);
  return true;
}

using Kind = MemoryEntry::Kind;

/// Nothing where an H100 has no answer: memory of cudaMalloc.
std::optional<std::uint64_t> handle_types_of(const MemoryEntry& entry, CUdeviceptr address) {
  if (MemoryPool* const pool = pool_of_memory(entry.address))
    return sharing_of(*pool).allowed ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : CU_MEM_HANDLE_TYPE_NONE;
  if (const auto mapped = mapped_memory(address)) return mapped->properties.requestedHandleTypes;
  return std::nullopt;
}

}  // namespace

bool pointer_attribute(const MemoryEntry& entry, CUpointer_attribute attribute, CUdeviceptr address, void* data) {
  const bool of_host = entry.kind == Kind::pinned || entry.kind == Kind::registered;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(data, current_context());
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give<unsigned>(data, of_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(data, address);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return entry.host_may_touch() && give(data, address);
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return give(data, false);
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return give(data, entry.kind == Kind::device && !entry.variable && entry.flags != kVirtual &&
                            pool_of_memory(entry.address) == nullptr);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return give<unsigned long long>(data, entry.address);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(data, entry.kind == Kind::managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(data, entry.gpu);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give<CUdeviceptr>(data, entry.address);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give(data, entry.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(data, true);
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      if (const auto types = handle_types_of(entry, address)) return give(data, *types);
      return false;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return give<unsigned>(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return give(data, reinterpret_cast<CUmemoryPool>(pool_of_memory(entry.address)));
    default:
      return false;
  }
}

void no_pointer_attribute(CUpointer_attribute attribute, void* data) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_MAPPED:
      give(data, false);
      return;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      give(data, 0U);
      return;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give(data, -2);  // as CU_DEVICE_INVALID
      return;
    default:
      give(data, std::uint64_t{0});
  }
}

}  // namespace gpulab::cuda_api
