#pragma once
// A child process that is asked and answers in lines, over a socket that is its descriptor 3. Its stdin is empty
// and its stdout is our stderr: nothing that it prints can be taken for an answer or for our report.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "common/child/child.h"

namespace gpulab {

class ChildProcess {
 public:
  static constexpr int socket_in_child = 3;

  /// Throws Error (missing) where it cannot be started.
  explicit ChildProcess(const ChildPlan& plan);
  /// Kills it, and what it started, if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Outcome {
    answered,
    ended,        ///< it exited or was killed by a signal: end() says which
    late,         ///< no answer within the time
    interrupted,  ///< `interrupted` said so
  };
  struct Answer {
    Outcome outcome = Outcome::ended;
    std::string line;
  };
  /// Sends a line and waits for one. `interrupted` is asked several times a second.
  [[nodiscard]] Answer ask(std::string_view line, std::chrono::milliseconds timeout,
                           const std::function<bool()>& interrupted = {});
  /// Waits for another line.
  [[nodiscard]] Answer receive(std::chrono::milliseconds timeout, const std::function<bool()>& interrupted = {});

  /// Ends it, and says how it ended: "exited with code 3", "was killed by SIGABRT (Aborted)".
  std::string end();

 private:
  [[nodiscard]] bool send(std::string_view text) const;

  pid_t process_ = -1;
  int socket_ = -1;
  std::string received_;  ///< behind the last line
};

/// Of a text that ends as ChildProcess::end() does: from outside (common/child/killed.h), and by its limit of CPU time.
[[nodiscard]] bool says_killed(std::string_view end);
[[nodiscard]] bool says_out_of_cpu(std::string_view end);

}  // namespace gpulab
