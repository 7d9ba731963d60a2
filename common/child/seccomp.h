#pragma once
// The system calls that a confined child is refused, as a filter for seccomp.

#include <linux/filter.h>

#include <vector>

namespace gpulab {

struct CallRules {
  bool alone = false;  ///< no further processes
  bool asks = false;   ///< whoever starts a process or thread waits for an answer (SpawnGate)
  bool pairs = false;  ///< pairs of connected sockets are allowed
};
/// `landlock`: the version of Landlock that is in force, too. What an early one lets pass is refused here: truncating
/// files that can be read (before 3), signals to other processes (before 6).
[[nodiscard]] std::vector<sock_filter> refused_calls(int landlock, const CallRules& rules = {});
[[nodiscard]] bool has_seccomp();
/// 0 or an errno. Needs no_new_privs. `listener` takes a SpawnGate's descriptor where the filter asks.
[[nodiscard]] int seccomp_enter(const std::vector<sock_filter>& filter, int* listener = nullptr);

}  // namespace gpulab
