#pragma once
// Memory pools (CUDA Runtime API: Stream Ordered Memory Allocator): what is taken from them, and given back.

#include <driver_types.h>

#include <cstdint>

#include "common/cuda_api/runtime/memory_table.h"
#include "common/cuda_api/runtime/processes/shared_files.h"

namespace gpulab::cuda_api {

class Session;
struct MemoryPool;

/// The GPU's own, and the one that cudaMallocAsync takes from.
[[nodiscard]] MemoryPool& first_pool(int gpu);
[[nodiscard]] MemoryPool& current_pool(int gpu);
/// Null where the handle is none.
[[nodiscard]] MemoryPool* pool_of(cudaMemPool_t handle);
[[nodiscard]] int gpu_of(const MemoryPool& pool);
/// What it gives: the GPU's own memory, managed memory, or the host's.
[[nodiscard]] MemoryEntry::Kind kind_of(const MemoryPool& pool);
/// What other processes have of a pool, or this one of another's.
struct PoolSharing {
  bool allowed = false;   ///< it was made to be shared
  bool imported = false;  ///< another process's: nothing new is taken from it
  SharedName name{};      ///< of process 0: it has none yet
};
[[nodiscard]] PoolSharing& sharing_of(MemoryPool& pool);
[[nodiscard]] cudaMemPool_t import_pool(int gpu, const SharedName& name);
/// The pool that the memory was taken from, null: none.
[[nodiscard]] MemoryPool* pool_of_memory(std::uint64_t address);
void taken_from(const Session& session, MemoryPool& pool, std::uint64_t address, std::uint64_t bytes);
/// Memory is freed, of a pool or not.
void given_back(const Session& session, std::uint64_t address);

}  // namespace gpulab::cuda_api
