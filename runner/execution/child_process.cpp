#include "runner/execution/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "common/error.h"

extern char** environ;

namespace gpulab {
namespace {

/// A signal that comes between two calls of poll() wakes neither of them, so no call waits longer than this.
constexpr long longest_poll_ms = 200;

using Clock = std::chrono::steady_clock;

/// A child that has closed its socket is given this time to exit, and is then killed.
constexpr std::chrono::milliseconds patience_at_end{500};

Error cannot_start(const std::string& program, int error) {
  return {ExitCode::missing, fmt::format("cannot start a worker process: {}", std::strerror(error)), program};
}

/// Descriptors and signals of the child; what posix_spawn needs.
class SpawnPlan {
 public:
  explicit SpawnPlan(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, ChildProcess::socket_in_child);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_init(&attributes_);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  /// 0 or an errno.
  int start(const std::vector<std::string>& command, pid_t& process) const {
    std::vector<char*> arguments;
    for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawn(&process, arguments[0], &actions_, &attributes_, arguments.data(), environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::string description(int status) {
  if (WIFEXITED(status)) return fmt::format("exited with code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  const char* name = sigabbrev_np(signal);
  return fmt::format("was killed by SIG{} ({})", name != nullptr ? name : std::to_string(signal), strsignal(signal));
}

/// Waits for the end at most `patience`; true if it came.
bool reaped(pid_t process, std::chrono::milliseconds patience, int& status) {
  const auto deadline = Clock::now() + patience;
  while (waitpid(process, &status, WNOHANG) != process) {
    if (Clock::now() >= deadline) return false;
    usleep(1000);
  }
  return true;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) throw cannot_start(command.at(0), errno);
  socket_ = ends[0];
  const int error = SpawnPlan(ends[1]).start(command, process_);
  ::close(ends[1]);
  if (error != 0) {
    ::close(socket_);
    throw cannot_start(command.at(0), error);
  }
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) kill(process_, SIGKILL);
  end();
  ::close(socket_);
}

std::string ChildProcess::end() {
  if (process_ <= 0) return "has ended";
  int status = 0;
  if (!reaped(process_, patience_at_end, status)) {
    kill(process_, SIGKILL);
    waitpid(process_, &status, 0);
  }
  process_ = -1;
  return description(status);
}

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
