#pragma once
// The buffers of one case on a device: allocated, filled before a run as their roles say, released at the end.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "common/device/device.h"
#include "labs/lab.h"

namespace gpulab {

class DeviceBuffers {
 public:
  explicit DeviceBuffers(Device& device) : device_(device) {}
  ~DeviceBuffers();
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;

  /// Allocates, on the host (pinned or not) where the buffer lives there (a module's variable is found instead);
  /// `buffer` must outlive this. Throws logic_error where its bytes and count disagree.
  void add(const Buffer& buffer, bool pinned = false);
  /// Before the first run: inputs are written, outputs and scratch take their initial bytes or poison.
  void prepare();
  /// Keeps a pristine copy of each input on the device, so that restore() brings back inputs too.
  void keep_inputs();
  /// Before a repeated run: whatever has initial bytes that a kernel may have overwritten.
  void restore();
  /// What prepare() does for outputs: they hold what no answer is.
  void poison_outputs();

  [[nodiscard]] const Buffer& declared(std::string_view name) const;
  [[nodiscard]] std::vector<std::byte> read(std::string_view name) const;
  [[nodiscard]] KernelArgument argument(const Argument& argument) const;
  /// Where elements of a buffer of the device's, or of the host's, lie. Throws logic_error for the other kind, or where
  /// there are none.
  [[nodiscard]] DevicePointer on_device(std::string_view name, std::size_t first, std::size_t count) const;
  [[nodiscard]] std::span<std::byte> on_host(std::string_view name, std::size_t first, std::size_t count) const;
  /// Raw device pointers by name, for vendor libraries.
  [[nodiscard]] std::map<std::string, void*, std::less<>> pointers() const;

 private:
  void add_variable(const Buffer& buffer);
  [[nodiscard]] std::uint64_t texture(const TextureArgument& argument) const;
  struct Slot {
    const Buffer* buffer;
    DevicePointer pointer;
    DevicePointer pristine;  ///< copy of an input; 0: none
    HostMemory host;         ///< of a buffer on the host
  };
  [[nodiscard]] const Slot& slot(std::string_view name) const;

  Device& device_;
  std::vector<Slot> slots_;
  mutable std::map<std::string, std::uint64_t, std::less<>> textures_;  ///< handles by their buffers
};

/// Throws LaunchError (out_of_memory) where a device has less memory left than a case's buffers take; nothing has been
/// allocated then. `keeps_inputs`: DeviceBuffers::keep_inputs() is to follow.
void check_room(Device& device, std::span<const Buffer> buffers, std::span<const Buffer> scratch, bool keeps_inputs);

/// What an uninitialised output is filled with: NaN, which no verification lets pass and which stays what is added to
/// it; as integers -1515870811 (0xA5A5A5A5), which no answer has by chance.
inline std::byte poison_of(Scalar type) { return is_floating(type) ? std::byte{0xFF} : std::byte{0xA5}; }

}  // namespace gpulab
