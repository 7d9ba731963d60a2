// Virtual memory (CUDA Driver API: Virtual Memory Management). A reserved range is addresses of the host's that nobody
// can touch; what is made lies in a file without a name, which is mapped there; with access it is the device's memory.

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "common/cuda_api/driver/driver_call.h"
#include "common/cuda_api/driver/memory/physical_memory.h"
#include "common/cuda_api/runtime/failures/reasons.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;  ///< of an H200

struct Mapping {
  std::size_t bytes = 0;
  std::shared_ptr<Physical> memory;
  bool accessible = false;
};

struct VirtualMemory {
  std::map<CUdeviceptr, std::size_t> reserved;  ///< bytes, by their begin
  std::set<CUdeviceptr> continuing;             ///< of them those that were asked for where another ends
  std::map<CUdeviceptr, Mapping> mapped;
};
VirtualMemory& all() {
  static auto& memory = *new VirtualMemory;
  return memory;
}

bool is_whole(std::size_t bytes) { return bytes > 0 && bytes % kGranularity == 0; }

Reason not_whole(std::size_t bytes) {
  return {fmt::format("{} bytes are no multiple of {}, the granularity", bytes, kGranularity),
          "round up to what cuMemGetAllocationGranularity gives"};
}

/// Inside a reserved range, or in some of which each was asked for where the one before ends: vectors grow so.
bool is_reserved(CUdeviceptr address, std::size_t bytes) {
  for (bool first = true;; first = false) {
    if (!first && !all().continuing.contains(address)) return false;
    const auto above = all().reserved.upper_bound(address);
    if (above == all().reserved.begin()) return false;
    const auto& [begin, size] = *std::prev(above);
    if (address - begin > size) return false;
    const std::size_t left = size - (address - begin);
    if (bytes <= left) return true;
    address += left;
    bytes -= left;
  }
}

bool is_free(CUdeviceptr address, std::size_t bytes) {
  const auto next = all().mapped.lower_bound(address);
  if (next != all().mapped.end() && next->first < address + bytes) return false;
  return next == all().mapped.begin() || std::prev(next)->first + std::prev(next)->second.bytes <= address;
}

/// The mappings that lie in a range, which they fill; none where they do not.
std::vector<std::map<CUdeviceptr, Mapping>::iterator> mappings_of(CUdeviceptr address, std::size_t bytes) {
  std::vector<std::map<CUdeviceptr, Mapping>::iterator> found;
  CUdeviceptr at = address;
  for (auto one = all().mapped.find(address); one != all().mapped.end() && one->first == at && at < address + bytes;
       ++one) {
    found.push_back(one);
    at += one->second.bytes;
  }
  if (at != address + bytes) found.clear();
  return found;
}

void* reserve(std::size_t bytes, std::size_t alignment, CUdeviceptr wanted) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  // So large that there is a multiple of the alignment in it.
  void* const there = mmap(pointer_of(wanted), bytes + alignment, PROT_NONE, flags, -1, 0);
  if (there == MAP_FAILED) return nullptr;
  const CUdeviceptr begin = address_of(there), aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned > begin) munmap(there, aligned - begin);
  if (const std::size_t behind = begin + alignment - aligned; behind > 0) munmap(pointer_of(aligned + bytes), behind);
  return pointer_of(aligned);
}

/// Of the device from now on, with the neighbours that already are: one may be copied together with the other.
void give_access(Session& s, CUdeviceptr address, std::size_t bytes) {
  (void)s.under_way.wait_for_all();
  std::uint64_t begin = address, end = address + bytes;
  std::vector<std::uint64_t> joined;
  for (const auto& [at, entry] : s.memory.all()) {
    if (entry.flags != kVirtual || at + entry.bytes < begin || at > end) continue;
    const std::uint64_t first = std::min(at, begin), last = std::max(at + entry.bytes, end);
    if (!is_reserved(first, last - first)) continue;  // of two ranges
    joined.push_back(at);
    begin = first;
    end = last;
  }
  for (const auto one : joined) {
    s.device().release(one);
    s.memory.remove(one);
  }
  mprotect(pointer_of(address), bytes, PROT_READ | PROT_WRITE);
  const std::string name = fmt::format("cuMemMap #{}", s.record.calls["cuMemMap"].calls);
  s.device().adopt(name, {static_cast<std::byte*>(pointer_of(begin)), end - begin});
  s.memory.add({.kind = MemoryEntry::Kind::device,
                .address = begin,
                .bytes = end - begin,
                .flags = kVirtual,
                .name = name,
                .caller = Session::place_in_program(s.driver_caller),
                .gpu = current_gpu()});
}

/// What lies beside it stays the device's.
void take_access(Session& s, CUdeviceptr address, std::size_t bytes) {
  const MemoryEntry* known = s.memory.holding(address);
  if (known == nullptr || known->flags != kVirtual) return;
  const MemoryEntry entry = *known;
  (void)s.under_way.wait_for_all();
  s.device().release(entry.address);
  s.memory.remove(entry.address, Session::place_in_program(s.driver_caller));
  if (entry.address < address) give_access(s, entry.address, address - entry.address);
  const CUdeviceptr end = entry.address + entry.bytes, behind = address + bytes;
  if (behind < end) give_access(s, behind, end - behind);
}

bool can_be_made(const CUmemAllocationProp& asked) {
  return asked.type == CU_MEM_ALLOCATION_TYPE_PINNED && asked.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
         asked.location.id == 0;
}

}  // namespace

std::shared_ptr<Physical> gpulab::cuda_api::mapped_memory(CUdeviceptr address) {
  const auto above = all().mapped.upper_bound(address);
  if (above == all().mapped.begin()) return nullptr;
  const auto& [begin, mapping] = *std::prev(above);
  return address - begin < mapping.bytes ? mapping.memory : nullptr;
}

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t* bytes, const CUmemAllocationProp* asked,
                                       CUmemAllocationGranularity_flags) {
  return driver_call("cuMemGetAllocationGranularity", Needs::driver, [&](Session& s) {
    if (bytes == nullptr || asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("argument"));
    if (!can_be_made(*asked)) return cudaErrorInvalidValue;
    *bytes = kGranularity;
    return cudaSuccess;
  });
}

CUresult cuMemAddressReserve(CUdeviceptr* address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                             unsigned long long) {
  return driver_call("cuMemAddressReserve", Needs::driver, [&](Session& s) {
    if (address == nullptr) return s.because(cudaErrorInvalidValue, null_argument("place for the address"));
    if (!is_whole(bytes)) return s.because(cudaErrorInvalidValue, not_whole(bytes));
    if ((alignment & (alignment - 1)) != 0)
      return s.because(cudaErrorInvalidValue, {fmt::format("the alignment {} is no power of two", alignment)});
    constexpr std::size_t most = std::size_t{1} << 46;
    if (bytes > most || alignment > most) return cudaErrorInvalidValue;
    void* const there = reserve(bytes, std::max(alignment, kGranularity), wanted);
    if (there == nullptr) return cudaErrorMemoryAllocation;
    *address = address_of(there);
    all().reserved[*address] = bytes;
    if (*address == wanted) all().continuing.insert(wanted);
    return cudaSuccess;
  });
}

CUresult cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  return driver_call("cuMemAddressFree", Needs::driver, [&](Session& s) {
    const auto found = all().reserved.find(address);
    if (found == all().reserved.end() || found->second != bytes)
      return s.because(cudaErrorInvalidValue, {"this is no range that cuMemAddressReserve gave, as a whole"});
    if (!is_free(address, bytes))
      return s.because(cudaErrorInvalidValue, {"something is still mapped there", "cuMemUnmap comes first"});
    munmap(pointer_of(address), bytes);
    all().reserved.erase(found);
    all().continuing.erase(address);
    return cudaSuccess;
  });
}

/// Like all of these it asks for no context: programs share memory when they have none any more.
CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, size_t bytes, const CUmemAllocationProp* asked,
                     unsigned long long) {
  return driver_call("cuMemCreate", Needs::driver, [&](Session& s) {
    if (handle == nullptr || asked == nullptr) return s.because(cudaErrorInvalidValue, null_argument("argument"));
    if (!can_be_made(*asked))
      return s.because(cudaErrorNotSupported, {"memory of the GPU can be made so, and no other"});
    if ((asked->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
      return s.because(cudaErrorNotSupported, other_handle_types());
    if (!is_whole(bytes)) return s.because(cudaErrorInvalidValue, not_whole(bytes));
    if (bytes > s.profile().memory_bytes)
      return s.because(cudaErrorMemoryAllocation, too_large(s, "cuMemCreate", bytes));
    auto memory = std::make_shared<Physical>(bytes, *asked);
    if (memory->file < 0) return s.lacks_memory("cuMemCreate", "there is no file for it", s.driver_caller);
    *handle = handle_of(std::move(memory));
    return cudaSuccess;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return driver_call("cuMemRelease", Needs::driver,
                     [&](Session&) { return release_handle(handle) ? cudaSuccess : cudaErrorInvalidValue; });
}

CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long) {
  return driver_call("cuMemMap", Needs::driver, [&](Session& s) {
    const auto memory = physical_memory(handle);
    if (memory == nullptr) return s.because(cudaErrorInvalidValue, {"there is no memory of this handle"});
    if (!is_whole(bytes) || offset != 0 || bytes > memory->bytes)
      return s.because(cudaErrorInvalidValue, not_whole(bytes));
    if (!is_reserved(address, bytes) || !is_free(address, bytes))
      return s.because(cudaErrorInvalidValue, {"the range is not reserved, or something is mapped there"});
    if (mmap(pointer_of(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file, 0) == MAP_FAILED)
      return cudaErrorMemoryAllocation;
    all().mapped[address] = {bytes, memory, false};
    return cudaSuccess;
  });
}

CUresult cuMemUnmap(CUdeviceptr address, size_t bytes) {
  return driver_call("cuMemUnmap", Needs::driver, [&](Session& s) {
    const auto mappings = mappings_of(address, bytes);
    if (mappings.empty()) return s.because(cudaErrorInvalidValue, {"nothing is mapped there, or more than that"});
    s.print();
    take_access(s, address, bytes);
    mmap(pointer_of(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    for (const auto& one : mappings) all().mapped.erase(one);
    return cudaSuccess;
  });
}

CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const CUmemAccessDesc* asked, size_t count) {
  return driver_call("cuMemSetAccess", Needs::driver, [&](Session& s) {
    const auto mappings = mappings_of(address, bytes);
    if (mappings.empty()) return s.because(cudaErrorInvalidValue, {"nothing is mapped there, or not all of it"});
    if (asked == nullptr || count == 0) return cudaErrorInvalidValue;
    bool access = false;
    for (std::size_t i = 0; i < count; ++i) access |= asked[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    take_access(s, address, bytes);
    mprotect(pointer_of(address), bytes, PROT_NONE);
    if (access) give_access(s, address, bytes);
    for (const auto& one : mappings) one->second.accessible = access;
    return cudaSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation*, CUdeviceptr address) {
  return driver_call("cuMemGetAccess", Needs::driver, [&](Session&) {
    const auto above = all().mapped.upper_bound(address);
    if (above == all().mapped.begin() || flags == nullptr) return cudaErrorInvalidValue;
    *flags = std::prev(above)->second.accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return cudaSuccess;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties, CUmemGenericAllocationHandle handle) {
  return driver_call("cuMemGetAllocationPropertiesFromHandle", Needs::driver, [&](Session&) {
    const auto memory = physical_memory(handle);
    if (memory == nullptr || properties == nullptr) return cudaErrorInvalidValue;
    *properties = memory->properties;
    return cudaSuccess;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  return driver_call("cuMemRetainAllocationHandle", Needs::driver, [&](Session&) {
    auto memory = mapped_memory(address_of(address));
    if (memory == nullptr || handle == nullptr) return cudaErrorInvalidValue;
    *handle = handle_of(std::move(memory));
    return cudaSuccess;
  });
}

}  // extern "C"
