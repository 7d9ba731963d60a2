#include "runner/program/process/kept_runtime.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "common/cuda_api/program_file.h"
#include "runner/program/run_program.h"
#include "runner/student_file/compilers/sha256.h"
#include "runner/version.h"

namespace gpulab {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> data_folder() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data == '/') return fs::path(data);
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return fs::path(home) / ".local/share";
  return std::nullopt;
}

/// Whoever else may write there could have us run what he likes.
bool is_ours(const fs::path& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Others may read it at the same time: it appears whole, or not at all.
bool write_whole(const fs::path& path, std::string_view bytes) {
  const auto unfinished = path.string() + fmt::format(".{}", getpid());
  std::ofstream file(unfinished, std::ios::binary);
  file << bytes;
  file.close();
  std::error_code failed;
  if (file) fs::rename(unfinished, path, failed);
  if (file && !failed) return true;
  fs::remove(unfinished, failed);
  return false;
}

}  // namespace

std::optional<fs::path> kept_runtime() {
  const auto data = data_folder();
  if (!data || data->string().find_first_of(":,$ ") != std::string::npos)
    return std::nullopt;  // a path of the loader's
  const auto bytes = runtime_library();
  const auto folder = *data / "gpulab" / ("runtime-" + sha256({version(), bytes}).substr(0, 16));
  std::error_code failed;
  fs::create_directories(*data, failed);
  mkdir(folder.parent_path().c_str(), 0700);
  mkdir(folder.c_str(), 0700);
  if (!is_ours(folder.parent_path()) || !is_ours(folder)) return std::nullopt;
  const auto library = folder / runtime_library_name();
  if (fs::file_size(library, failed) != bytes.size() || failed)
    if (!write_whole(library, bytes)) return std::nullopt;
  const auto self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) (void)write_whole(folder / cuda_api::kBinaryFile, self.string());
  return folder;
}

std::vector<std::string> words_for_bare_start() {
  const auto folder = kept_runtime();
  if (!folder) return {};
  // As DT_RPATH, which LD_LIBRARY_PATH does not precede: courses name the toolkit's libraries there.
  // The library itself, too: objects of CUDA 12 call what NVIDIA's of CUDA 13 has no longer.
  return {"-Xlinker", "-rpath=" + folder->string(),
          "-Xlinker", "--disable-new-dtags",
          "-Xlinker", (*folder / runtime_library_name()).string()};
}

}  // namespace gpulab
