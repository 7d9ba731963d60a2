#pragma once
// What a device that measures time (Capabilities::measures_time) can also say: of its clock beside a measured time, and
// of the memory that it has left. Another device has nothing to say of either.

#include <cstdint>
#include <optional>
#include <string>

#include "common/device/device.h"

namespace gpulab {

/// What the clock of a GPU's SMs did beside the last `time`.
struct ClockReading {
  double sm_mhz = 0;        ///< 0: not read
  std::string throttled{};  ///< why the driver held it back: "power cap"; empty: it did not, as far as it can be told
};

/// Memory of a device, in bytes.
struct MemoryRoom {
  std::uint64_t free = 0, total = 0;
};

class Clocked {
 public:
  virtual ~Clocked() = default;
  /// Of the last Device::time.
  [[nodiscard]] virtual ClockReading take_clock() = 0;
  /// Why nobody can tell whether the clock is held back; empty where it can be told.
  [[nodiscard]] virtual std::string throttling_unseen() { return {}; }
  /// What may still be allocated; nothing where that is not known.
  [[nodiscard]] virtual std::optional<MemoryRoom> memory_room() { return std::nullopt; }
};

[[nodiscard]] inline ClockReading clock_of(Device& device) {
  auto* const clocked = dynamic_cast<Clocked*>(&device);
  return clocked != nullptr ? clocked->take_clock() : ClockReading{};
}
[[nodiscard]] inline std::string throttling_unseen(Device& device) {
  auto* const clocked = dynamic_cast<Clocked*>(&device);
  return clocked != nullptr ? clocked->throttling_unseen() : std::string();
}
[[nodiscard]] inline std::optional<MemoryRoom> memory_room(Device& device) {
  auto* const clocked = dynamic_cast<Clocked*>(&device);
  return clocked != nullptr ? clocked->memory_room() : std::nullopt;
}

}  // namespace gpulab
