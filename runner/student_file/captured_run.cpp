#include "runner/student_file/captured_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "common/error.h"

extern char** environ;

namespace gpulab {
namespace {

/// Both ends are closed at the end, whatever happened.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() = default;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
};

Error cannot_start(const std::string& program, int error) {
  return {ExitCode::missing, fmt::format("cannot start {}: {}", program, std::strerror(error))};
}

/// 0 or an errno.
int start(const std::vector<std::string>& command, int output, pid_t& process) {
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const int error = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

CapturedRun run_captured(const std::vector<std::string>& command) {
  Pipe pipe;
  if (pipe2(pipe.ends.data(), O_CLOEXEC) != 0) throw cannot_start(command.at(0), errno);
  pid_t process = -1;
  if (const int error = start(command, pipe.ends[1], process); error != 0) throw cannot_start(command[0], error);
  pipe.close_end(1);
  CapturedRun run;
  std::array<char, 65536> chunk;
  for (;;) {
    const ssize_t length = read(pipe.ends[0], chunk.data(), chunk.size());
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    run.output.append(chunk.data(), static_cast<std::size_t>(length));
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

}  // namespace gpulab
