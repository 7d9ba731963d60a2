#include "common/child/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "common/error.h"

namespace gpulab {
namespace {

// The interface as of Linux 6.12, under names of our own: an older header may have been included.
constexpr long create_call = 444, add_call = 445, enter_call = 446;  // the same numbers on all architectures
constexpr unsigned ask_version = 1;
constexpr int below_path = 1;

constexpr std::uint64_t execute = 1 << 0, write_file = 1 << 1, read_file = 1 << 2, read_folder = 1 << 3;
constexpr std::uint64_t remove_and_make = 0x1ff0;  // bits 4 to 12: folders, files, sockets, devices, links
constexpr std::uint64_t refer = 1 << 13;           // version 2: links and renames between folders
constexpr std::uint64_t truncate_file = 1 << 14;   // version 3
constexpr std::uint64_t device_control = 1 << 15;  // version 5
constexpr std::uint64_t all_network = 3;           // version 4: bind and connect
constexpr std::uint64_t all_scopes = 3;            // version 6: abstract sockets, signals

struct RulesetAttributes {
  std::uint64_t files, network, scopes;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};

RulesetAttributes handled(int version) {
  RulesetAttributes all{execute | write_file | read_file | read_folder | remove_and_make, 0, 0};
  if (version >= 2) all.files |= refer;
  if (version >= 3) all.files |= truncate_file;
  if (version >= 4) all.network = all_network;
  if (version >= 5) all.files |= device_control;
  if (version >= 6) all.scopes = all_scopes;
  return all;
}

/// The kernel refuses bytes that it does not know, but for zeros.
std::size_t size_for(int version) { return version >= 6 ? 24 : version >= 4 ? 16 : 8; }

void allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (place < 0) return;
  struct stat status {};
  constexpr std::uint64_t of_files = execute | write_file | read_file | truncate_file | device_control;
  if (fstat(place, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= of_files;
  const PathRule rule{rights, place};
  (void)syscall(add_call, ruleset, below_path, &rule, 0);  // what is not allowed stays forbidden
  close(place);
}

}  // namespace

int landlock_version() {
  const long version = std::max(0L, syscall(create_call, nullptr, 0, ask_version));
  const char* at_most = std::getenv("GPULAB_LANDLOCK");
  return static_cast<int>(at_most == nullptr ? version : std::min(version, std::atol(at_most)));
}

int landlock_ruleset(const Confinement& confinement) {
  const int version = landlock_version();
  if (version == 0) return -1;
  const auto all = handled(version);
  const int ruleset = static_cast<int>(syscall(create_call, &all, size_for(version), 0));
  // Never unconfined where a confinement was asked for and can be had.
  if (ruleset < 0)
    throw Error(ExitCode::missing, fmt::format("no Landlock rules can be made: {}", std::strerror(errno)), {},
                "too many files may be open (ulimit -n); --no-isolation does without");
  fcntl(ruleset, F_SETFD, FD_CLOEXEC);
  for (const auto& path : confinement.readable) allow(ruleset, path, execute | read_file | read_folder);
  for (const auto& path : confinement.writable) allow(ruleset, path, all.files & ~execute);
  allow(ruleset, "/dev/null", (read_file | write_file | truncate_file) & all.files);
  return ruleset;
}

int landlock_enter(int ruleset) { return syscall(enter_call, ruleset, 0) == 0 ? 0 : errno; }

}  // namespace gpulab
