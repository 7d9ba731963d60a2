#pragma once
// Device memory that several processes use: an allocation's pages are those of a file.

#include <driver_types.h>

#include <cstdint>
#include <string>

#include "common/cuda_api/runtime/processes/shared_files.h"

namespace gpulab::cuda_api {

class Session;
struct MemoryEntry;

/// Others may open it from now on, by `name`.
cudaError_t share(Session& session, const MemoryEntry& entry, SharedName& name);
/// What another process, or this one, has shared; `bytes` 0: as many as it has. How often it was opened is counted.
/// `title` names it ("cudaIpcOpenMemHandle #1"), `caller` has opened it.
cudaError_t open_shared(Session& session, void** pointer, const SharedName& name, std::uint64_t bytes,
                        const std::string& title, void* caller);
/// The memory at this address has been freed: what was opened is unmapped, what was shared is opened by nobody any
/// more.
void forget_shared(Session& session, std::uint64_t address);

}  // namespace gpulab::cuda_api
