#pragma once
// The process of one call: a command of ours, which confines what it compiles and runs. Its output is read as it comes,
// up to a limit; what is beyond is counted. It ends with the call, whatever ends that.

#include <poll.h>
#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/child/private_folder.h"
#include "runner/mcp/tool.h"

namespace gpulab::mcp {

class CallProcess {
 public:
  using Clock = std::chrono::steady_clock;

  /// Starts it. Throws Error (missing) where it cannot be started.
  explicit CallProcess(const Invocation& invocation);
  ~CallProcess();
  CallProcess(const CallProcess&) = delete;
  CallProcess& operator=(const CallProcess&) = delete;

  /// What to wait for; none where both streams are closed.
  void add_descriptors(std::vector<pollfd>& waiting) const;
  /// Takes what has come. True: it has ended, and all has been read.
  [[nodiscard]] bool has_ended();
  [[nodiscard]] bool streams_are_closed() const { return streams_[0].end < 0 && streams_[1].end < 0; }
  [[nodiscard]] Clock::duration age() const { return Clock::now() - start_; }

  struct Outcome {
    int exit_code = 0;  ///< 128 + N where signal N ended it
    std::string output, error;
    std::uint64_t output_cut = 0, error_cut = 0;  ///< bytes beyond what is kept
    std::string document;                         ///< that it wrote to a file; of programs
  };
  /// Ends it, if it still runs.
  [[nodiscard]] Outcome end();

 private:
  struct Stream {
    int end = -1;
    std::size_t most = 0;
    std::string text{};
    std::uint64_t cut = 0;
  };
  void close_all();

  PrivateFolder folder_;  ///< of the document that a program's call writes
  std::array<Stream, 2> streams_;
  pid_t process_ = -1;
  Clock::time_point start_ = Clock::now();
};

}  // namespace gpulab::mcp
