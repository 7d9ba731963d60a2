#include "common/cuda_api/runtime/streamcheck/host_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

namespace gpulab::cuda_api {
namespace {

const std::uint64_t kPage = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
/// Beyond which nothing is closed: each call would change so many pages twice.
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;
constexpr std::size_t kMostRanges = 4096;
constexpr std::uint64_t kMostLent = std::uint64_t{1} << 40;  ///< whatever a program asks the system for

void set(const simt::ByteRange& range, int how) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): one address for the host and the device
  (void)mprotect(reinterpret_cast<void*>(range.first), range.end - range.first, how);
}

void add_pages(simt::ByteRanges& pages, const simt::ByteRanges& bytes, const simt::ByteRanges& pinned) {
  const auto mine = bytes.common_with(pinned, kMostRanges);
  for (const auto& range : mine.all()) pages.add(range.first / kPage * kPage, (range.end + kPage - 1) / kPage * kPage);
}

}  // namespace

void HostPages::add(const Operation& operation, const simt::ByteRanges& pinned) {
  if (pinned.empty() || !operation.bytes.shared_atomic.empty()) return;  // it may say by those how far it is
  unprotect();
  add_pages(written_, operation.bytes.written, pinned);
  add_pages(read_, operation.bytes.read, pinned);
}

void HostPages::protect() {
  if (protected_ || (written_.empty() && read_.empty()) || written_.bytes() + read_.bytes() > kMostBytes) return;
  for (const auto& range : read_.all()) set(range, PROT_READ);
  for (const auto& range : written_.all()) set(range, PROT_NONE);
  for (const auto& [address, bytes] : lent_) {
    const simt::ByteRanges some(address / kPage * kPage, (address % kPage + bytes + kPage - 1) / kPage * kPage);
    for (const auto* pages : {&written_, &read_}) {
      const auto open = pages->common_with(some, kMostRanges);
      for (const auto& range : open.all()) set(range, PROT_READ | PROT_WRITE);
    }
  }
  protected_ = true;
}

void HostPages::unprotect() {
  if (!protected_) return;
  for (const auto& range : read_.all()) set(range, PROT_READ | PROT_WRITE);
  for (const auto& range : written_.all()) set(range, PROT_READ | PROT_WRITE);
  protected_ = false;
}

void HostPages::open() {
  ++depths_.back();
  unprotect();
}
void HostPages::close() {
  if (--depths_.back() == 0) protect();
}
void HostPages::call_back() {
  depths_.push_back(0);
  protect();
}
void HostPages::return_from_callback() {
  unprotect();
  depths_.pop_back();
}

bool HostPages::is_closed(std::uint64_t address, bool writes) const {
  return protected_ && (written_.contains(address) || (writes && read_.contains(address)));
}

void HostPages::open_page(std::uint64_t address) {
  const std::uint64_t first = address / kPage * kPage;
  set({first, first + kPage}, PROT_READ | PROT_WRITE);
}
void HostPages::close_again() {
  if (!protected_) return;
  protected_ = false;
  protect();
}

void HostPages::lend(std::uint64_t address, std::uint64_t bytes) {
  lent_.emplace_back(address, std::min(bytes, kMostLent));
  close_again();
}
void HostPages::give_back(std::uint64_t address, std::uint64_t bytes) {
  const auto lent = std::ranges::find(lent_, std::pair(address, std::min(bytes, kMostLent)));
  if (lent == lent_.end()) return;
  lent_.erase(lent);
  close_again();
}

}  // namespace gpulab::cuda_api
