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

/// "PID (NAME) STATE PARENT GROUP …": the name may hold anything.
pid_t group_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const auto behind = line.rfind(')');
  if (behind == std::string::npos) return 0;
  const auto words = split(line.substr(behind + 1), ' ');
  constexpr std::size_t group = 3;  // the first word is empty
  return words.size() > group ? static_cast<pid_t>(parse_integer(words[group]).value_or(0)) : 0;
}

std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30, mib = std::uint64_t{1} << 20;
  if (bytes >= gib) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / static_cast<double>(gib));
  return fmt::format("{} MiB", bytes / mib);
}

}  // namespace

LimitsWatch::LimitsWatch(pid_t leader, const ProgramLimits& limits)
    : leader_(leader),
      limits_(limits),
      memory_was_given_(limits.host_memory != 0),
      next_(Clock::now() + std::chrono::milliseconds(200)) {}

std::string LimitsWatch::met() {
  if (Clock::now() < next_) return {};
  const auto began = Clock::now();
  if (limits_.host_memory == 0) {  // now, and not for programs that have ended long ago
    const auto left = available_host_memory();
    limits_.host_memory = left ? *left / 10 * 9 : std::numeric_limits<std::uint64_t>::max();
  }
  std::uint64_t memory = 0, written = 0;
  std::size_t processes = 0;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    const auto number = parse_integer(entry.path().filename().string());
    if (!number || group_of(entry.path()) != leader_) continue;
    ++processes;
    memory += resident_bytes(entry.path());
    written += written_bytes(entry.path());
  }
  // To look takes some milliseconds where many processes are: a hundredth of the time at most.
  next_ = Clock::now() + std::max<Clock::duration>((Clock::now() - began) * 100, std::chrono::milliseconds(200));
  const auto over = [](std::string_view what, const std::string& most, std::string_view remedy) {
    return fmt::format("the program was ended: it {} {}{}", what, most, remedy);
  };
  if (memory > limits_.host_memory)
    return over("took more of this machine's memory than", amount(limits_.host_memory),
                !limits_.names_options ? ""
                : memory_was_given_    ? ", which --host-memory allows"
                                       : ", nine tenths of what was left; --host-memory SIZE allows more, or less");
  if (written > limits_.written_bytes) return over("wrote more than", amount(limits_.written_bytes), "");
  if (processes > limits_.processes)
    return over("had more than", std::to_string(limits_.processes), " processes at once");
  return {};
}

}  // namespace gpulab
