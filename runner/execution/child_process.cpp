#include "runner/execution/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/error.h"

namespace gpulab {
namespace {

/// A signal that comes between two calls of poll() wakes neither of them, so no call waits longer than this.
constexpr long longest_poll_ms = 200;

using Clock = std::chrono::steady_clock;

/// A child that has closed its socket is given this time to exit, and is then killed.
constexpr std::chrono::milliseconds patience_at_end{500};

std::string description(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* name = sigabbrev_np(signal);
  return fmt::format("was killed by SIG{} ({})", name != nullptr ? name : std::to_string(signal), strsignal(signal));
}

}  // namespace

ChildProcess::ChildProcess(const ChildPlan& plan) {
  constexpr const char* called = "a worker process";
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(ExitCode::missing, fmt::format("cannot start {}: {}", called, std::strerror(errno)));
  socket_ = ends[0];
  try {
    process_ = start_child(plan, {.output = STDERR_FILENO, .error = STDERR_FILENO, .socket = ends[1]}, called);
  } catch (...) {
    ::close(ends[1]);
    ::close(socket_);
    throw;
  }
  ::close(ends[1]);
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) (void)end_child(process_);
  ::close(socket_);
}

std::string ChildProcess::end() {
  if (process_ <= 0) return "has ended";
  const auto deadline = Clock::now() + patience_at_end;
  while (!has_ended(process_) && Clock::now() < deadline) usleep(1000);
  const int status = end_child(process_);
  process_ = -1;
  return description(status);
}

bool says_killed(std::string_view end) { return end.ends_with(description(SIGKILL)); }
bool says_out_of_cpu(std::string_view end) { return end.ends_with(description(SIGXCPU)); }

bool ChildProcess::send(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

ChildProcess::Answer ChildProcess::receive(std::chrono::milliseconds timeout,
                                           const std::function<bool()>& interrupted) {
  const auto deadline = Clock::now() + timeout;
  for (std::size_t searched = 0;;) {
    if (const auto at = received_.find('\n', searched); at != std::string::npos) {
      Answer answer{Outcome::answered, received_.substr(0, at)};
      received_.erase(0, at + 1);
      return answer;
    }
    searched = received_.size();
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return {Outcome::late, {}};
    pollfd waiting{socket_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(std::min<long>(left + 1, longest_poll_ms)));
    if (interrupted && interrupted()) return {Outcome::interrupted, {}};
    if (ready <= 0) continue;  // a signal, or time to look at the deadline
    std::array<char, 65536> chunk;
    const ssize_t length = recv(socket_, chunk.data(), chunk.size(), 0);
    if (length <= 0) return {Outcome::ended, {}};
    received_.append(chunk.data(), static_cast<std::size_t>(length));
  }
}

ChildProcess::Answer ChildProcess::ask(std::string_view line, std::chrono::milliseconds timeout,
                                       const std::function<bool()>& interrupted) {
  if (!send(std::string(line) + '\n')) return {Outcome::ended, {}};
  return receive(timeout, interrupted);
}

}  // namespace gpulab
