// Programs that are linked statically with NVIDIA's runtime, nvcc's default: where their files still name its
// functions, each becomes a jump to ours of that name before the program's first instruction. Those without names ask
// the driver's API for tables that are not documented, which is refused there (driver/unsupported.cpp).

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "common/cuda_api/static_runtime.h"

namespace gpulab::cuda_api {
namespace {

/// A file's bytes, while they are looked at.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about {};
    if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0) {
      void* const at = mmap(nullptr, static_cast<std::size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(at), static_cast<std::size_t>(about.st_size)};
    }
    if (file >= 0) close(file);
  }
  ~MappedFile() {
    if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

#if defined(__aarch64__)
constexpr unsigned char kJump[] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};  // ldr x16, #8; br x16
#else
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};  // jmp to where the next 8 bytes say
#endif
constexpr std::size_t kJumpBytes = sizeof kJump + sizeof(void*);

/// What an object's segments hold of code.
bool is_code(const dl_phdr_info& object, std::uint64_t address, std::size_t bytes) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& part = object.dlpi_phdr[i];
    const std::uint64_t offset = address - (object.dlpi_addr + part.p_vaddr);
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0 && offset < part.p_memsz)
      return bytes <= part.p_memsz - offset;
  }
  return false;
}

void write_jump(std::byte* at, const void* target) {
  std::memcpy(at, kJump, sizeof kJump);
  std::memcpy(at + sizeof kJump, &target, sizeof target);
}

void replace_in(const dl_phdr_info& object, const char* path) {
  const MappedFile file(path);
  const auto functions = static_runtime_functions(file.bytes());
  if (functions.empty()) return;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t first = (object.dlpi_addr + functions.front().address) / page * page;
  const std::uint64_t end = object.dlpi_addr + functions.back().address + kJumpBytes;
  for (const auto& function : functions)
    if (!is_code(object, object.dlpi_addr + function.address, kJumpBytes)) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): code of the program's
  auto* const pages = reinterpret_cast<std::byte*>(first);
  const std::size_t bytes = (end - first + page - 1) / page * page;
  if (mprotect(pages, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  static void* const ours = [] {
    Dl_info info{};
    return dladdr(reinterpret_cast<void*>(&write_jump), &info) == 0 ? nullptr
                                                                    : dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  }();
  for (const auto& function : functions)
    if (const void* target = ours == nullptr ? nullptr : dlsym(ours, function.name.c_str()))
      if (function.room >= kJumpBytes) write_jump(pages + (object.dlpi_addr + function.address - first), target);
  mprotect(pages, bytes, PROT_READ | PROT_EXEC);
#if defined(__aarch64__)
  __builtin___clear_cache(reinterpret_cast<char*>(pages), reinterpret_cast<char*>(pages) + bytes);
#endif
}

/// Libraries of the system and of the toolkit hold no runtime of the program's.
bool may_hold_one(std::string_view path) {
  for (const std::string_view system : {"/lib", "/usr/lib", "/usr/local/cuda", "linux-vdso"})
    if (path.starts_with(system)) return false;
  return path.find(".so") == std::string_view::npos || path.find("libcuda") == std::string_view::npos;
}

/// The loader has mapped all that the program is linked with, and has called nothing of it yet.
[[gnu::constructor]] void replace_static_runtimes() {
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void*) {
        const bool is_program = object->dlpi_name == nullptr || *object->dlpi_name == '\0';
        if (is_program && std::getenv(kStaticVariable) != nullptr)
          replace_in(*object, "/proc/self/exe");
        else if (!is_program && may_hold_one(object->dlpi_name))
          replace_in(*object, object->dlpi_name);
        return 0;
      },
      nullptr);
}

}  // namespace
}  // namespace gpulab::cuda_api
