#include "common/host_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// The files of one version of control groups (Linux: admin-guide/cgroup-v1/memory, admin-guide/cgroup-v2).
struct Interface {
  const char *mounted_as, *limit, *used, *cache;
};
constexpr Interface version_1{"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Interface version_2{"cgroup2", "memory.max", "memory.current", "inactive_file"};

/// A control group that this process is in, directly or by its parent.
struct Group {
  const Interface* files;
  fs::path folder;
};

std::optional<std::uint64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? std::optional(value) : std::nullopt;  // "max" is no number: no limit
}

/// The number behind `name` in a file of lines "name number …".
std::optional<std::uint64_t> entry_in(const fs::path& path, std::string_view name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    std::uint64_t value = 0;
    if (words >> word >> value && word == name) return value;
  }
  return std::nullopt;
}

/// The path of this process's group in the hierarchy that counts memory, from /proc/self/cgroup: lines such as
/// "0::/user.slice" (version 2) and "4:cpu,memory:/user.slice" (version 1).
std::optional<std::string> group_path(const fs::path& root, const Interface& files) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const auto names = split(controllers, ',');
    const bool counts_memory = &files == &version_2 ? line.substr(0, first) == "0" && controllers.empty()
                                                    : std::find(names.begin(), names.end(), "memory") != names.end();
    if (counts_memory) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Where a hierarchy is mounted, and which of its groups is seen there: a container often sees its own alone.
struct Mount {
  fs::path folder;
  std::string top;
};

/// From /proc/self/mountinfo: "36 35 0:32 TOP FOLDER options … - TYPE source options".
std::optional<Mount> mount_of(const fs::path& root, const Interface& files) {
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line), behind(line.substr(dash + 3));
    std::string word, top, folder, type, source, options;
    before >> word >> word >> word >> top >> folder;
    behind >> type >> source >> options;
    if (type != files.mounted_as) continue;
    const auto mounted = split(options, ',');
    if (&files == &version_1 && std::find(mounted.begin(), mounted.end(), "memory") == mounted.end()) continue;
    return Mount{root / fs::path(folder).relative_path(), top};
  }
  return std::nullopt;
}

/// The process's own group and those around it: a limit of any of them binds.
void add_groups(const fs::path& root, const Interface& files, std::vector<Group>& groups) {
  const auto path = group_path(root, files);
  const auto mount = mount_of(root, files);
  if (!path || !mount) return;
  const bool below_top = mount->top == "/" || *path == mount->top || path->starts_with(mount->top + '/');
  const std::string below = !below_top || path->find("/..") != std::string::npos ? ""
                            : mount->top == "/"                                  ? *path
                                                                                 : path->substr(mount->top.size());
  for (fs::path group = fs::path(below).relative_path();; group = group.parent_path()) {
    groups.push_back({&files, mount->folder / group});
    if (group.empty()) return;
  }
}

std::vector<Group> groups_of_process(const fs::path& root) {
  std::vector<Group> groups;
  add_groups(root, version_1, groups);
  add_groups(root, version_2, groups);
  return groups;
}

/// What a group's limit leaves. The memory that it counts as used includes cached files, which would give way.
std::optional<std::uint64_t> left_by(const Group& group) {
  const auto limit = number_in(group.folder / group.files->limit), used = number_in(group.folder / group.files->used);
  if (!limit || !used) return std::nullopt;
  const std::uint64_t cache = entry_in(group.folder / "memory.stat", group.files->cache).value_or(0);
  const std::uint64_t held = *used - std::min(*used, cache);
  return *limit - std::min(*limit, held);
}

std::optional<std::uint64_t> available(const fs::path& root, const std::vector<Group>& groups) {
  std::optional<std::uint64_t> least;
  const auto bound = [&](std::optional<std::uint64_t> bytes) {
    if (bytes) least = std::min(*bytes, least.value_or(*bytes));
  };
  if (const auto kib = entry_in(root / "proc/meminfo", "MemAvailable:")) bound(*kib * 1024);
  for (const auto& group : groups) bound(left_by(group));
  return least;
}

}  // namespace

std::optional<std::uint64_t> available_host_memory() {
  static const auto groups = groups_of_process("/");  // a process hardly ever changes its group; limits may change
  return available("/", groups);
}

std::optional<std::uint64_t> memory_short_of(double bytes) {
  constexpr double few_bytes = 1 << 20;
  if (bytes < few_bytes) return std::nullopt;
  const auto available = available_host_memory();
  return available && bytes > static_cast<double>(*available) ? available : std::nullopt;
}

std::optional<std::uint64_t> available_host_memory(const fs::path& root) {
  return available(root, groups_of_process(root));
}

}  // namespace gpulab
