#include "common/simt/device_runtime/device_heap.h"

namespace gpulab::simt {

namespace {

/// Blocks are multiples of 16 bytes and carry a header: all 8 MiB at once cannot be had. How a GPU's heap spends its
/// memory is not documented, so where exactly it runs out may differ.
constexpr std::uint64_t kHeaderBytes = 16;

std::uint64_t cost(std::uint64_t bytes) { return (bytes + 15) / 16 * 16 + kHeaderBytes; }

}  // namespace

std::uint64_t DeviceHeap::allocate(std::string_view name, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  if (bytes > limit_ || cost(bytes) > limit_ - used_) {
    refused_ = true;
    return 0;
  }
  used_ += cost(bytes);
  return memory_.allocate_small(name, bytes, true);
}

DeviceHeap::Freed DeviceHeap::free(std::uint64_t address) {
  const Allocation* a = memory_.nearest(address);
  if (!a || a->address != address || !a->of_heap) return Freed::never_allocated;
  if (!a->host) return Freed::already;
  used_ -= cost(a->bytes);
  memory_.release(address);
  return Freed::yes;
}

}  // namespace gpulab::simt
