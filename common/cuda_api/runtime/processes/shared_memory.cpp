// Device memory that several processes use (CUDA Runtime API: cudaIpcGetMemHandle and its like), and shm_open.

#include "common/cuda_api/runtime/processes/shared_memory.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "common/cuda_api/runtime/failures/reasons.h"
#include "common/cuda_api/runtime/memory/pools.h"
#include "common/cuda_api/runtime/processes/shared_files.h"
#include "common/cuda_api/runtime/session.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

constexpr char kMemory = 'm';

/// Under the session's lock.
struct Shared {
  std::map<std::uint64_t, SharedName> given;  ///< by address: what this process lets others use
  struct Opened {
    std::uint64_t address = 0, bytes = 0;
    int count = 0;  ///< how often it was opened
  };
  std::map<std::string, Opened> opened;  ///< by file: what others let this one use
  std::uint32_t number = 0;
};
Shared& shared() {
  static auto& all = *new Shared;
  return all;
}

/// What this process has made: others have opened it, or never will.
void remove_files() {
  Session& session = Session::instance();
  for (const auto& [address, name] : shared().given)
    if (name.process == static_cast<std::uint32_t>(getpid()))
      unlink(name.file_in(shared_folder(session.options.record)).c_str());
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

cudaError_t give(Session& s, cudaIpcMemHandle_t* handle, void* pointer) {
  const MemoryEntry* entry = s.memory.holding(number(pointer));
  if (handle == nullptr || entry == nullptr || entry->kind != MemoryEntry::Kind::device || entry->variable)
    return s.because(cudaErrorInvalidValue, {"it takes memory of cudaMalloc's"});
  if (pool_of_memory(entry->address) != nullptr)
    return s.because(cudaErrorInvalidValue, {"the memory is a pool's, which is shared by cudaMemPoolExportPointer"});
  if (entry->flags != 0)  // the driver's virtual memory
    return s.because(cudaErrorInvalidValue,
                     {"the memory is cuMemCreate's, which is shared by cuMemExportToShareableHandle"});
  SharedName name;
  const cudaError_t error = share(s, *entry, name);
  if (error == cudaSuccess) write_handle(handle, kMemory, name);
  return error;
}

cudaError_t open(Session& s, void** pointer, const cudaIpcMemHandle_t& handle, void* caller) {
  SharedName name;
  if (pointer == nullptr || !read_handle(&handle, kMemory, name))
    return s.because(cudaErrorInvalidValue, {"the handle is none that cudaIpcGetMemHandle gave"});
  if (name.process == static_cast<std::uint32_t>(getpid()))
    return s.because(cudaErrorDeviceUninitialized,
                     {"the handle is of this very process, which has the memory already"});
  const std::string title = fmt::format("cudaIpcOpenMemHandle #{}", s.record.calls["cudaIpcOpenMemHandle"].calls);
  return open_shared(s, pointer, name, 0, title, caller);
}

cudaError_t close(Session& s, void* pointer, void* caller) {
  auto& opened = shared().opened;
  for (auto one = opened.begin(); one != opened.end(); ++one) {
    if (one->second.address != number(pointer)) continue;
    if (--one->second.count > 0) return cudaSuccess;
    (void)s.under_way.wait_for_all();
    s.device().release(one->second.address);
    s.memory.remove(one->second.address, Session::place_in_program(s.caller_of(caller)));
    forget_shared(s, number(pointer));
    return cudaSuccess;
  }
  return s.because(cudaErrorInvalidValue, {"no call of cudaIpcOpenMemHandle gave that pointer"});
}

}  // namespace

namespace gpulab::cuda_api {

cudaError_t share(Session& s, const MemoryEntry& entry, SharedName& name) {
  const auto known = shared().given.find(entry.address);
  if (known != shared().given.end()) {
    name = known->second;
    return cudaSuccess;
  }
  name = {static_cast<std::uint32_t>(getpid()), ++shared().number};
  const std::string path = name.file_in(shared_folder(s.options.record));
  const int file = make_shared_file(path);
  if (file < 0) return s.because(cudaErrorMapBufferObjectFailed, {"no file can be made that processes would share"});
  bool good = false;
  try {
    s.device().share(entry.address, file);
    good = true;
  } catch (const Error&) {
  }
  close(file);
  if (!good) {
    unlink(path.c_str());
    return s.because(cudaErrorMapBufferObjectFailed, {"this machine has no room for a file as large as the memory"});
  }
  static const bool at_the_end = std::atexit(remove_files) == 0;
  (void)at_the_end;
  shared().given[entry.address] = name;
  return cudaSuccess;
}

cudaError_t open_shared(Session& s, void** pointer, const SharedName& name, std::uint64_t bytes,
                        const std::string& title, void* caller) {
  const std::string path = name.file_in(shared_folder(s.options.record));
  Shared::Opened& mine = shared().opened[path];
  if (mine.count == 0) {
    const int file = open_shared_file(path, mine.bytes);
    void* const there = file < 0 || mine.bytes == 0 || bytes > mine.bytes
                            ? MAP_FAILED
                            : mmap(nullptr, mine.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0) ::close(file);
    if (there == MAP_FAILED) {
      shared().opened.erase(path);
      return s.because(cudaErrorMapBufferObjectFailed,
                       {"the process that gave the handle has ended, or freed the memory"});
    }
    const std::size_t seen = bytes == 0 ? mine.bytes : bytes;
    s.device().adopt(title, {static_cast<std::byte*>(there), seen});
    mine.address = number(there);
    s.memory.add({.kind = MemoryEntry::Kind::device,
                  .address = mine.address,
                  .bytes = seen,
                  .name = title,
                  .caller = Session::place_in_program(s.caller_of(caller)),
                  .gpu = current_gpu()});
  }
  ++mine.count;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  *pointer = reinterpret_cast<void*>(mine.address);
  return cudaSuccess;
}

void forget_shared(Session& s, std::uint64_t address) {
  if (const auto mine = shared().given.find(address); mine != shared().given.end()) {
    unlink(mine->second.file_in(shared_folder(s.options.record)).c_str());
    shared().given.erase(mine);
  }
  std::erase_if(shared().opened, [&](const auto& one) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return one.second.address == address && munmap(reinterpret_cast<void*>(address), one.second.bytes) == 0;
  });
}

}  // namespace gpulab::cuda_api

extern "C" {

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return call("cudaIpcGetMemHandle", Waits::no, [&](Session& s) { return give(s, handle, pointer); });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned) {
  void* const caller = __builtin_return_address(0);
  return call("cudaIpcOpenMemHandle", Waits::no, [&](Session& s) { return open(s, pointer, handle, caller); });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  void* const caller = __builtin_return_address(0);
  return call("cudaIpcCloseMemHandle", Waits::yes, [&](Session& s) { return close(s, pointer, caller); });
}

/// In the private folder where the program is confined: it may not come to /dev/shm.
[[gnu::used]] int gpulab_shm_open(const char* name, int flags, mode_t mode) {
  static const auto next = reinterpret_cast<decltype(&shm_open)>(dlsym(RTLD_NEXT, "shm_open"));
  const char* const options = std::getenv(kOptionsVariable);
  const std::string_view plain = name == nullptr || *name != '/' ? name == nullptr ? "" : name : name + 1;
  constexpr std::size_t most = 200;
  if (options == nullptr || plain.empty() || plain.size() > most || plain.find('/') != std::string_view::npos)
    return next(name, flags, mode);
  const std::string record = Session::instance().options.record;
  if (record.empty()) return next(name, flags, mode);
  const std::string path = shared_folder(record) + "/shm-" + std::string(plain);
  return ::open(path.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, mode);
}
[[gnu::used]] int gpulab_shm_unlink(const char* name) {
  static const auto next = reinterpret_cast<decltype(&shm_unlink)>(dlsym(RTLD_NEXT, "shm_unlink"));
  const std::string record = std::getenv(kOptionsVariable) == nullptr ? "" : Session::instance().options.record;
  if (record.empty() || name == nullptr) return next(name);
  const std::string_view plain = *name == '/' ? name + 1 : name;
  if (plain.empty() || plain.find('/') != std::string_view::npos) return next(name);
  return unlink((shared_folder(record) + "/shm-" + std::string(plain)).c_str());
}

}  // extern "C"
__asm__(".symver gpulab_shm_open, shm_open@@");
__asm__(".symver gpulab_shm_unlink, shm_unlink@@");
