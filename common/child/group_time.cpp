#include "common/child/group_time.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace gpulab {

namespace fs = std::filesystem;

/// proc(5): behind the name in parentheses come state, parent, group; the times are fields 14 to 17.
std::uint64_t group_cpu_time(pid_t group) {
  std::uint64_t ticks = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto name = entry.path().filename().string();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    const auto close = text.rfind(')');
    if (close == std::string::npos) continue;
    std::istringstream fields(text.substr(close + 1));
    std::string state, skipped;
    pid_t parent = 0, own_group = 0;
    fields >> state >> parent >> own_group;
    if (own_group != group) continue;
    for (int field = 6; field < 14; ++field) fields >> skipped;
    for (int field = 14; field <= 17; ++field) {
      std::uint64_t time = 0;
      fields >> time;
      ticks += time;
    }
  }
  return ticks;
}

}  // namespace gpulab
