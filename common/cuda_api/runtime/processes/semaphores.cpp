// Semaphores with names (sem_overview(7)), which the C library keeps in /dev/shm, where a confined program may not come
// to: they lie in the run's private folder, as shm_open's memory does. Python's multiprocessing makes its locks of
// them.

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "common/cuda_api/runtime/processes/shared_files.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab::cuda_api;

namespace {

struct Open {
  sem_t* place = nullptr;
  int count = 0;  ///< a name that is opened twice is one semaphore
};
struct Semaphores {
  std::mutex mutex;
  std::map<std::string, Open> by_path;
};
Semaphores& semaphores() {
  static auto& all = *new Semaphores;
  return all;
}

/// Empty: the C library is to have it.
std::string path_of(const char* name) {
  if (name == nullptr || std::getenv(kOptionsVariable) == nullptr) return {};
  const std::string_view plain = *name == '/' ? name + 1 : name;
  constexpr std::size_t most = 200;
  const std::string record = Session::instance().options.record;
  if (record.empty() || plain.empty() || plain.size() > most || plain.find('/') != std::string_view::npos) return {};
  return shared_folder(record) + "/sem-" + std::string(plain);
}

/// Closes the file.
sem_t* mapped(int file) {
  void* const there = mmap(nullptr, sizeof(sem_t), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return there == MAP_FAILED ? nullptr : static_cast<sem_t*>(there);
}

/// As a whole: nobody finds one that has no value yet. Null with errno.
sem_t* make(const std::string& path, unsigned value) {
  static unsigned made = 0;
  const std::string fresh = fmt::format("{}.{}.{}", path, getpid(), ++made);
  const int file = make_shared_file(fresh);
  if (file < 0) return nullptr;
  const bool long_enough = ftruncate(file, sizeof(sem_t)) == 0;
  sem_t* place = mapped(file);
  const bool good =
      long_enough && place != nullptr && sem_init(place, 1, value) == 0 && link(fresh.c_str(), path.c_str()) == 0;
  const int error = errno;
  unlink(fresh.c_str());
  if (good) return place;
  if (place != nullptr) munmap(place, sizeof(sem_t));
  errno = error;
  return nullptr;
}

sem_t* open_or_make(const std::string& path, int flags, unsigned value) {
  constexpr int attempts = 100;  // it comes and goes meanwhile
  for (int i = 0; i < attempts; ++i) {
    std::uint64_t bytes = 0;
    const int file = open_shared_file(path, bytes);
    if (file >= 0 && (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0) {
      close(file);
      errno = EEXIST;
      return nullptr;
    }
    if (file >= 0) return mapped(file);
    if ((flags & O_CREAT) == 0) return nullptr;
    if (sem_t* const made = make(path, value); made != nullptr || errno != EEXIST || (flags & O_EXCL) != 0) return made;
  }
  return nullptr;
}

}  // namespace

extern "C" {

[[gnu::used]] sem_t* gpulab_sem_open(const char* name, int flags, ...) {
  static const auto next = reinterpret_cast<decltype(&sem_open)>(dlsym(RTLD_NEXT, "sem_open"));
  mode_t mode = 0;
  unsigned value = 0;
  if ((flags & O_CREAT) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, mode_t);
    value = va_arg(more, unsigned);
    va_end(more);
  }
  const std::string path = path_of(name);
  if (path.empty()) return next(name, flags, mode, value);
  const std::lock_guard lock(semaphores().mutex);
  Open& mine = semaphores().by_path[path];
  const bool anew = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
  if (mine.count == 0 || anew || access(path.c_str(), F_OK) != 0) {
    sem_t* const opened = open_or_make(path, flags, value);
    if (opened == nullptr) return SEM_FAILED;
    mine = {opened, 0};
  }
  ++mine.count;
  return mine.place;
}

[[gnu::used]] int gpulab_sem_close(sem_t* semaphore) {
  static const auto next = reinterpret_cast<decltype(&sem_close)>(dlsym(RTLD_NEXT, "sem_close"));
  const std::lock_guard lock(semaphores().mutex);
  auto& all = semaphores().by_path;
  for (auto one = all.begin(); one != all.end(); ++one) {
    if (one->second.place != semaphore) continue;
    if (--one->second.count > 0) return 0;
    munmap(semaphore, sizeof(sem_t));
    all.erase(one);
    return 0;
  }
  return next(semaphore);
}

[[gnu::used]] int gpulab_sem_unlink(const char* name) {
  static const auto next = reinterpret_cast<decltype(&sem_unlink)>(dlsym(RTLD_NEXT, "sem_unlink"));
  const std::string path = path_of(name);
  return path.empty() ? next(name) : unlink(path.c_str());
}

}  // extern "C"
__asm__(".symver gpulab_sem_open, sem_open@@");
__asm__(".symver gpulab_sem_close, sem_close@@");
__asm__(".symver gpulab_sem_unlink, sem_unlink@@");
