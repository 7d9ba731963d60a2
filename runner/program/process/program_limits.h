#pragma once
// What a program may take of this machine while it runs, looked at from outside: the memory and number of its
// processes, and what they write. Whoever takes more is ended, and told why.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace gpulab {

struct ProgramLimits {
  /// Of all its processes; 0: nine tenths of what the machine has left when they are first looked at.
  std::uint64_t host_memory = 0;
  std::uint64_t written_bytes = std::uint64_t{16} << 30;  ///< of files, pipes and terminals
  std::size_t processes = 256;
  bool names_options = true;  ///< of our command line, that allow more
};

class LimitsWatch {
 public:
  /// `leader`: of the group of processes.
  LimitsWatch(pid_t leader, const ProgramLimits& limits);
  /// Looks where it is time to. In words what was met; empty: nothing.
  [[nodiscard]] std::string met();

 private:
  using Clock = std::chrono::steady_clock;
  pid_t leader_;
  ProgramLimits limits_;
  bool memory_was_given_;
  Clock::time_point next_;
};

}  // namespace gpulab
