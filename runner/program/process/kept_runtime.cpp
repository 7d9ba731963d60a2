#include "runner/program/process/kept_runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "common/cuda_api/program_file.h"
#include "runner/program/math_libraries.h"
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

/// Libraries that lie there can be loaded.
bool may_execute(const fs::path& folder) {
  struct statvfs status {};
  return statvfs(folder.c_str(), &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
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

/// The linker's name of these bytes (its build ID), where it gave one: hashing 6 MB takes longer than a small program.
std::string name_of(std::string_view library) {
  Elf64_Ehdr header;
  std::memcpy(&header, library.data(), sizeof header);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    std::memcpy(&part, library.data() + header.e_phoff + i * sizeof part, sizeof part);
    if (part.p_type != PT_NOTE) continue;
    const auto rounded = [&](std::size_t bytes) { return (bytes + part.p_align - 1) / part.p_align * part.p_align; };
    Elf64_Nhdr note;
    for (std::size_t at = 0; at + sizeof note <= part.p_filesz;) {
      std::memcpy(&note, library.data() + part.p_offset + at, sizeof note);
      const std::size_t name = part.p_offset + at + sizeof note, id = name + rounded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && library.substr(name, 4) == std::string_view("GNU", 4)) {
        std::string digits;
        for (const char byte : library.substr(id, note.n_descsz))
          digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
        return digits;
      }
      at += sizeof note + rounded(note.n_namesz) + rounded(note.n_descsz);
    }
  }
  return sha256({library});
}

/// Whether the file is these bytes: somebody may have changed it.
bool holds(const fs::path& path, std::string_view bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  struct stat status {};
  bool same = fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
              static_cast<std::size_t>(status.st_size) == bytes.size();
  void* const there = same ? mmap(nullptr, bytes.size(), PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0) : MAP_FAILED;
  same = there != MAP_FAILED && std::memcmp(there, bytes.data(), bytes.size()) == 0;
  if (there != MAP_FAILED) munmap(there, bytes.size());
  close(file);
  return same;
}

}  // namespace

std::optional<fs::path> kept_runtime() {
  const auto data = data_folder();
  if (!data || data->string().find_first_of(":,$ ") != std::string::npos)
    return std::nullopt;  // a path of the loader's
  const auto bytes = runtime_library();
  const auto folder = *data / "gpulab" / fmt::format("runtime-{}-{:.16}", version(), name_of(bytes));
  std::error_code failed;
  fs::create_directories(*data, failed);
  mkdir(folder.parent_path().c_str(), 0700);
  mkdir(folder.c_str(), 0700);
  if (!is_ours(folder.parent_path()) || !is_ours(folder) || !may_execute(folder)) return std::nullopt;
  const auto library = folder / runtime_library_name();
  if (!holds(library, bytes) && !write_whole(library, bytes)) return std::nullopt;
  return folder;
}

std::vector<std::string> words_for_bare_start(const std::vector<std::string>& sonames) {
  const auto folder = kept_runtime();
  if (!folder) return {};
  // Each in a folder of its own: where another program looks for the runtime alone, it must not find our libnvidia-ml,
  // which NVIDIA's driver and profilers load on a GPU, too.
  std::string places = folder->string();
  for (const auto& soname : sonames) {
    const auto* library = math_library(soname);
    if (library == nullptr) continue;
    const auto own = *folder / "libraries" / soname;
    mkdir(own.parent_path().c_str(), 0700);
    mkdir(own.c_str(), 0700);
    if (!is_ours(own.parent_path()) || !is_ours(own)) continue;
    if (!holds(own / soname, library->bytes)) (void)write_whole(own / soname, library->bytes);
    places += ":" + own.string();
  }
  std::error_code failed;
  const auto self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) (void)write_whole(*folder / cuda_api::kBinaryFile, self.string());
  // As DT_RPATH, which LD_LIBRARY_PATH does not precede: courses name the toolkit's libraries there.
  // The library itself, too: objects of CUDA 12 call what NVIDIA's of CUDA 13 has no longer.
  return {"-Xlinker", "-rpath=" + places,
          "-Xlinker", "--disable-new-dtags",
          "-Xlinker", (*folder / runtime_library_name()).string()};
}

}  // namespace gpulab
