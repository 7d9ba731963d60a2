#pragma once
// The one place that starts a process. No shell reads the command; its group ends with us; of our descriptors it has
// those named here alone; limits and confinement are in force before its first instruction.

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/child/confinement.h"
#include "common/child/limits.h"

namespace gpulab {

struct ChildPlan {
  std::vector<std::string> command;  ///< a path and its arguments
  /// In place of the command: what a copy of this process does, which needs no start. Only while we have one thread; it
  /// returns an exit code, and ends without what we have registered for our end.
  std::function<int()> body{};
  /// NAME=VALUE; nothing: ours.
  std::optional<std::vector<std::string>> environment{};
  std::string folder{};  ///< where it runs; empty: where we do
  ChildLimits limits{};
  std::optional<Confinement> confinement{};  ///< nothing: it may what we may
  bool last_words =
      false;  ///< runs although we are interrupted: what we have to say needs it, and its limits are short
};

/// What it has open. -1: /dev/null.
struct ChildDescriptors {
  int input = -1, output = -1, error = -1;
  int socket = -1;  ///< its descriptor 3; -1: it has none
};

/// The process, which leads a group of its own. Throws Error (missing) where it cannot be started; `called` is what the
/// words call it. `gate` takes a SpawnGate's descriptor: it then asks before it starts processes and threads, and waits
/// for the answers; -1 where it is not confined or this kernel cannot let it ask.
[[nodiscard]] pid_t start_child(const ChildPlan& plan, const ChildDescriptors& descriptors, const std::string& called,
                                int* gate = nullptr);

/// Has this process one thread? Others would be missing in a copy, and with them what they have locked.
[[nodiscard]] bool is_single_threaded();

/// Ends the group and takes the leader's status, as of waitpid. The leader may have ended before.
int end_child(pid_t leader);
/// Has the leader ended by itself?
[[nodiscard]] bool has_ended(pid_t leader);

}  // namespace gpulab
