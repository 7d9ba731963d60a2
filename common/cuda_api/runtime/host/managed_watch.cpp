#include "common/cuda_api/runtime/host/managed_watch.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gpulab::cuda_api {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;  ///< beyond which nothing is copied, and nothing found
const std::size_t kPage = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
constexpr std::size_t kWord = 4, kMostRanges = 100'000;

// NOLINTNEXTLINE(performance-no-int-to-ptr): one address for the host and the device
std::byte* pointer(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

void protect(std::uint64_t address, std::size_t bytes, int how) {
  (void)mprotect(pointer(address), (bytes + kPage - 1) / kPage * kPage, how);
}

}  // namespace

void ManagedWatch::before(const MemoryTable& memory) {
  if (!on) return;
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
    Closed found{kernel, copy.name, launch, bytes, {}};
    for (std::size_t at = 0; at < bytes && found.changed.size() < kMostRanges; at += kWord) {
      if (std::memcmp(copy.bytes.data() + at, pointer(copy.address) + at, std::min(kWord, bytes - at)) == 0) continue;
      if (!found.changed.empty() && found.changed.back().second == copy.address + at)
        found.changed.back().second += kWord;
      else
        found.changed.emplace_back(copy.address + at, copy.address + at + kWord);
    }
    if (!found.changed.empty()) closed_[copy.address] = std::move(found);
  }
  copies_.clear();
}

void ManagedWatch::open() {
  if (depth_++ > 0) return;
  for (const auto& [address, one] : closed_) protect(address, one.bytes, PROT_READ | PROT_WRITE);
}

void ManagedWatch::close() {
  if (--depth_ > 0) return;
  for (const auto& [address, one] : closed_) protect(address, one.bytes, PROT_NONE);
}

std::optional<ManagedWatch::Access> ManagedWatch::reached(std::uint64_t address) {
  auto next = closed_.upper_bound(address);
  if (next == closed_.begin()) return std::nullopt;
  const auto found = std::prev(next);
  const Closed& one = found->second;
  if (address - found->first >= (one.bytes + kPage - 1) / kPage * kPage) return std::nullopt;
  // The widest access of a CPU that begins here.
  constexpr std::uint64_t reach = 8;
  const bool changed = std::ranges::any_of(
      one.changed, [&](const auto& range) { return address < range.second && address + reach > range.first; });
  Access access{one.kernel, one.name, one.launch, changed};
  protect(found->first, one.bytes, PROT_READ | PROT_WRITE);
  closed_.erase(found);
  return access;
}

}  // namespace gpulab::cuda_api
