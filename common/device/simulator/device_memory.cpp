#include "common/device/simulator/device_memory.h"

#include <fmt/format.h>

#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

#include "common/host_memory.h"
#include "common/launch_error.h"

namespace gpulab {

namespace {

/// Of freed allocations: enough for those of the last cases.
constexpr std::size_t kRemembered = 256;

}  // namespace

DevicePointer DeviceMemory::allocate(std::string_view name, std::size_t bytes) { return allocate(name, bytes, false); }

/// The host may write it at any time, and nobody sees that: it counts as written.
DevicePointer DeviceMemory::allocate_shared(std::string_view name, std::size_t bytes) {
  const DevicePointer pointer = allocate(name, bytes, true);
  mark(pointer, bytes, true);
  return pointer;
}

void DeviceMemory::adopt(std::string_view name, std::span<std::byte> memory) {
  global_.adopt(name, memory.data(), memory.size());
  const auto pointer = reinterpret_cast<DevicePointer>(memory.data());
  if (!memory.empty()) tell([&](simt::Observer& observer) { observer.allocated(*global_.find(pointer)); });
  mark(pointer, memory.size(), true);
}

DevicePointer DeviceMemory::allocate(std::string_view name, std::size_t bytes, bool shared) {
  if (const auto available = memory_short_of(static_cast<double>(bytes)))
    throw LaunchError(LaunchFailure::out_of_memory,
                      fmt::format("'{}' needs {} bytes, this machine has {} left", name, bytes, *available), {},
                      "choose a smaller n");
  try {
    const DevicePointer pointer = shared ? global_.allocate_shared(name, bytes) : global_.allocate(name, bytes);
    if (!shared) global_.give_to(pointer, gpu_);
    if (bytes) tell([&](simt::Observer& observer) { observer.allocated(*global_.find(pointer)); });
    if (all_known_) mark(pointer, bytes, true);
    return pointer;
  } catch (const std::bad_alloc&) {
    throw LaunchError(LaunchFailure::out_of_memory, fmt::format("no memory for the {} bytes of '{}'", bytes, name), {},
                      "choose a smaller n");
  }
}

void DeviceMemory::all_known(bool so) {
  all_known_ = so;
  for (const auto& one : global_.allocations())
    if (one->host != nullptr && one->bytes != 0) mark(one->address, one->bytes, true);
}

void DeviceMemory::release(DevicePointer pointer) {
  global_.release(pointer);
  versions_.changed(pointer, {0, UINT64_MAX});
  for (const std::uint32_t index : global_.forget_freed(kRemembered))
    tell([&](simt::Observer& observer) { observer.index_freed(index); });
}

// Bytes that are there already change nothing: programs that repeat a launch give it its input anew.

void DeviceMemory::write(DevicePointer to, std::span<const std::byte> from) {
  if (!from.empty()) {
    std::byte* const there = host(to, from.size());
    if (std::memcmp(there, from.data(), from.size()) != 0) {
      std::memcpy(there, from.data(), from.size());
      changed(to, from.size());
    }
  }
  mark(to, from.size(), true);
}

void DeviceMemory::read(std::span<std::byte> to, DevicePointer from) {
  if (!to.empty()) std::memcpy(to.data(), host(from, to.size()), to.size());
}

void DeviceMemory::fill(DevicePointer to, std::byte value, std::size_t bytes) {
  if (bytes) {
    std::byte* const there = host(to, bytes);
    if (*there != value || std::memcmp(there, there + 1, bytes - 1) != 0) {
      std::memset(there, static_cast<int>(value), bytes);
      changed(to, bytes);
    }
  }
  mark(to, bytes, true);
}

void DeviceMemory::copy(DevicePointer to, DevicePointer from, std::size_t bytes) {
  if (bytes) {
    std::byte* const there = host(to, bytes);
    const std::byte* const source = host(from, bytes);
    if (std::memcmp(there, source, bytes) != 0) {
      std::memmove(there, source, bytes);
      changed(to, bytes);
    }
  }
  mark(to, bytes, true);
}

std::vector<Stretch> DeviceMemory::never_written(DevicePointer from, std::size_t bytes) {
  std::vector<Stretch> found;
  const simt::Allocation* allocation = global_.find(from);
  if (bytes == 0 || !allocation) return found;
  const std::uint64_t offset = from - allocation->address;
  if (bytes > allocation->bytes - offset) return found;
  tell([&](simt::Observer& observer) { observer.never_written(*allocation, {offset, bytes}, found); });
  for (auto& range : found) range.offset -= offset;
  return found;
}

std::byte* DeviceMemory::host(DevicePointer address, std::size_t bytes) {
  std::byte* found = global_.host(address, bytes);
  if (!found) throw std::logic_error("copy outside of an allocation");
  return found;
}

void DeviceMemory::mark(DevicePointer address, std::size_t bytes, bool known) {
  if (bytes == 0 || observers_.empty()) return;
  const simt::Allocation* allocation = global_.find(address);
  if (!allocation) return;
  const std::uint64_t offset = address - allocation->address;
  tell([&](simt::Observer& observer) {
    known ? observer.written(*allocation, offset, bytes) : observer.forgotten(*allocation, offset, bytes);
  });
}

}  // namespace gpulab
