#pragma once
// What cuPointerGetAttribute says of memory.

#include <cuda.h>

#include "common/cuda_api/runtime/memory_table.h"

namespace gpulab::cuda_api {

/// Puts it to `data`; false where the memory has none of that kind.
bool pointer_attribute(const MemoryEntry& entry, CUpointer_attribute attribute, CUdeviceptr address, void* data);
/// What stands for it where the memory is nobody's.
void no_pointer_attribute(CUpointer_attribute attribute, void* data);

}  // namespace gpulab::cuda_api
