#pragma once
// Memory without an address (CUDA Driver API: cuMemCreate): a file without a name, which other processes may be given.

#include <cuda.h>

#include <cstddef>
#include <memory>

namespace gpulab::cuda_api {

struct Reason;

constexpr unsigned kVirtual = 1U << 31;  ///< MemoryEntry::flags: mapped from such memory

/// Bytes that were made. They stay until no process has a handle of them, and they are mapped nowhere.
struct Physical {
  Physical(std::size_t size, const CUmemAllocationProp& asked);
  /// Another's; takes the descriptor.
  Physical(int descriptor, std::size_t size, const CUmemAllocationProp& said);
  ~Physical();
  Physical(const Physical&) = delete;
  Physical& operator=(const Physical&) = delete;

  std::size_t bytes;
  CUmemAllocationProp properties;
  int file = -1;
  unsigned handles = 0;
};

/// Null where the handle is none.
[[nodiscard]] std::shared_ptr<Physical> physical_memory(CUmemGenericAllocationHandle handle);
/// The one that it has, which counts once more, or a new one.
[[nodiscard]] CUmemGenericAllocationHandle handle_of(std::shared_ptr<Physical> memory);
/// False: the handle is none.
bool release_handle(CUmemGenericAllocationHandle handle);

/// What is mapped at the address; null: nothing.
[[nodiscard]] std::shared_ptr<Physical> mapped_memory(CUdeviceptr address);

/// Of memory that is to be shared in ways that this GPU has not.
[[nodiscard]] Reason other_handle_types();

}  // namespace gpulab::cuda_api
