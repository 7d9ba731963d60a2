#include "common/child/group_time.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace gpulab {

namespace fs = std::filesystem;

namespace {

/// proc(5): behind the name in parentheses come state, parent, group; the times are fields 14 to 17.
struct Stat {
  char state = '?';
  pid_t group = 0;
  std::uint64_t ticks = 0;
};

Stat stat_of(const fs::path& folder) {
  Stat stat;
  std::ifstream file(folder / "stat");
  std::string text;
  std::getline(file, text);
  const auto close = text.rfind(')');
  if (close == std::string::npos) return stat;
  std::istringstream fields(text.substr(close + 1));
  std::string skipped;
  pid_t parent = 0;
  fields >> stat.state >> parent >> stat.group;
  for (int field = 6; field < 14; ++field) fields >> skipped;
  for (int field = 14; field <= 17; ++field) {
    std::uint64_t time = 0;
    fields >> time;
    stat.ticks += time;
  }
  return stat;
}

/// Folders whose names are numbers: processes below /proc, threads below a process' task.
std::vector<fs::path> numbered(const fs::path& folder) {
  std::vector<fs::path> all;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const auto name = at->path().filename().string();
    if (std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      all.push_back(at->path());
  }
  return all;
}

}  // namespace

std::uint64_t group_cpu_time(pid_t group) {
  std::uint64_t ticks = 0;
  for (const auto& process : numbered("/proc"))
    if (const auto stat = stat_of(process); stat.group == group) ticks += stat.ticks;
  return ticks;
}

bool group_is_ready(pid_t group) {
  for (const auto& process : numbered("/proc")) {
    if (stat_of(process).group != group) continue;
    for (const auto& thread : numbered(process / "task"))
      if (const char state = stat_of(thread).state; state == 'R' || state == 'D') return true;
  }
  return false;
}

std::chrono::milliseconds IdleTime::look() {
  const auto now = std::chrono::steady_clock::now();
  const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(now - looked_);
  looked_ = now;
  const auto ticks = group_cpu_time(group_);
  const bool works = ticks != ticks_ || group_is_ready(group_);
  ticks_ = ticks;
  idle_ = works ? std::chrono::milliseconds(0) : idle_ + std::min(passed, most_);
  return idle_;
}

}  // namespace gpulab
