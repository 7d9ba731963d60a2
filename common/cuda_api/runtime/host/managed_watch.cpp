#include "common/cuda_api/runtime/host/managed_watch.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "common/simt/machine/memory/windows.h"

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  ///< beyond which nothing is copied, and nothing found
const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
constexpr std::size_t kWord = 4, kMostRanges = 100'000;

// NOLINTNEXTLINE(performance-no-int-to-ptr): one address for the host and the device
std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void protect(std::uint64_t address, std::size_t bytes, int how) {
  (void)mprotect(pointer(address), whole_pages(bytes), how);
}

}  // namespace

void ManagedWatch::before(const MemoryTable& memory) {
  if (!on_) return;
  copies_.clear();
  std::size_t all = 0;
  for (const auto& [address, entry] : memory.all())
    if (entry.kind == MemoryEntry::Kind::managed && address % kPage == 0) all += entry.bytes;
  if (all > kMostBytes) return;
  for (const auto& [address, entry] : memory.all())
    if (entry.kind == MemoryEntry::Kind::managed && address % kPage == 0)
      copies_.push_back({address, entry.name, {pointer(address), pointer(address) + entry.bytes}});
}

void ManagedWatch::after(const std::string& kernel, std::uint64_t launch) {
  for (const auto& copy : copies_) {
    const std::size_t bytes = copy.bytes.size();
    Access found{kernel, copy.name, launch, bytes, {}};
    for (std::size_t at = 0; at < bytes && found.changed.size() < kMostRanges; at += kWord) {
      if (std::memcmp(copy.bytes.data() + at, pointer(copy.address) + at, std::min(kWord, bytes - at)) == 0) continue;
      if (!found.changed.empty() && found.changed.back().second == copy.address + at)
        found.changed.back().second += kWord;
      else
        found.changed.emplace_back(copy.address + at, copy.address + at + kWord);
    }
    const bool is_lent = std::ranges::any_of(lent_, [&](const auto& one) {
      return one.first < copy.address + whole_pages(bytes) &&
             copy.address < one.first + std::min(one.second, UINT64_MAX - one.first);
    });
    if (!found.changed.empty() && !is_lent) closed_[copy.address] = std::move(found);
  }
  copies_.clear();
}

bool ManagedWatch::may_be_closed(std::uint64_t address, std::uint64_t bytes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 40;  // of the device's addresses: the host's own lie beyond
  return some_are_closed_ && bytes > 0 && address < simt::kGlobalStart + most &&
         address + std::min(bytes, most) > simt::kGlobalStart;
}

void ManagedWatch::release(std::uint64_t address, std::uint64_t bytes) {
  const auto lent = std::ranges::find(lent_, std::pair(address, bytes));
  if (lent != lent_.end()) lent_.erase(lent);
}

void ManagedWatch::open() {
  if (depth_++ > 0) return;
  for (const auto& [address, one] : closed_) protect(address, one.bytes, PROT_READ | PROT_WRITE);
}

void ManagedWatch::close() {
  if (--depth_ > 0) return;
  for (const auto& [address, one] : closed_) protect(address, one.bytes, PROT_NONE);
}

bool ManagedWatch::Access::is_changed(std::uint64_t address, std::uint64_t count) const {
  return std::ranges::any_of(changed, [&](const auto& range) {
    return address < range.second && range.first - std::min(range.first, address) < count;
  });
}

std::optional<ManagedWatch::Access> ManagedWatch::reached(std::uint64_t address, std::uint64_t bytes) {
  const auto found = std::ranges::find_if(closed_, [&](const auto& one) {
    const auto& [start, access] = one;
    return start >= address ? start - address < bytes : address - start < whole_pages(access.bytes) && bytes > 0;
  });
  if (found == closed_.end()) return std::nullopt;
  Access access = std::move(found->second);
  protect(found->first, access.bytes, PROT_READ | PROT_WRITE);
  closed_.erase(found);
  return access;
}

std::string in_words(const ManagedWatch::Access& access, const char* tried) {
  return fmt::format(
      "the host {} '{}', which {}{} has changed, without waiting for it: call cudaDeviceSynchronize() between them",
      tried, access.name, access.launch > 0 ? fmt::format("launch {}, ", access.launch) : std::string(),
      access.launch > 0 ? access.kernel + "," : access.kernel);
}

}  // namespace gpulab::cuda_api
