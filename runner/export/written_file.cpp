#include "runner/export/written_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t most_bytes = std::uintmax_t{16} << 20;

[[noreturn]] void refuse(const std::string& option, const char* act, const std::string& path, const std::string& why) {
  throw usage_error(fmt::format("{}: cannot {} '{}': {}", option, act, visible(path), why));
}

/// 0, or the errno of the failure.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(descriptor) == 0 ? 0 : errno;
}

/// What a file of ours may be read and written by: as for any other that the user makes.
mode_t usual_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

std::string read_whole(const std::string& path, const std::string& option) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) refuse(option, "read", path, "there is no such file");
  if (!fs::is_regular_file(status)) refuse(option, "read", path, "it is no regular file");
  if (fs::file_size(path, error) > most_bytes) refuse(option, "read", path, "it has more than 16 MiB");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(option, "read", path, std::strerror(errno));
  return rest_of(file);
}

void write_whole(const std::string& path, const std::string& text, const std::string& option) {
  const auto folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  if (error) refuse(option, "make the folder of", path, error.message());
  if (fs::is_directory(path, error)) refuse(option, "write", path, "it is a folder");
  auto beside = (folder.empty() ? fs::path(".") : folder).string() + "/.gpulab-XXXXXX";
  const int descriptor = mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) refuse(option, "write", path, std::strerror(errno));
  int failure = fchmod(descriptor, usual_mode()) == 0 ? 0 : errno;
  if (failure == 0) failure = write_all(descriptor, text);
  close(descriptor);
  if (failure == 0 && rename(beside.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return;
  unlink(beside.c_str());
  refuse(option, "write", path, std::strerror(failure));
}

void remove_stale(const std::string& path, const std::string& option) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error))) return;
  if (unlink(path.c_str()) != 0) refuse(option, "remove", path, std::strerror(errno));
}

}  // namespace gpulab
