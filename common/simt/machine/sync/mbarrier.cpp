#include "common/simt/machine/sync/mbarrier.h"

#include <fmt/format.h>

#include <cstring>
#include <string>

#include "common/ptx/extent.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/memory/windows.h"
#include "common/simt/machine/sync/async.h"

namespace gpulab::simt {

namespace {

constexpr std::uint32_t kMostArrivals = (1u << 20) - 1;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;
constexpr std::uint64_t kMark = 2;

struct Object {
  std::uint32_t pending, expected;
  std::int64_t bytes;
  bool parity;
};

std::uint64_t packed(const Object& o) {
  return o.pending | std::uint64_t{o.expected} << 20 | static_cast<std::uint64_t>(o.bytes + (1 << 20)) << 40 |
         kMark << 61 | std::uint64_t{o.parity} << 63;
}
Object unpacked(std::uint64_t word) {
  return {pending_of(word), pending_of(word >> 20), static_cast<std::int64_t>(word >> 40 & 0x1fffff) - (1 << 20),
          parity_of(word)};
}

[[noreturn]] void fault(Warp& w, const MicroOp* op, int lane, const char* what) {
  set_mask(w, 1u << lane);  // the message names the first active lane
  fault_message(w, op, what);
}

/// In the block's shared memory, or a sibling's.
std::byte* place(Warp& w, const MicroOp* op, int lane, std::uint32_t address) {
  if (address >= kRankBytes) return sibling_memory(w, op, lane, address, 8, "mbarrier access");
  if (address % 8 || !within(address, 8, w.shared_bytes))
    fault_access(w, op, kSharedWindow + address, lane, 8, "mbarrier access");
  return w.shared + address;
}
std::uint64_t word_at(Warp& w, const MicroOp* op, int lane, std::uint32_t address) {
  std::uint64_t word;
  std::memcpy(&word, place(w, op, lane, address), sizeof word);
  if ((word >> 61 & 3) != kMark) fault(w, op, lane, "no initialised mbarrier is at this address");
  return word;
}
/// Where one was found.
void store(Warp& w, std::uint32_t address, const Object& object) {
  BlockContext& block = *block_at(w, address);
  const std::uint64_t word = packed(object);
  std::memcpy(block.warps.front().shared + address % kRankBytes, &word, sizeof word);
  block.note_arrival();
}

/// The phase is over when nobody and nothing is awaited.
void store_and_complete(Warp& w, std::uint32_t address, Object object) {
  const bool over = object.pending == 0 && object.bytes == 0;
  if (over) {
    object.pending = object.expected;
    object.parity = !object.parity;
  }
  store(w, address, object);
  if (!over) return;
  BlockContext& owner = *block_at(w, address);
  owner.launch.tell([&](Observer& observer) { observer.mbarrier_completed(owner, address % kRankBytes); },
                    kWatchCompleted);
  owner.wake_sleepers();
}

/// What the lane has done is told to those who wait for the phase.
void tell_arrival(Warp& w, const MicroOp* op, int lane, std::uint32_t address) {
  w.block->launch.tell(
      [&](Observer& observer) { observer.mbarrier_reached(w, op, lane, *block_at(w, address), address % kRankBytes); },
      kWatchCompleted);
}

void check_bytes(Warp& w, const MicroOp* op, int lane, const Object& object) {
  if (object.bytes > kMostBytes || object.bytes < -kMostBytes)
    fault(w, op, lane, "mbarrier with more than 1048575 bytes to come or come too early");
}

}  // namespace

void init_mbarrier(Warp& w, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t count) {
  (void)place(w, op, lane, address);
  if (count == 0 || count > kMostArrivals) fault(w, op, lane, "mbarrier count outside 1 to 1048575");
  store(w, address, {count, count, 0, false});
  w.block->launch.tell([&](Observer& observer) { observer.mbarrier_made(*block_at(w, address), address % kRankBytes); },
                       kWatchCompleted);
}

void invalidate_mbarrier(Warp& w, const MicroOp* op, int lane, std::uint32_t address) {
  (void)word_at(w, op, lane, address);
  std::memset(w.shared + address, 0, 8);
}

std::uint64_t arrive(Warp& w, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t count, Arrival how) {
  const std::uint64_t before = word_at(w, op, lane, address);
  Object object = unpacked(before);
  if (count == 0 || count > kMostArrivals) fault(w, op, lane, "mbarrier count outside 1 to 1048575");
  if (count > object.pending) fault(w, op, lane, "more arrivals at an mbarrier than its phase expects");
  object.pending -= count;
  if (how == Arrival::dropping) {
    if (count > object.expected) fault(w, op, lane, "more threads drop out of an mbarrier than it expects");
    object.expected -= count;
  }
  if (how == Arrival::not_completing && object.pending == 0)
    fault(w, op, lane, "mbarrier.arrive.noComplete completes the phase");
  tell_arrival(w, op, lane, address);
  store_and_complete(w, address, object);
  return before;
}

void expect_bytes(Warp& w, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t bytes) {
  Object object = unpacked(word_at(w, op, lane, address));
  object.bytes += bytes;
  check_bytes(w, op, lane, object);
  store(w, address, object);
}

void complete_bytes(Warp& w, const MicroOp* op, int lane, std::uint32_t address, std::uint32_t bytes) {
  Object object = unpacked(word_at(w, op, lane, address));
  object.bytes -= bytes;
  check_bytes(w, op, lane, object);
  if (w.program->sites[op->site].facts & kAsyncStore) tell_arrival(w, op, lane, address);
  store_and_complete(w, address, object);
}

void add_pending(Warp& w, const MicroOp* op, int lane, std::uint32_t address) {
  Object object = unpacked(word_at(w, op, lane, address));
  if (object.pending == kMostArrivals) fault(w, op, lane, "mbarrier count outside 1 to 1048575");
  ++object.pending;
  store(w, address, object);
}

bool phase_is_over(Warp& w, const MicroOp* op, int lane, std::uint32_t address, bool parity) {
  (void)word_at(w, op, lane, address);
  settle_mbarrier(w, address);
  const bool over = parity_of(word_at(w, op, lane, address)) != parity;
  if (over)
    w.block->launch.tell([&](Observer& observer) { observer.mbarrier_passed(w, op, lane, address % kRankBytes); },
                         kWatchCompleted);
  return over;
}

}  // namespace gpulab::simt
