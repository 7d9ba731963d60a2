#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace gpulab {

/// Clock ticks of CPU time that the living processes of a group have used, and those that they have waited for.
[[nodiscard]] std::uint64_t group_cpu_time(pid_t group);

/// Whether one of its threads could run or waits for a disk: then the machine is slow, and the group is not idle.
[[nodiscard]] bool group_is_ready(pid_t group);

/// For how long a group has waited for nothing that this machine will bring.
class IdleTime {
 public:
  /// Of what passes between two looks no more than `most` counts: on a busy machine whoever looks may have been stopped
  /// as well.
  explicit IdleTime(pid_t group, std::chrono::milliseconds most = std::chrono::milliseconds(2000))
      : group_(group), most_(most) {}
  /// Looks, and says how long.
  std::chrono::milliseconds look();
  [[nodiscard]] std::uint64_t ticks() const { return ticks_; }  ///< group_cpu_time at the last look

 private:
  pid_t group_;
  std::chrono::milliseconds most_;
  std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
  std::chrono::milliseconds idle_{0};
  std::uint64_t ticks_ = 0;
};

}  // namespace gpulab
