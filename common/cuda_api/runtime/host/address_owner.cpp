#include "common/cuda_api/runtime/host/address_owner.h"

#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "common/cuda_api/runtime/session.h"
#include "common/demangle.h"

extern "C" void* __libc_stack_end;  // NOLINT(bugprone-reserved-identifier): the loader's: where main's stack begins

namespace gpulab::cuda_api {
namespace {

using Kind = AddressOwner::Kind;

/// Whether anything lies there; a page that may not be read counts.
bool is_mapped(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  unsigned char resident = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return mincore(reinterpret_cast<void*>(address / page * page), 1, &resident) == 0;
}

/// In which part of a file that the loader has mapped: code, or what else; nothing where in none.
std::optional<Kind> part_of_image(std::uint64_t address) {
  struct Search {
    std::uint64_t address;
    std::optional<Kind> found{};
  } search{address};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const auto& part = object->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || wanted.address - (object->dlpi_addr + part.p_vaddr) >= part.p_memsz) continue;
          wanted.found = (part.p_flags & PF_X) != 0 ? Kind::code : Kind::image;
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

/// No file of /proc is read: the confinement of `gpulab exec` closes it.
bool is_stack(std::uint64_t address) {
  constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20,
                          above = std::uint64_t{1} << 20;  // arguments, environment
  const auto end = reinterpret_cast<std::uint64_t>(__libc_stack_end);
  if (end != 0 && address - (end - most_bytes) < most_bytes + above) return true;
  if (syscall(SYS_gettid) == getpid()) return false;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
  void* start = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &start, &bytes);
  pthread_attr_destroy(&attributes);
  return address - reinterpret_cast<std::uint64_t>(start) < bytes;
}

const VariableEntry* symbol_at(const Session& session, std::uint64_t address) {
  for (const auto& variable : session.modules.variables())
    if (address - reinterpret_cast<std::uint64_t>(variable.host) < std::max<std::size_t>(variable.bytes, 1))
      return &variable;
  return nullptr;
}

}  // namespace

AddressOwner owner_of(const Session& session, std::uint64_t address) {
  constexpr std::uint64_t first_page = 4096;
  if (address < first_page) return {Kind::null};
  if (const auto* entry = session.memory.holding(address)) return {Kind::live, entry, entry->name};
  if (const auto* entry = session.memory.freed(address)) return {Kind::freed, entry, entry->name};
  // Behind the end of what another process shares: its pages are files', whole ones.
  const auto* const before = session.memory.holding(address / first_page * first_page);
  if (before != nullptr && !before->host_may_touch()) return {Kind::nobody};
  if (const auto* variable = symbol_at(session, address)) return {Kind::symbol, nullptr, demangle(variable->name)};
  if (const auto part = part_of_image(address)) return {*part};
  if (!is_mapped(address)) return {Kind::nobody};
  return {is_stack(address) ? Kind::stack : Kind::heap};
}

std::string in_words(const AddressOwner& owner) {
  switch (owner.kind) {
    case Kind::symbol:
      return fmt::format("what stands for the __device__ variable '{}' in the host's program", owner.name);
    case Kind::code:
      return "code of the host's program";
    case Kind::image:
      return "global variables and constants of the host's program";
    case Kind::stack:
      return "a variable on the host's stack";
    case Kind::heap:
      return "malloc, new, a container such as std::vector";
    default:
      return {};
  }
}

}  // namespace gpulab::cuda_api
