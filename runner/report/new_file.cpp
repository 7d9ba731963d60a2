#include "runner/report/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/error.h"

namespace gpulab {

void write_new(const std::filesystem::path& file, const std::string& text, const std::string& command) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST)
    throw usage_error(fmt::format("{}: {} exists", command, file.string()),
                      "name another folder, or move it away first");
  const bool written =
      descriptor >= 0 && ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int failure = errno;
  if (descriptor >= 0) close(descriptor);
  if (!written)
    throw usage_error(fmt::format("{}: cannot write {}: {}", command, file.string(), std::strerror(failure)));
}

void make_folder(const std::filesystem::path& folder, const std::string& command) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw usage_error(fmt::format("{}: cannot make {}: {}", command, folder.string(), failed.message()));
}

}  // namespace gpulab
