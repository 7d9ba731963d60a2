#include "runner/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace gpulab {
namespace {

std::size_t bytes_in(const Buffer& buffer) { return buffer.count * size_of(buffer.type); }

}  // namespace

DeviceBuffers::~DeviceBuffers() {
  for (const auto& slot : slots_) {
    try {
      if (slot.pristine != 0) device_.release(slot.pristine);
      device_.release(slot.pointer);
    } catch (const std::exception&) {
      // After a fault the context is gone and its memory with it; the fault itself has been reported.
    }
  }
}

void DeviceBuffers::add(const Buffer& buffer) {
  const bool partial = !buffer.initial.empty() && buffer.initial.size() != bytes_in(buffer);
  if (partial || (buffer.role == Role::input && buffer.initial.size() != bytes_in(buffer))) {
    throw std::logic_error(fmt::format("buffer '{}' has {} initial bytes for {} elements of {}", buffer.name,
                                       buffer.initial.size(), buffer.count, name_of(buffer.type)));
  }
  slots_.push_back({&buffer, device_.allocate(buffer.name, bytes_in(buffer)), 0});
}

void DeviceBuffers::prepare() {
  for (const auto& [buffer, pointer, pristine] : slots_) {
    if (bytes_in(*buffer) == 0) continue;
    if (buffer->initial.empty()) {
      device_.fill(pointer, poison, bytes_in(*buffer));
      device_.forget(pointer, bytes_in(*buffer));
    } else {
      device_.write(pointer, buffer->initial);
    }
  }
}

void DeviceBuffers::keep_inputs() {
  for (auto& [buffer, pointer, pristine] : slots_) {
    if (buffer->role != Role::input || bytes_in(*buffer) == 0) continue;
    pristine = device_.allocate(buffer->name + " (pristine copy)", bytes_in(*buffer));
    device_.write(pristine, buffer->initial);
  }
}

void DeviceBuffers::restore() {
  for (const auto& [buffer, pointer, pristine] : slots_) {
    if (pristine != 0) {
      device_.copy(pointer, pristine, bytes_in(*buffer));
    } else if (buffer->role != Role::input && !buffer->initial.empty()) {
      device_.write(pointer, buffer->initial);
    }
  }
}

const DeviceBuffers::Slot& DeviceBuffers::slot(std::string_view name) const {
  const auto it = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) { return s.buffer->name == name; });
  if (it == slots_.end()) throw std::logic_error(fmt::format("no buffer is named '{}'", name));
  return *it;
}

const Buffer& DeviceBuffers::declared(std::string_view name) const { return *slot(name).buffer; }

std::vector<std::byte> DeviceBuffers::read(std::string_view name) const {
  const auto& from = slot(name);
  std::vector<std::byte> bytes(bytes_in(*from.buffer));
  if (!bytes.empty()) device_.read(bytes, from.pointer);
  return bytes;
}

KernelArgument DeviceBuffers::argument(const Argument& argument) const {
  return std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BufferArgument>) {
          const auto& to = slot(value.buffer);
          return KernelArgument::of(to.pointer + value.offset_elements * size_of(to.buffer->type));
        } else {
          return KernelArgument::of(value);
        }
      },
      argument);
}

std::map<std::string, void*, std::less<>> DeviceBuffers::pointers() const {
  std::map<std::string, void*, std::less<>> pointers;
  // A DevicePointer is the address itself (CUdeviceptr): vendor libraries take it as a pointer.
  for (const auto& slot : slots_) pointers[slot.buffer->name] = reinterpret_cast<void*>(slot.pointer);
  return pointers;
}

}  // namespace gpulab
