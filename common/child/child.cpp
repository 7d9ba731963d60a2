#include "common/child/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>

#include "common/child/housekeeper.h"
#include "common/error.h"

extern char** environ;

namespace gpulab {
namespace {

/// Behind those that a child is given.
constexpr int first_own_descriptor = 16;

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  return all;
}

/// All that the child needs, made before the fork: behind it other threads are gone, perhaps with malloc's lock.
struct Launch {
  std::vector<char*> arguments, environment;
  const char* folder = nullptr;
  ChildLimits limits;
  const PreparedConfinement* confinement = nullptr;
  ChildDescriptors descriptors;
  int nothing = -1, failure = -1, housekeeper = -1;
  pid_t parent = 0;
};

/// A copy that stands in the way of none of the numbers 0 to 3.
int moved(int descriptor) { return descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, first_own_descriptor); }

void limit(__rlimit_resource what, std::uint64_t value) {
  rlimit wanted{};
  if (value == 0 || getrlimit(what, &wanted) != 0) return;
  // A second beyond the first limit of CPU time comes SIGKILL. At the first it is SIGXCPU, which says what it was:
  // SIGKILL is also what Linux sends where memory runs out.
  const rlim_t last = what == RLIMIT_CPU ? value + 1 : value;
  wanted.rlim_max = std::min<rlim_t>(last, wanted.rlim_max);
  wanted.rlim_cur = std::min<rlim_t>(value, wanted.rlim_max);
  setrlimit(what, &wanted);
}

void set_limits(const ChildLimits& limits) {
  limit(RLIMIT_CPU, static_cast<std::uint64_t>(limits.cpu.count()));
  limit(RLIMIT_AS, limits.memory_bytes);
  limit(RLIMIT_DATA, limits.data_bytes);
  limit(RLIMIT_FSIZE, limits.file_bytes);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

void announce_group(int housekeeper) {
  std::array<char, 16> text{'G'};
  int digits = 0;
  for (pid_t rest = getpid(); rest > 0; rest /= 10) ++digits;
  int at = digits;
  for (pid_t rest = getpid(); rest > 0; rest /= 10)
    text[static_cast<std::size_t>(at--)] = static_cast<char>('0' + rest % 10);
  if (housekeeper >= 0) (void)send(housekeeper, text.data(), static_cast<std::size_t>(digits) + 1, MSG_NOSIGNAL);
}

void place(int descriptor, int as) {
  if (descriptor >= 0) dup2(descriptor, as);
}

void close_all_from(int first) {
  if (syscall(SYS_close_range, first, ~0U, 0) == 0) return;
  for (int descriptor = first; descriptor < 4096; ++descriptor) close(descriptor);
}

/// A descriptor over a socket, with no bytes that matter (unix(7), SCM_RIGHTS).
struct DescriptorMessage {
  std::array<char, CMSG_SPACE(sizeof(int))> control alignas(cmsghdr){};
  int word = 0;
  iovec part{&word, sizeof word};
  msghdr header{nullptr, 0, &part, 1, control.data(), control.size(), 0};
};

void send_descriptor(int socket, int descriptor) {
  DescriptorMessage message;
  cmsghdr* const rights = CMSG_FIRSTHDR(&message.header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
  (void)sendmsg(socket, &message.header, MSG_NOSIGNAL);
  close(descriptor);
}

/// In the child, where only system calls are safe. `report` goes to us. Returns what failed, or 0 where a copy goes on.
int become(const Launch& launch, int report) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launch.parent) _exit(127);
  reset_signals();
  announce_group(launch.housekeeper);
  const auto& given = launch.descriptors;
  const int input = moved(given.input), output = moved(given.output), error = moved(given.error);
  const int socket = moved(given.socket);
  place(input >= 0 ? input : launch.nothing, STDIN_FILENO);
  place(output >= 0 ? output : launch.nothing, STDOUT_FILENO);
  place(error >= 0 ? error : launch.nothing, STDERR_FILENO);
  place(socket, STDERR_FILENO + 1);
  const int first = socket >= 0 ? STDERR_FILENO + 2 : STDERR_FILENO + 1;
  constexpr unsigned close_on_exec = 4;
  if (syscall(SYS_close_range, first, ~0U, close_on_exec) != 0)
    for (int descriptor = first; descriptor < 4096; ++descriptor) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  if (launch.folder != nullptr && chdir(launch.folder) != 0) return errno;
  set_limits(launch.limits);
  if (launch.confinement != nullptr) {
    int gate = -1;
    if (const int refused = launch.confinement->enter(launch.confinement->ruleset(), gate); refused != 0)
      return refused;
    if (gate >= 0) send_descriptor(report, gate);
  }
  if (launch.arguments.size() == 1) return close_all_from(first), 0;
  execve(launch.arguments[0], launch.arguments.data(), launch.environment.data());
  return errno;
}

/// 0 where the child has become the program, else why not. `gate` takes what it may have sent before, by a socket.
int failure_of(int descriptor, bool is_socket, int& gate) {
  for (;;) {
    DescriptorMessage message;
    const ssize_t length = is_socket ? recvmsg(descriptor, &message.header, MSG_CMSG_CLOEXEC)
                                     : read(descriptor, &message.word, sizeof message.word);
    if (length < 0 && errno == EINTR) continue;
    if (length != sizeof message.word) return 0;
    const cmsghdr* const rights = is_socket ? CMSG_FIRSTHDR(&message.header) : nullptr;
    if (rights == nullptr) return message.word;
    std::memcpy(&gate, CMSG_DATA(rights), sizeof gate);
  }
}

}  // namespace

pid_t start_child(const ChildPlan& plan, const ChildDescriptors& descriptors, const std::string& called, int* gate) {
  const auto cannot_start = [&](int error) {
    return Error(ExitCode::missing, fmt::format("cannot start {}: {}", called, std::strerror(error)),
                 plan.body || called == plan.command.at(0) ? "" : plan.command[0]);
  };
  std::array<int, 2> failed{};
  // Where we are confined ourselves there are no sockets: then it asks nobody.
  const bool asks =
      gate != nullptr && plan.confinement && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, failed.data()) == 0;
  if (!asks && pipe2(failed.data(), O_CLOEXEC) != 0) throw cannot_start(errno);
  std::unique_ptr<PreparedConfinement> confinement;
  if (plan.confinement) confinement = std::make_unique<PreparedConfinement>(*plan.confinement, asks);
  Launch launch{.arguments = plan.body ? std::vector<char*>{nullptr} : pointers(plan.command),
                .environment = {},
                .limits = plan.limits,
                .descriptors = descriptors};
  if (plan.environment)
    launch.environment = pointers(*plan.environment);
  else
    for (char** name = environ;; ++name) {
      launch.environment.push_back(*name);
      if (*name == nullptr) break;
    }
  if (!plan.folder.empty()) launch.folder = plan.folder.c_str();
  launch.confinement = confinement.get();
  // A copy of us starts nothing, and ends with us by itself (PR_SET_PDEATHSIG).
  if (!plan.body) launch.housekeeper = Housekeeper::instance().socket();
  launch.parent = getpid();
  launch.nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  // No handler of ours runs in the child.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = fork();
  if (child == 0) {
    const int report = moved(failed[1]);
    const int error = become(launch, report);
    if (error == 0) _exit(plan.body());
    (void)!write(report, &error, sizeof error);
    _exit(127);
  }
  const int fork_error = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(failed[1]);
  close(launch.nothing);
  int listener = -1;
  const int error = child < 0 ? fork_error : failure_of(failed[0], asks, listener);
  close(failed[0]);
  if (gate != nullptr) *gate = error == 0 ? listener : -1;
  if (error != 0 && listener >= 0) close(listener);
  if (child < 0) throw cannot_start(error);
  if (error != 0) {
    (void)end_child(child);
    throw cannot_start(error);
  }
  return child;
}

bool is_single_threaded() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed);
  return !failed && std::distance(threads, {}) == 1;
}

bool has_ended(pid_t leader) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

int end_child(pid_t leader) {
  // The group's number is not given anew before its leader is waited for.
  kill(-leader, SIGKILL);
  kill(leader, SIGKILL);
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  kill(-leader, SIGKILL);
  if (Housekeeper::is_there()) Housekeeper::instance().forget_group(leader);
  int status = 0;
  while (waitpid(leader, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace gpulab
