#include "common/cuda_api/runtime/processes/shared_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kHandleBytes = 64;  // of cudaIpcMemHandle_t and cudaIpcEventHandle_t
constexpr char kMagic[] = "gpulab-ipc";

}  // namespace

std::string shared_folder(const std::string& record) {
  const auto slash = record.rfind('/');
  return slash == std::string::npos ? "/dev/shm" : record.substr(0, slash);
}

std::string SharedName::file_in(const std::string& folder) const {
  return fmt::format("{}/{}-{}-{}", folder, kMagic, process, number);
}

void write_handle(void* handle, char kind, const SharedName& name) {
  char bytes[kHandleBytes] = {};
  std::memcpy(bytes, kMagic, sizeof kMagic);
  bytes[sizeof kMagic] = kind;
  std::memcpy(bytes + 16, &name.process, sizeof name.process);
  std::memcpy(bytes + 24, &name.number, sizeof name.number);
  std::memcpy(handle, bytes, sizeof bytes);
}

bool read_handle(const void* handle, char kind, SharedName& name) {
  const auto* const bytes = static_cast<const char*>(handle);
  if (std::memcmp(bytes, kMagic, sizeof kMagic) != 0 || bytes[sizeof kMagic] != kind) return false;
  std::memcpy(&name.process, bytes + 16, sizeof name.process);
  std::memcpy(&name.number, bytes + 24, sizeof name.number);
  return true;
}

bool is_copy_of_process(bool copied) {
  static bool so = false;
  so |= copied;
  return so;
}

int make_shared_file(const std::string& path) {
  return open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int open_shared_file(const std::string& path, std::uint64_t& bytes) {
  const int file = open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  struct stat found {};
  if (file >= 0 && (fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || found.st_uid != geteuid())) {
    close(file);
    return -1;
  }
  bytes = static_cast<std::uint64_t>(found.st_size);
  return file;
}

}  // namespace gpulab::cuda_api
