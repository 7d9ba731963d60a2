#include "common/device/device.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "common/error.h"

namespace gpulab {
namespace {

/// What the host's memory is mapped and locked by.
constexpr std::align_val_t page{4096};

/// For a device that has nothing to record with: the work itself, again.
class Repetition final : public Recording {
 public:
  explicit Repetition(std::function<void()> work) : work_(std::move(work)) {}
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

}  // namespace

DevicePointer Device::allocate_shared(std::string_view, std::size_t) {
  throw Error(ExitCode::missing, "this device shares no memory with the host");
}

void Device::adopt(std::string_view, std::span<std::byte>) {
  throw Error(ExitCode::missing, "this device shares no memory with the host");
}

void Device::share(DevicePointer, int) {
  throw Error(ExitCode::missing, "this device shares no memory with other processes");
}

std::uint64_t Device::make_texture(const simt::Texture&) {
  throw Error(ExitCode::missing, "textures of a kernel that is run by itself are the simulator's: --device sim");
}

Kernel Device::kernel_of(std::string_view, std::string_view entry) { return kernel(entry); }

std::optional<ModuleVariable> Device::variable_of(std::string_view, std::string_view name) { return variable(name); }

HostMemory Device::host_memory(std::string_view, std::size_t bytes, bool) {
  if (bytes == 0) return {};
  return {static_cast<std::byte*>(::operator new(bytes, page)),
          [](std::byte* memory) { ::operator delete(memory, page); }};
}

void Device::queue_write(DevicePointer to, std::span<const std::byte> from, std::uint32_t) { write(to, from); }

void Device::queue_read(std::span<std::byte> to, DevicePointer from, std::uint32_t) { read(to, from); }

void Device::queue_copy(DevicePointer to, DevicePointer from, std::size_t bytes, std::uint32_t) {
  copy(to, from, bytes);
}

void Device::use_gpu(int gpu) {
  if (gpu == 0) return;
  throw Error(ExitCode::missing, fmt::format("this device has one GPU: there is no GPU {}", gpu), {},
              "the simulator has several: --device sim");
}

void Device::reach(int peer, bool) { use_gpu(peer); }

std::unique_ptr<Recording> Device::record(const std::function<void()>& work) {
  return std::make_unique<Repetition>(work);
}

}  // namespace gpulab
