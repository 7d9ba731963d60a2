#include "runner/student_file/compilers/isolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "common/error.h"
#include "runner/student_file/toolchain.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// What each program of a compiler may use. A thrust::sort takes 600 MB.
constexpr std::uint64_t most_memory = std::uint64_t{1} << 30, most_in_a_file = std::uint64_t{128} << 20,
                        most_said = std::uint64_t{1} << 20;
constexpr std::chrono::milliseconds longest_idle{6'000};

/// A folder that holds more than a toolkit.
bool is_common(const fs::path& folder) {
  const char* home = std::getenv("HOME");
  return folder == "/" || folder == "/usr" || folder == "/usr/local" || folder == "/opt" || folder == "/home" ||
         folder == "/tmp" || (home != nullptr && folder == fs::path(home));
}

void add_root_of(const fs::path& program, std::vector<std::string>& folders) {
  std::error_code failed;
  const auto file = fs::canonical(program, failed);
  if (failed) return;
  const auto root = file.parent_path().parent_path();
  folders.push_back(is_common(root) ? file.parent_path().string() : root.string());
}

/// A wrapper (Debian's nvcc, a compiler cache) runs a program of a toolkit that is elsewhere.
void add_wrapped(const std::string& tool, std::vector<std::string>& folders) {
  if (!is_script(tool)) return;
  const fs::path root = toolkit_of(tool);
  if (!is_common(root)) folders.push_back(root.string());
}

/// The host's compiler, where it is not the system's own.
void add_host_compiler(std::vector<std::string>& folders) {
  if (const char* named = std::getenv("NVCC_CCBIN"); named != nullptr && *named == '/') add_root_of(named, folders);
  if (const auto gcc = find_in_path("gcc")) add_root_of(*gcc, folders);
}

}  // namespace

std::vector<std::string> toolchain_folders(const std::string& tool) {
  auto folders = system_programs();
  add_root_of(tool, folders);
  add_wrapped(tool, folders);
  add_host_compiler(folders);
  return folders;
}

ChildPlan compiler_plan(const Isolation& isolation, std::vector<std::string> command, const std::string& tool,
                        const fs::path& folder, std::vector<std::string> readable) {
  ChildPlan plan{.command = std::move(command)};
  plan.folder = folder;
  plan.environment = {"LC_ALL=C", "HOME=" + folder.string(), "TMPDIR=" + folder.string()};
  for (const char* name : {"PATH", "NVCC_CCBIN"}) {
    if (const char* value = std::getenv(name)) plan.environment->push_back(fmt::format("{}={}", name, value));
  }
  plan.limits = {.cpu = isolation.cpu,
                 .wall = std::max<std::chrono::milliseconds>(20 * isolation.cpu, std::chrono::minutes(5)),
                 .idle = longest_idle,
                 .memory_bytes = most_memory,
                 .file_bytes = most_in_a_file,
                 .output_bytes = most_said};
  if (!isolation.on) return plan;
  plan.confinement.emplace();
  plan.confinement->readable = toolchain_folders(tool);
  auto& all = plan.confinement->readable;
  all.insert(all.end(), std::make_move_iterator(readable.begin()), std::make_move_iterator(readable.end()));
  plan.confinement->writable = {folder};
  return plan;
}

void check_dependencies(const std::string& file, const std::vector<std::string>& read,
                        const std::vector<std::string>& allowed) {
  const auto below = [](const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  };
  for (const auto& name : read) {
    std::error_code failed;
    const auto path = fs::canonical(name, failed);
    const bool inside = !failed && std::any_of(allowed.begin(), allowed.end(), [&](const std::string& folder) {
      std::error_code missing;
      const auto real = fs::canonical(folder, missing);
      return !missing && below(path, real);
    });
    if (inside && fs::is_regular_file(path)) continue;
    throw usage_error(fmt::format("{} includes '{}', which is not below its own folder", file, name),
                      "-I FOLDER adds a folder; --no-isolation lets it read whatever you can");
  }
}

}  // namespace gpulab
