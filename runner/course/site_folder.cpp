#include "runner/course/site_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

/// Lists the site's files, one a line: what may be replaced.
constexpr const char* list_name = ".gpulab-site";

[[noreturn]] void cannot_write(const std::string& folder, const std::string& why) {
  throw usage_error(fmt::format("--html: cannot write '{}': {}", folder, why), "name a folder that you can make");
}

fs::path whole(const std::string& folder) {
  auto path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text << std::flush;
  if (!stream) throw fs::filesystem_error("", path, std::make_error_code(std::errc::io_error));
}

/// A folder of ours beside `place`, removed where it is not put there.
class Beside {
 public:
  Beside(const fs::path& place, const char* purpose)
      : path_(place.parent_path() / fmt::format(".{}.{}-{}", place.filename().string(), purpose, getpid())) {}
  ~Beside() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

void check_site_folder(const std::string& folder) {
  if (folder.empty()) throw usage_error("--html: the folder's name is empty");
  const auto path = whole(folder);
  std::error_code error;
  const auto status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status))
    throw usage_error(fmt::format("--html: '{}' is no folder", visible(folder)),
                      "name one that is not there yet, or empty");
  std::set<std::string> known{list_name};
  std::ifstream list(path / list_name);
  for (std::string line; std::getline(list, line);) known.insert(line);
  for (const auto& entry : fs::directory_iterator(path, error)) {
    const auto name = entry.path().filename().string();
    if (known.count(name) == 0 || !entry.is_regular_file(error))
      throw usage_error(
          fmt::format("--html: '{}' holds '{}', which is no page of a site of ours", visible(folder), visible(name)),
          "name a folder that is not there yet, or empty");
  }
  if (error) cannot_write(visible(folder), error.message());
}

void write_site(const std::string& folder, const std::vector<SiteFile>& files) {
  check_site_folder(folder);
  const auto place = whole(folder);
  try {
    fs::create_directories(place.parent_path());
    const Beside fresh(place, "new"), old(place, "old");
    fs::create_directory(fresh.path());
    std::string list;
    for (const auto& file : files) {
      write_file(fresh.path() / file.name, file.text);
      list += file.name + '\n';
    }
    write_file(fresh.path() / list_name, list);
    if (fs::exists(place)) fs::rename(place, old.path());
    fs::rename(fresh.path(), place);
  } catch (const fs::filesystem_error& failure) {
    cannot_write(visible(folder), failure.code().message());
  }
}

}  // namespace gpulab
