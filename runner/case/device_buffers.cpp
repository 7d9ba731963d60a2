#include "runner/case/device_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "common/device/clocked.h"
#include "common/device/gpu/tensor_map.h"
#include "common/device/used_gpu.h"
#include "common/launch_error.h"
#include "common/text.h"

namespace gpulab {
namespace {

std::size_t bytes_in(const Buffer& buffer) { return buffer.count * size_of(buffer.type); }

}  // namespace

void check_room(Device& device, std::span<const Buffer> buffers, std::span<const Buffer> scratch, bool keeps_inputs) {
  const auto room = memory_room(device);
  if (!room) return;
  double bytes = 0;
  for (const auto some : {buffers, scratch})
    for (const auto& buffer : some) {
      if (buffer.on_host || !buffer.symbol.empty()) continue;
      const bool is_kept = keeps_inputs && buffer.role == BufferRole::input;
      bytes += double(bytes_in(buffer)) * (is_kept ? 2 : 1);
    }
  if (bytes <= double(room->free)) return;
  throw LaunchError(LaunchFailure::out_of_memory,
                    fmt::format("the case needs {} of the GPU's memory, {} of {} are free", bytes_text(bytes),
                                bytes_text(double(room->free)), bytes_text(double(room->total))),
                    {}, "choose a smaller size");
}

DeviceBuffers::~DeviceBuffers() {
  // A plan that failed halfway may have left copies under way to the host's memory that is freed here.
  const bool copied = std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.host != nullptr; });
  try {
    if (copied) device_.synchronize();
  } catch (const std::exception&) {
    // A copy that fails here says nothing new: see the comment below.
  }
  for (const auto& [buffer, handle] : textures_) device_.release_texture(handle);
  for (const auto& slot : slots_) {
    try {
      const UsedGpu used(device_, slot.buffer->gpu);
      if (slot.pristine != 0) device_.release(slot.pristine);
      if (!slot.host && slot.buffer->symbol.empty()) device_.release(slot.pointer);
    } catch (const std::exception&) {
      // After a fault the context is gone and its memory with it; the fault itself has been reported.
    }
  }
}

void DeviceBuffers::add(const Buffer& buffer, bool pinned) {
  const bool partial = !buffer.initial.empty() && buffer.initial.size() != bytes_in(buffer);
  if (partial || (buffer.role == BufferRole::input && buffer.initial.size() != bytes_in(buffer))) {
    throw std::logic_error(fmt::format("buffer '{}' has {} initial bytes for {} elements of {}", buffer.name,
                                       buffer.initial.size(), buffer.count, name_of(buffer.type)));
  }
  const UsedGpu used(device_, buffer.gpu);
  if (!buffer.symbol.empty()) {
    add_variable(buffer);
  } else if (buffer.on_host) {
    slots_.push_back({&buffer, 0, 0, device_.host_memory(buffer.name, bytes_in(buffer), pinned)});
  } else {
    slots_.push_back({&buffer, device_.allocate(buffer.name, bytes_in(buffer)), 0, {}});
  }
}

void DeviceBuffers::add_variable(const Buffer& buffer) {
  const auto found = device_.variable(buffer.symbol);
  if (!found && buffer.role == BufferRole::scratch) return;  // the driver leaves out what no kernel names
  if (!found) throw std::logic_error(fmt::format("no module has a variable '{}'", buffer.name));
  if (found->bytes < bytes_in(buffer))
    throw std::logic_error(fmt::format("variable '{}' has {} bytes", buffer.name, found->bytes));
  slots_.push_back({&buffer, found->address, 0, {}});
}

void DeviceBuffers::prepare() {
  for (const auto& [buffer, pointer, pristine, host] : slots_) {
    if (bytes_in(*buffer) == 0) continue;
    const UsedGpu used(device_, buffer->gpu);
    if (host) {
      if (buffer->initial.empty()) std::fill_n(host.get(), bytes_in(*buffer), poison_of(buffer->type));
      std::copy(buffer->initial.begin(), buffer->initial.end(), host.get());
    } else if (!buffer->symbol.empty() && buffer->initial.empty()) {
      continue;  // as the module has it
    } else if (buffer->initial.empty()) {
      device_.fill(pointer, poison_of(buffer->type), bytes_in(*buffer));
      device_.forget(pointer, bytes_in(*buffer));
    } else {
      device_.write(pointer, buffer->initial);
    }
  }
}

void DeviceBuffers::keep_inputs() {
  for (auto& [buffer, pointer, pristine, host] : slots_) {
    if (buffer->role != BufferRole::input || bytes_in(*buffer) == 0 || host) continue;
    const UsedGpu used(device_, buffer->gpu);
    pristine = device_.allocate(buffer->name + " (pristine copy)", bytes_in(*buffer));
    device_.write(pristine, buffer->initial);
  }
}

void DeviceBuffers::restore() {
  for (const auto& [buffer, pointer, pristine, host] : slots_) {
    if (host) continue;  // only copies write it, and they write all of it
    const UsedGpu used(device_, buffer->gpu);
    if (pristine != 0) {
      device_.copy(pointer, pristine, bytes_in(*buffer));
    } else if (buffer->role != BufferRole::input && !buffer->initial.empty()) {
      device_.write(pointer, buffer->initial);
    }
  }
}

void DeviceBuffers::poison_outputs() {
  for (const auto& [buffer, pointer, pristine, host] : slots_)
    if (!host && buffer->symbol.empty() && buffer->initial.empty() && bytes_in(*buffer) > 0)
      device_.fill(pointer, poison_of(buffer->type), bytes_in(*buffer));
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
  if (bytes.empty()) return bytes;
  if (from.host) {
    std::copy_n(from.host.get(), bytes.size(), bytes.begin());
  } else {
    const UsedGpu used(device_, from.buffer->gpu);
    device_.read(bytes, from.pointer);
  }
  return bytes;
}

namespace {

/// The bytes that `count` elements from the first on take.
std::pair<std::size_t, std::size_t> part_of(const Buffer& buffer, std::size_t first, std::size_t count) {
  if (first > buffer.count || count > buffer.count - first)
    throw std::logic_error(fmt::format("'{}' has no elements {} to {}", buffer.name, first, first + count));
  return {first * size_of(buffer.type), count * size_of(buffer.type)};
}

}  // namespace

DevicePointer DeviceBuffers::on_device(std::string_view name, std::size_t first, std::size_t count) const {
  const auto& of = slot(name);
  if (of.buffer->on_host) throw std::logic_error(fmt::format("'{}' lies on the host", name));
  return of.pointer + part_of(*of.buffer, first, count).first;
}

std::span<std::byte> DeviceBuffers::on_host(std::string_view name, std::size_t first, std::size_t count) const {
  const auto& of = slot(name);
  if (!of.buffer->on_host) throw std::logic_error(fmt::format("'{}' lies on the device", name));
  const auto [offset, bytes] = part_of(*of.buffer, first, count);
  return bytes == 0 ? std::span<std::byte>() : std::span(of.host.get() + offset, bytes);
}

namespace {

simt::TexelKind kind_of(Scalar type) {
  if (is_floating(type)) return simt::TexelKind::floating;
  return name_of(type).front() == 'i' ? simt::TexelKind::signed_integer : simt::TexelKind::unsigned_integer;
}

}  // namespace

/// Made by the first launch that asks for it.
std::uint64_t DeviceBuffers::texture(const TextureArgument& argument) const {
  const auto known = textures_.find(argument.buffer);
  if (known != textures_.end()) return known->second;
  const auto& to = slot(argument.buffer);
  simt::Texture texture;
  texture.is_surface = argument.is_surface;
  texture.address = to.pointer;
  texture.format = {kind_of(to.buffer->type), argument.channels,
                    static_cast<std::uint8_t>(8 * size_of(to.buffer->type))};
  texture.extent = argument.extent;
  texture.row_bytes = std::uint64_t{argument.extent[0]} * texture.format.bytes();
  texture.slice_bytes = texture.row_bytes * argument.extent[1];
  texture.modes.fill(argument.mode);
  texture.filters = argument.filters;
  texture.is_normalized = argument.is_normalized;
  texture.as_fractions = argument.as_fractions;
  return textures_[argument.buffer] = device_.make_texture(texture);
}

KernelArgument DeviceBuffers::argument(const Argument& argument) const {
  return std::visit(
      [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BufferArgument>) {
          const auto& to = slot(value.buffer);
          if (to.buffer->on_host) throw std::logic_error(fmt::format("'{}' lies on the host", value.buffer));
          return KernelArgument::of(to.pointer + value.offset_elements * size_of(to.buffer->type));
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, TensorMapArgument>) {
          const auto& to = slot(value.buffer);
          return tensor_map(to.pointer, to.buffer->type, {value.rows, value.cols}, {value.box_rows, value.box_cols});
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, TextureArgument>) {
          return KernelArgument::of(texture(value));
        } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, BytesArgument>) {
          return KernelArgument{value.bytes};
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
