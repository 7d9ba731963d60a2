#include "common/child/housekeeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <set>

namespace gpulab {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> asked_for{false};

/// Nothing of ours stays open: whoever reads what we print waits until the last one has closed it.
void close_all_but(int kept) {
  dup2(kept, STDERR_FILENO + 1);
  if (syscall(SYS_close_range, STDERR_FILENO + 2, ~0U, 0) != 0)
    for (int descriptor = STDERR_FILENO + 2; descriptor < 4096; ++descriptor) close(descriptor);
  const int nothing = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    close(descriptor);
    if (nothing >= 0) dup2(nothing, descriptor);
  }
}

/// Processes that were just killed may still be writing.
void remove_patiently(const std::string& path) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::error_code failed;
    fs::remove_all(path, failed);
    if (!failed && !fs::exists(fs::symlink_status(path, failed))) return;
    usleep(10'000);
  }
}

[[noreturn]] void keep_house(int socket) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, nullptr);
  setsid();  // neither Ctrl-C nor a kill of our owner's group reaches us
  prctl(PR_SET_NAME, "gpulab-keeper", 0, 0, 0);
  close_all_but(socket);
  if (chdir("/") != 0) _exit(1);
  std::set<std::string> paths;
  std::set<int> groups;
  std::array<char, 8192> text;
  for (;;) {
    const ssize_t length = recv(STDERR_FILENO + 1, text.data(), text.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) break;
    const std::string of(text.data() + 1, static_cast<std::size_t>(length) - 1);
    switch (text[0]) {
      case 'F':
        paths.insert(of);
        break;
      case 'f':
        paths.erase(of);
        break;
      case 'G':
        groups.insert(std::atoi(of.c_str()));
        break;
      case 'g':
        groups.erase(std::atoi(of.c_str()));
        break;
      default:
        break;
    }
  }
  for (const int group : groups)
    if (group > 1) kill(-group, SIGKILL);
  for (const auto& path : paths) remove_patiently(path);
  _exit(0);
}

}  // namespace

Housekeeper& Housekeeper::instance() {
  static Housekeeper housekeeper;
  asked_for = true;
  return housekeeper;
}

bool Housekeeper::is_there() { return asked_for; }

Housekeeper::Housekeeper() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
  const int process = fork();
  if (process == 0) keep_house(ends[1]);
  close(ends[1]);
  if (process < 0)
    close(ends[0]);
  else
    socket_ = ends[0];
}

void Housekeeper::say(char what, std::string_view of) const {
  if (socket_ >= 0) (void)send(socket_, (what + std::string(of)).data(), of.size() + 1, MSG_NOSIGNAL);
}

void Housekeeper::forget_group(int group) const { say('g', std::to_string(group)); }

}  // namespace gpulab
