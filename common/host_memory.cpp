#include "common/host_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace gpulab {
namespace {

std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;  // "max" is no number: no limit
}

std::optional<std::uint64_t> system_memory() {
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  while (file >> name >> kib) {
    if (name == "MemAvailable:") return kib * 1024;
    file.ignore(64, '\n');
  }
  return std::nullopt;
}

/// Control groups, version 2. What they count includes page cache that would give way: inactive_file is added back.
std::optional<std::uint64_t> control_group_memory() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return std::nullopt;
  std::uint64_t cache = 0, value = 0;
  std::ifstream file("/sys/fs/cgroup/memory.stat");
  for (std::string name; file >> name >> value;) {
    if (name == "inactive_file") cache = value;
  }
  const std::uint64_t held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

}  // namespace

std::optional<std::uint64_t> available_host_memory() {
  const auto system = system_memory(), group = control_group_memory();
  if (system && group) return std::min(*system, *group);
  return system ? system : group;
}

}  // namespace gpulab
