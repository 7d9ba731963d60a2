// Memory pools that several processes use (CUDA Runtime API: cudaMemPoolExportToShareableHandle and its like). A pool's
// descriptor says which pool it is, and no more: what is taken from it is shared piece by piece, as cudaIpcGetMemHandle
// shares it, when cudaMemPoolExportPointer is called. Memory of a pool that nobody exports stays as it is.

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/memory/pools.h"
#include "common/cuda_api/runtime/processes/shared_memory.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

constexpr char kPool = 'p', kPointer = 'a';  // of handles
constexpr auto kDescriptor = cudaMemHandleTypePosixFileDescriptor;

/// What a descriptor of a pool says.
struct PoolFile {
  char handle[64] = {};
  int gpu = 0;
};
/// Behind the handle's own bytes in what cudaMemPoolExportPointer gives.
struct OfPool {
  SharedName pool;
  std::uint64_t bytes = 0;
};
constexpr std::size_t kOfPoolAt = 32;
static_assert(kOfPoolAt + sizeof(OfPool) <= sizeof(cudaMemPoolPtrExportData));

Reason not_shared() {
  return {"the pool was made without a type of handle that it is shared by",
          "set handleTypes of what cudaMemPoolCreate is given"};
}

cudaError_t export_pool(Session& s, void* shareable, MemoryPool& pool) {
  PoolSharing& sharing = sharing_of(pool);
  if (!sharing.allowed) return s.because(cudaErrorInvalidValue, not_shared());
  static std::uint32_t exported = 0;
  if (sharing.name.process == 0) sharing.name = {static_cast<std::uint32_t>(getpid()), ++exported};
  PoolFile said{.gpu = gpu_of(pool)};
  write_handle(said.handle, kPool, sharing.name);
  const int file = memfd_create("gpulab-pool", 0);  // goes on to what is started, as an H100's does
  if (file < 0 || write(file, &said, sizeof said) != sizeof said) {
    if (file >= 0) close(file);
    return s.because(cudaErrorOperatingSystem, {"this process may open no further file"});
  }
  *static_cast<int*>(shareable) = file;
  return cudaSuccess;
}

cudaError_t import_pointer(Session& s, void** pointer, MemoryPool& pool, const cudaMemPoolPtrExportData& data,
                           void* caller) {
  SharedName memory;
  OfPool of;
  std::memcpy(&of, data.reserved + kOfPoolAt, sizeof of);
  const SharedName& mine = sharing_of(pool).name;
  if (!read_handle(&data, kPointer, memory) || of.bytes == 0 || of.pool.process != mine.process ||
      of.pool.number != mine.number)
    return s.because(cudaErrorInvalidValue,
                     {"these are no data that cudaMemPoolExportPointer gave of memory of this pool"});
  const char* const function = s.name_of("cudaMemPoolImportPointer");
  const OnGpu on(gpu_of(pool));
  return open_shared(s, pointer, memory, of.bytes, fmt::format("{} #{}", function, s.record.calls[function].calls),
                     caller);
}

}  // namespace

extern "C" {

cudaError_t cudaMemPoolExportToShareableHandle(void* shareable, cudaMemPool_t handle, cudaMemAllocationHandleType type,
                                               unsigned flags) {
  return call("cudaMemPoolExportToShareableHandle", Waits::no, [&](Session& s) {
    MemoryPool* const pool = pool_of(handle);
    if (pool == nullptr) return s.because(cudaErrorInvalidValue, {"no memory pool"});
    if (shareable == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the descriptor"));
    if (flags != 0) return cudaErrorInvalidValue;
    if (type != kDescriptor) return s.because(cudaErrorInvalidValue, other_pool_handles());
    return export_pool(s, shareable, *pool);
  });
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* shareable, cudaMemAllocationHandleType type,
                                                 unsigned flags) {
  return call("cudaMemPoolImportFromShareableHandle", Waits::no, [&](Session& s) {
    if (pool == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the pool"));
    if (flags != 0) return cudaErrorInvalidValue;
    if (type != kDescriptor) return s.because(cudaErrorInvalidValue, other_pool_handles());
    const int file = static_cast<int>(reinterpret_cast<std::uintptr_t>(shareable));
    PoolFile said;
    SharedName name;
    if (pread(file, &said, sizeof said, 0) != sizeof said || !read_handle(said.handle, kPool, name) ||
        !s.has_gpu(said.gpu))
      return s.because(cudaErrorUnknown, {"the descriptor is none that cudaMemPoolExportToShareableHandle gave",
                                          "pass the number itself as the pointer: (void*)(uintptr_t)descriptor"});
    *pool = import_pool(said.gpu, name);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* data, void* pointer) {
  return call("cudaMemPoolExportPointer", Waits::no, [&](Session& s) {
    if (data == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the data"));
    const MemoryEntry* const entry = s.memory.at(reinterpret_cast<std::uint64_t>(pointer));
    MemoryPool* const pool = entry == nullptr ? nullptr : pool_of_memory(entry->address);
    if (pool == nullptr) return s.because(cudaErrorInvalidValue, {"it takes memory of a pool's, from its begin on"});
    const PoolSharing& sharing = sharing_of(*pool);
    if (!sharing.allowed) return s.because(cudaErrorInvalidValue, not_shared());
    if (sharing.name.process == 0)
      return s.because(cudaErrorInvalidValue,
                       {"its pool has not been shared yet", "cudaMemPoolExportToShareableHandle comes first"});
    SharedName memory;
    if (const cudaError_t error = share(s, *entry, memory); error != cudaSuccess) return error;
    const OfPool of{sharing.name, entry->bytes};
    std::memset(data, 0, sizeof *data);
    write_handle(data, kPointer, memory);
    std::memcpy(data->reserved + kOfPoolAt, &of, sizeof of);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t handle, cudaMemPoolPtrExportData* data) {
  void* const caller = __builtin_return_address(0);
  return call("cudaMemPoolImportPointer", Waits::no, [&](Session& s) {
    MemoryPool* const pool = pool_of(handle);
    if (pool == nullptr || !sharing_of(*pool).imported)
      return s.because(cudaErrorInvalidValue, {"no memory pool that cudaMemPoolImportFromShareableHandle gave"});
    if (pointer == nullptr || data == nullptr) return s.because(cudaErrorInvalidValue, null_argument("argument"));
    return import_pointer(s, pointer, *pool, *data, caller);
  });
}

}  // extern "C"
