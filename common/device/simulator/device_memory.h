#pragma once
// The simulated GPU's global memory as the host sees it: what it allocates, copies and fills. Observers are told which
// bytes hold a value.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "common/device/device.h"
#include "common/device/simulator/memory_versions.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/observer.h"

namespace gpulab {

class DeviceMemory {
 public:
  /// The observers outlive it.
  explicit DeviceMemory(std::span<simt::Observer* const> observers) : observers_(observers) {}

  /// Throws LaunchError (out_of_memory) where the host has not that much left.
  DevicePointer allocate(std::string_view name, std::size_t bytes);
  /// The same at one address for kernels and the host: managed memory.
  DevicePointer allocate_shared(std::string_view name, std::size_t bytes);
  /// Memory of the host's own, seen by kernels until it is released. Throws std::invalid_argument where it overlaps.
  void adopt(std::string_view name, std::span<std::byte> memory);
  /// What is allocated from now on is this GPU's.
  void use_gpu(int gpu) { gpu_ = gpu; }
  /// Between launches.
  void release(DevicePointer pointer);
  void write(DevicePointer to, std::span<const std::byte> from);
  void read(std::span<std::byte> to, DevicePointer from);
  void fill(DevicePointer to, std::byte value, std::size_t bytes);
  void copy(DevicePointer to, DevicePointer from, std::size_t bytes);
  /// The bytes count as never written.
  void forget(DevicePointer pointer, std::size_t bytes) { mark(pointer, bytes, false); }

  /// Somebody stores whom no observer sees: all bytes count as written, also of what is allocated while that is `so`.
  void all_known(bool so);

  /// Of bytes of one allocation, as Device::never_written.
  [[nodiscard]] std::vector<Stretch> never_written(DevicePointer from, std::size_t bytes);

  /// What has changed, but for what kernels store: whoever runs them says that.
  [[nodiscard]] MemoryVersions& versions() { return versions_; }
  /// The same memory as kernels see it.
  [[nodiscard]] simt::GlobalMemory& global() { return global_; }

 private:
  DevicePointer allocate(std::string_view name, std::size_t bytes, bool shared);
  std::byte* host(DevicePointer address, std::size_t bytes);
  void changed(DevicePointer address, std::size_t bytes) {
    const std::uint64_t allocation = global_.find(address)->address;
    versions_.changed(allocation, {address - allocation, bytes});
  }
  void mark(DevicePointer address, std::size_t bytes, bool known);
  void tell(const auto& what) {
    for (simt::Observer* observer : observers_) simt::tell_observer(*observer, what);
  }

  int gpu_ = 0;
  bool all_known_ = false;
  simt::GlobalMemory global_;
  MemoryVersions versions_;
  std::span<simt::Observer* const> observers_;
};

}  // namespace gpulab
