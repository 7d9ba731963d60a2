#pragma once
// What a program may take of this machine while it runs: the memory of its processes and what they write, looked at
// from outside, and how many processes and threads there are, for which a confined one asks. Whoever takes more is
// ended, and told why.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

#include "common/child/spawn_gate.h"

namespace gpulab {

struct ProgramLimits {
  /// Of all its processes; 0: nine tenths of what the machine has left when they are first looked at.
  std::uint64_t host_memory = 0;
  std::uint64_t written_bytes = std::uint64_t{16} << 30;  ///< of files, pipes and terminals
  std::size_t processes = 256, threads = 4096;            ///< threads: of all processes, their first ones too
  bool names_options = true;                              ///< of our command line, that allow more
};

class LimitsWatch {
 public:
  /// `leader`: of the group of processes; `gate`: what start_child gave.
  LimitsWatch(pid_t leader, const ProgramLimits& limits, int gate);
  /// Answers who asks for a process or thread, and looks where it is time to. In words what was met; empty: nothing.
  [[nodiscard]] std::string met();
  /// To be polled: somebody waits for an answer. -1: nobody ever does.
  [[nodiscard]] int asked() const { return gate_.descriptor(); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Taken {
    std::uint64_t memory = 0, written = 0;
    std::size_t processes = 0, threads = 0;
  };
  [[nodiscard]] Taken look() const;
  /// One more process or thread?
  [[nodiscard]] bool may_start();

  pid_t leader_;
  ProgramLimits limits_;
  bool memory_was_given_;
  SpawnGate gate_;
  Clock::time_point next_;
  Taken taken_;              ///< when it was last looked at
  std::size_t started_ = 0;  ///< since then, most of whom may have ended
  bool refused_processes_ = false, refused_threads_ = false;
};

}  // namespace gpulab
