#include "common/child/child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/child/captured_run.h"
#include "common/child/private_folder.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

ChildPlan shell(const std::string& script) { return {.command = {"/bin/sh", "-c", script}}; }

/// A shell that sees the system's programs and `folder` alone.
ChildPlan confined(const std::string& script, const fs::path& folder) {
  auto plan = shell(script);
  plan.confinement = Confinement{{"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"}, {folder}};
  plan.environment = {"PATH=/usr/bin:/bin"};
  return plan;
}

bool has_landlock() { return isolation_support().landlock > 0; }

/// Waits for a process that is not ours to be gone.
bool gone(pid_t process) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    if (kill(process, 0) != 0) return true;
    usleep(10'000);
  }
  return false;
}

pid_t number_in(const fs::path& file) {
  for (int attempt = 0; attempt < 500; ++attempt) {
    std::ifstream stream(file);
    if (pid_t number = 0; stream >> number && stream.get() == '\n') return number;
    usleep(10'000);
  }
  return 0;
}

TEST_CASE("a child has none of our descriptors but those named") {
  const int ours = open("/etc/passwd", O_RDONLY);  // not closed on exec
  const auto run = run_captured(shell("ls /proc/self/fd"));
  close(ours);
  CHECK(run.output == "0\n1\n2\n3\n");  // 3: the folder that ls reads
}

TEST_CASE("a child's environment is the one given") {
  setenv("GPULAB_TEST_SECRET", "secret", 1);
  auto plan = shell("echo \"[$GPULAB_TEST_SECRET] [$NAMED]\"");
  plan.environment = {"NAMED=x"};
  CHECK(run_captured(plan).output == "[] [x]\n");
  unsetenv("GPULAB_TEST_SECRET");
}

TEST_CASE("what a child leaves running ends with it") {
  const PrivateFolder folder;
  const auto file = folder.path() / "pid";
  const auto run = run_captured(shell("sleep 1000 & echo $! > " + file.string() + "; exit 4"));
  CHECK(run.exit_code == 4);
  CHECK(gone(number_in(file)));
}

TEST_CASE("limits of time end a child and all that it started") {
  auto busy = shell("while :; do :; done");
  busy.limits.wall = milliseconds(200);
  CHECK(run_captured(busy).limit == CapturedRun::Limit::wall);
  busy.limits.wall = {};
  busy.limits.cpu = std::chrono::seconds(1);
  CHECK(run_captured(busy).exit_code == 128 + SIGXCPU);  // and not by SIGKILL, as where memory runs out
  auto idle = shell("read line < /dev/zero & sleep 1000");
  idle = shell("sleep 1000");
  idle.limits.idle = milliseconds(500);
  CHECK(run_captured(idle).limit == CapturedRun::Limit::idle);
}

TEST_CASE("limits of size are a child's own") {
  const PrivateFolder folder;
  auto writes = shell("head -c 3000000 /dev/zero > big; wc -c < big");
  writes.folder = folder.path();
  writes.limits.file_bytes = 1'000'000;
  CHECK(run_captured(writes).output.find("1000000\n") != std::string::npos);
  auto says = shell("head -c 3000000 /dev/zero");
  says.limits.output_bytes = 100'000;
  CHECK(run_captured(says).output.size() == 100'000);
  auto allocates = shell("head -c 400000000 /dev/zero | tail -c 300000000 | wc -c");
  allocates.limits.memory_bytes = 100'000'000;
  CHECK(run_captured(allocates).output.find("300000000") == std::string::npos);
}

TEST_CASE("a confined child reads and writes what it was given, and nothing else") {
  if (!has_landlock()) return;
  const PrivateFolder given, other;
  std::ofstream(other.path() / "secret") << "secret\n";
  const auto secret = (other.path() / "secret").string();
  const auto here = given.path().string();
  const auto says = [&](const std::string& script) { return run_captured(confined(script, given.path())).output; };
  CHECK(says("echo mine > " + here + "/x && cat " + here + "/x") == "mine\n");
  CHECK(says("cat " + secret + " 2>&1").find("Permission denied") != std::string::npos);
  CHECK(says("cat /etc/passwd 2>&1").find("Permission denied") != std::string::npos);
  CHECK(says("ln -s " + secret + " " + here + "/link; cat " + here + "/link 2>&1").find("Permission denied") !=
        std::string::npos);
  CHECK(says("cat /proc/$PPID/environ 2>&1").find("Permission denied") != std::string::npos);
  (void)says("echo changed > " + secret + "; rm -f " + secret + "; touch " + other.path().string() + "/new");
  std::ifstream kept(secret);
  std::string text;
  kept >> text;
  CHECK(text == "secret");
  CHECK_FALSE(fs::exists(other.path() / "new"));
}

TEST_CASE("a confined child cannot truncate, re-date or open to all what it may read") {
  const PrivateFolder given;
  const auto file = given.path() / "read";
  for (const char* version : {"7", "2", "1"}) {  // Debian 12's kernel has version 2
    setenv("GPULAB_LANDLOCK", version, 1);
    std::ofstream(file) << "text";
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    ChildPlan plan{.command = {"/usr/bin/python3", "-c",
                               "import os, sys\n"
                               "for attempt in (lambda: os.truncate(sys.argv[1], 0),\n"
                               "                lambda: os.open(sys.argv[1], os.O_RDONLY | os.O_TRUNC),\n"
                               "                lambda: os.chmod(sys.argv[1], 0o777),\n"
                               "                lambda: os.utime(sys.argv[1])):\n"
                               "  try: attempt()\n"
                               "  except OSError: print('refused')\n",
                               file.string()}};
    plan.confinement = Confinement{{"/usr", "/lib", "/lib64", "/etc/ld.so.cache", given.path()}, {}};
    if (has_landlock() && fs::exists(plan.command[0])) {
      CHECK(run_captured(plan).output == "refused\nrefused\nrefused\nrefused\n");
      CHECK(fs::file_size(file) == 4);
    }
    unsetenv("GPULAB_LANDLOCK");
  }
}

TEST_CASE("a confined child has no network, traces nobody and ends nobody else") {
  const PrivateFolder given;
  const pid_t victim = fork();
  if (victim == 0) {
    pause();
    _exit(0);
  }
  ChildPlan plan{.command = {"/usr/bin/python3", "-c",
                             "import ctypes, os, socket, sys\n"
                             "libc = ctypes.CDLL(None, use_errno=True)\n"
                             "def attempt(name, call):\n"
                             "  try: call()\n"
                             "  except OSError: print(name)\n"
                             "def system_call(*numbers):\n"
                             "  if libc.syscall(*numbers) < 0: raise OSError(ctypes.get_errno(), '')\n"
                             "attempt('inet', lambda: socket.socket())\n"
                             "attempt('unix', lambda: socket.socket(socket.AF_UNIX))\n"
                             "attempt('kill', lambda: os.kill(int(sys.argv[1]), 9))\n"
                             "attempt('ptrace', lambda: system_call(101, 16, int(sys.argv[1]), 0, 0))\n"
                             "attempt('io_uring', lambda: system_call(425, 1, 0))\n"
                             "attempt('setsid', lambda: system_call(112))\n"
                             "attempt('unshare', lambda: system_call(272, 0x10000000))\n",
                             std::to_string(victim)}};
  plan.confinement = Confinement{{"/usr", "/lib", "/lib64", "/etc/ld.so.cache"}, {given.path()}};
#if defined(__x86_64__)
  if (isolation_support().seccomp && fs::exists(plan.command[0]))
    CHECK(run_captured(plan).output == "inet\nunix\nkill\nptrace\nio_uring\nsetsid\nunshare\n");
#endif
  CHECK(waitpid(victim, nullptr, WNOHANG) == 0);
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
}

TEST_CASE("processes of a confined child are connected by pairs of sockets where they may, and by no other sockets") {
  ChildPlan plan{.command = {"/usr/bin/python3", "-c",
                             "import socket\n"
                             "def attempt(name, make, *arguments):\n"
                             "  try: make(*arguments)\n"
                             "  except OSError: print(name)\n"
                             "attempt('stream', socket.socketpair)\n"
                             "attempt('packets', socket.socketpair, socket.AF_UNIX, socket.SOCK_SEQPACKET)\n"
                             "attempt('datagrams', socket.socketpair, socket.AF_UNIX, socket.SOCK_DGRAM)\n"
                             "attempt('unix', socket.socket, socket.AF_UNIX)\n"}};
  plan.confinement = Confinement{{"/usr", "/lib", "/lib64", "/etc/ld.so.cache"}, {}};
  if (!isolation_support().seccomp || !fs::exists(plan.command[0])) return;
  CHECK(run_captured(plan).output == "stream\npackets\ndatagrams\nunix\n");
  plan.confinement->pairs = true;
  CHECK(run_captured(plan).output == "datagrams\nunix\n");
}

}  // namespace
}  // namespace gpulab
