#pragma once
// What of the system a child sees: a few folders, no network, no other process (Landlock and seccomp with
// no_new_privs). What this kernel cannot do is left out, and can be asked for beforehand: isolation_support().

#include <linux/filter.h>

#include <string>
#include <vector>

namespace gpulab {

struct Confinement {
  std::vector<std::string> readable;  ///< files, and folders with all below; what is there may be executed, too
  std::vector<std::string> writable;  ///< the same, to be read and changed
  bool alone = false;                 ///< it starts no further processes; threads it may have
  bool pairs = false;  ///< its processes may be connected with each other: pairs of sockets, and no other sockets
};

/// Where the system keeps programs, their libraries and headers.
[[nodiscard]] std::vector<std::string> system_programs();

struct IsolationSupport {
  int landlock = 0;      ///< the version of its interface; 0: there is none
  bool seccomp = false;  ///< system calls can be refused
};
[[nodiscard]] IsolationSupport isolation_support();

/// A Confinement as the kernel takes it, made before the fork: what is left to do behind it allocates nothing.
class PreparedConfinement {
 public:
  /// `asks`: it asks before it starts processes and threads, where this kernel can let it (SpawnGate).
  PreparedConfinement(const Confinement& confinement, bool asks);
  ~PreparedConfinement();
  PreparedConfinement(const PreparedConfinement&) = delete;
  PreparedConfinement& operator=(const PreparedConfinement&) = delete;

  [[nodiscard]] int ruleset() const { return ruleset_; }  ///< a descriptor, or -1
  /// In the child: from now on it is confined. `ruleset` is the descriptor as the child has it; `gate` takes the
  /// descriptor over which it asks, or -1. 0 or an errno.
  [[nodiscard]] int enter(int ruleset, int& gate) const;

 private:
  int ruleset_ = -1;
  std::vector<sock_filter> filter_, asking_;  ///< the second is empty where nobody asks
};

}  // namespace gpulab
