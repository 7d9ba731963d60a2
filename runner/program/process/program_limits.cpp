#include "runner/program/process/program_limits.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>

#include "common/host_memory.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// A process may be gone between two of these: then it has nothing.
std::uint64_t resident_bytes(const fs::path& process) {
  std::uint64_t pages = 0, resident = 0;
  std::ifstream(process / "statm") >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t written_bytes(const fs::path& process) {
  std::ifstream file(process / "io");
  std::string name;
  std::uint64_t value = 0;
  while (file >> name >> value)
    if (name == "wchar:") return value;
  return 0;
}

struct Status {
  pid_t group = 0;
  std::size_t threads = 0;
};

/// "PID (NAME) STATE PARENT GROUP …", by proc(5): the name may hold anything.
Status status_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const auto behind = line.rfind(')');
  if (behind == std::string::npos) return {};
  const auto words = split(line.substr(behind + 1), ' ');
  constexpr std::size_t group = 3, threads = 18;  // the first word is empty
  if (words.size() <= threads) return {};
  return {static_cast<pid_t>(parse_integer(words[group]).value_or(0)),
          static_cast<std::size_t>(parse_integer(words[threads]).value_or(0))};
}

std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30, mib = std::uint64_t{1} << 20;
  if (bytes >= gib) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib));
  return fmt::format("{} MiB", bytes / mib);
}

}  // namespace

LimitsWatch::LimitsWatch(pid_t leader, const ProgramLimits& limits, int gate)
    : leader_(leader),
      limits_(limits),
      memory_was_given_(limits.host_memory != 0),
      gate_(gate),
      next_(Clock::now() + std::chrono::milliseconds(200)) {}

LimitsWatch::Taken LimitsWatch::look() const {
  Taken taken;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    if (!parse_integer(entry.path().filename().string())) continue;
    const auto status = status_of(entry.path());
    if (status.group != leader_) continue;
    ++taken.processes;
    taken.threads += status.threads;
    taken.memory += resident_bytes(entry.path());
    taken.written += written_bytes(entry.path());
  }
  return taken;
}

bool LimitsWatch::may_start() {
  // All who were started since the last look may be there still; a look where that is too many tells.
  const auto full = [&] {
    refused_processes_ = taken_.processes + started_ >= limits_.processes;
    refused_threads_ = taken_.threads + started_ >= limits_.threads;
    return refused_processes_ || refused_threads_;
  };
  if (full()) {
    taken_ = look();
    started_ = 0;
    if (full()) return false;
  }
  ++started_;
  return true;
}

std::string LimitsWatch::met() {
  gate_.answer([&] { return may_start(); });
  const auto over = [](std::string_view what, const std::string& most, std::string_view remedy) {
    return fmt::format("the program was ended: it {} {}{}", what, most, remedy);
  };
  const auto had = [&](std::size_t most, std::string_view of_what) {
    return over("had more than", std::to_string(most), of_what);
  };
  if (refused_processes_) return had(limits_.processes, " processes at once");
  if (refused_threads_) return had(limits_.threads, " threads at once");
  if (Clock::now() < next_) return {};
  const auto began = Clock::now();
  if (limits_.host_memory == 0) {  // now, and not for programs that have ended long ago
    const auto left = available_host_memory();
    limits_.host_memory = left ? *left / 10 * 9 : std::numeric_limits<std::uint64_t>::max();
  }
  taken_ = look();
  started_ = 0;
  // To look takes some milliseconds where many processes are: a hundredth of the time at most.
  next_ = Clock::now() + std::max<Clock::duration>((Clock::now() - began) * 100, std::chrono::milliseconds(200));
  if (taken_.memory > limits_.host_memory)
    return over("took more of this machine's memory than", amount(limits_.host_memory),
                !limits_.names_options ? ""
                : memory_was_given_    ? ", which --host-memory allows"
                                       : ", nine tenths of what was left; --host-memory SIZE allows more, or less");
  if (taken_.written > limits_.written_bytes) return over("wrote more than", amount(limits_.written_bytes), "");
  if (taken_.processes > limits_.processes) return had(limits_.processes, " processes at once");
  if (taken_.threads > limits_.threads) return had(limits_.threads, " threads at once");
  return {};
}

}  // namespace gpulab
