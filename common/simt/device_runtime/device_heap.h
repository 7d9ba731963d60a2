#pragma once
// The heap that kernels allocate from by malloc, new and device-side cudaMalloc. It outlives launches, as on a GPU.

#include <cstdint>
#include <string_view>

#include "common/simt/machine/memory/memory.h"

namespace gpulab::simt {

class DeviceHeap {
 public:
  /// cudaLimitMallocHeapSize's default (CUDA C++ Programming Guide, Heap Memory Allocation).
  static constexpr std::uint64_t kDefaultLimit = 8 << 20;

  explicit DeviceHeap(GlobalMemory& memory, std::uint64_t limit = kDefaultLimit) : memory_(memory), limit_(limit) {}
  /// The address of `bytes` bytes, a multiple of 16; 0 if the heap has no room for them, or for no bytes at all.
  std::uint64_t allocate(std::string_view name, std::uint64_t bytes);

  enum class Freed { yes, already, never_allocated };
  Freed free(std::uint64_t address);

  [[nodiscard]] std::uint64_t limit() const { return limit_; }
  /// It has given null, for want of room.
  [[nodiscard]] bool has_refused() const { return refused_; }

 private:
  GlobalMemory& memory_;
  std::uint64_t limit_, used_ = 0;
  bool refused_ = false;
};

}  // namespace gpulab::simt
