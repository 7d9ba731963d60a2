// The host's accesses to pinned memory that copies and kernels still have.

#include <fmt/format.h>

#include <unordered_map>

#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/streamcheck/streamcheck.h"

namespace gpulab::cuda_api {

const simt::ByteRanges& StreamCheck::pinned(const Session& session) {
  if (pinned_changes_ == session.memory.changes()) return pinned_;
  constexpr std::uint64_t page = 4096;
  pinned_changes_ = session.memory.changes();
  pinned_.clear();
  for (const auto& [address, entry] : session.memory.all())
    if (entry.kind == MemoryEntry::Kind::pinned && address % page == 0) pinned_.add(address, address + entry.bytes);
  return pinned_;
}

void StreamCheck::forget_over() {
  const std::size_t before = operations_.pending().size();
  operations_.forget_over();
  if (operations_.pending().size() != before) rebuild_pages();
}

void StreamCheck::rebuild_pages() {
  pages_.clear();
  if (pinned_.empty()) return;
  for (const auto& operation : operations_.pending()) pages_.add(operation, pinned_);
}

void StreamCheck::host_touched(Session& session, const simt::ByteRange& range, bool writes,
                               const std::vector<const void*>& place) {
  const simt::ByteRanges bytes(range.first, range.end - range.first);
  const auto& pending = operations_.pending();
  for (auto each = pending.rbegin(); each != pending.rend(); ++each) {
    const Operation& earlier = *each;
    if (!earlier.bytes.shared_atomic.empty() || ordering_.is_over(earlier.when)) continue;
    const bool written = earlier.bytes.written.overlaps(bytes);
    if (!written && !(writes && earlier.bytes.read.overlaps(bytes))) continue;
    const MemoryEntry* entry = session.memory.holding(range.first);
    if (entry == nullptr || entry->kind != MemoryEntry::Kind::pinned) continue;
    const auto one = Session::place_of(earlier.place), other = Session::place_of(place);
    const auto words = in_words(earlier, written ? Touch::writes : Touch::reads, writes, entry->name);
    session.find_unordered(fmt::format("{}\n{}\nhost\n{}", earlier.name, one, other),
                           fmt::format("{} (called by {}; {} by {})", words, other, earlier.name, one),
                           Severity::error);
    // What one mistake leads to is no other.
    pages_.open();
    ordering_.assume_over(earlier.when);
    forget_over();
    pages_.close();
    return;
  }
}

bool StreamCheck::host_touches(Session& session, std::uint64_t address, bool writes, bool judged,
                               const std::vector<const void*>& place) {
  if (!on_ || !pages_.is_closed(address, writes)) return false;
  if (judged) host_touched(session, {address, address + 1}, writes, place);
  pages_.open_page(address);
  return true;
}

}  // namespace gpulab::cuda_api
