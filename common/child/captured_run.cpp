#include "common/child/captured_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/child/group_time.h"
#include "common/child/interrupt.h"
#include "common/error.h"

namespace gpulab {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// How long a signal that came between two calls of poll() may wait.
constexpr milliseconds longest_poll{50};
/// How long a question to a tool ("--version") may take.
constexpr milliseconds patience{60'000};

/// Has a group been idle for too long? Asked several times a second, it looks once.
class IdleWatch {
 public:
  IdleWatch(pid_t group, milliseconds allowed) : idle_(group), allowed_(allowed) {}
  bool too_long() {
    const auto now = Clock::now();
    if (allowed_.count() == 0 || now - looked_ < milliseconds(1000)) return false;
    looked_ = now;
    return idle_.look() > allowed_;
  }

 private:
  IdleTime idle_;
  milliseconds allowed_;
  Clock::time_point looked_ = Clock::now();
};

/// Reads until the other end is closed, the leader has ended or a limit is reached.
class Listener {
 public:
  Listener(const ChildPlan& plan, pid_t child, int pipe)
      : limits_(plan.limits),
        last_words_(plan.last_words),
        child_(child),
        pipe_(pipe),
        idle_(child, plan.limits.idle) {}

  void listen(CapturedRun& run) {
    const auto start = Clock::now();
    while (last_words_ || !interrupted()) {
      const bool ended = has_ended(child_);
      if (!read_some(run, ended ? milliseconds(0) : longest_poll) && ended) return;
      if (limits_.wall.count() != 0 && Clock::now() - start > limits_.wall) run.limit = CapturedRun::Limit::wall;
      if (run.limit == CapturedRun::Limit::none && idle_.too_long()) run.limit = CapturedRun::Limit::idle;
      if (run.limit != CapturedRun::Limit::none) return;
    }
  }

 private:
  /// False where nothing came within `patience`.
  bool read_some(CapturedRun& run, milliseconds patience) {
    if (closed_) {
      if (patience.count() > 0) usleep(500);
      return false;
    }
    pollfd waiting{pipe_, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) return false;
    const ssize_t length = read(pipe_, chunk_.data(), chunk_.size());
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    closed_ = length <= 0;
    if (closed_) return false;
    const auto room = limits_.output_bytes == 0
                          ? chunk_.size()
                          : limits_.output_bytes - std::min<std::size_t>(limits_.output_bytes, run.output.size());
    run.output.append(chunk_.data(), std::min(static_cast<std::size_t>(length), room));
    return true;
  }

  ChildLimits limits_;
  bool last_words_;
  pid_t child_;
  int pipe_;
  IdleWatch idle_;
  bool closed_ = false;
  std::array<char, 65536> chunk_{};
};

}  // namespace

CapturedRun run_captured(const ChildPlan& plan) {
  watch_for_interrupts();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error(ExitCode::missing, "cannot start " + plan.command.at(0));
  pid_t child = -1;
  try {
    child = start_child(plan, {.output = ends[1], .error = ends[1]}, plan.command.at(0));
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    throw;
  }
  close(ends[1]);
  CapturedRun run;
  Listener(plan, child, ends[0]).listen(run);
  const int status = end_child(child);
  close(ends[0]);
  if (interrupted() && !plan.last_words) throw Error(ExitCode::interrupted, "interrupted");
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (WIFSIGNALED(status)) run.signal = WTERMSIG(status);
  return run;
}

CapturedRun run_captured(const std::vector<std::string>& command) {
  ChildPlan plan{.command = command};
  plan.limits.wall = patience;
  return run_captured(plan);
}

}  // namespace gpulab
