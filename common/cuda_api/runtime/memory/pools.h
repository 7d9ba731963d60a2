#pragma once
// Memory pools (CUDA Runtime API: Stream Ordered Memory Allocator): what is taken from them, and given back.

#include <driver_types.h>

#include <cstdint>

namespace gpulab::cuda_api {

class Session;
struct MemoryPool;

/// The GPU's own, and the one that cudaMallocAsync takes from.
[[nodiscard]] MemoryPool& first_pool(int gpu);
[[nodiscard]] MemoryPool& current_pool(int gpu);
/// Null where the handle is none.
[[nodiscard]] MemoryPool* pool_of(cudaMemPool_t handle);
[[nodiscard]] int gpu_of(const MemoryPool& pool);
void taken_from(const Session& session, MemoryPool& pool, std::uint64_t address, std::uint64_t bytes);
/// Memory is freed, of a pool or not.
void given_back(const Session& session, std::uint64_t address);

}  // namespace gpulab::cuda_api
