#include "common/simt/machine/sync/repetition.h"

#include <algorithm>
#include <cstring>

#include "common/simt/decode/program.h"
#include "common/simt/machine/block.h"
#include "common/simt/machine/memory/memory.h"
#include "common/simt/machine/sync/async.h"

namespace gpulab::simt {

namespace {

/// The bytes of global memory; nothing where the host sees some of them, which it may change at any time.
std::optional<std::uint64_t> bytes_of(const GlobalMemory& memory, bool host_is_still) {
  std::uint64_t bytes = 0;
  for (const auto& one : memory.allocations()) {
    if (one->host == nullptr) continue;
    if (!host_is_still && (one->foreign || is_of_host(*one))) return std::nullopt;
    bytes += one->bytes;
  }
  return bytes;
}

}  // namespace

void StateHash::add(const void* bytes, std::size_t count) {
  constexpr std::size_t lanes = 4, step = lanes * sizeof(std::uint64_t);
  const auto* at = static_cast<const std::byte*>(bytes);
  std::uint64_t sums[lanes] = {1, 2, 3, 4};
  for (; count >= step; at += step, count -= step)
    for (std::size_t i = 0; i < lanes; ++i) {
      std::uint64_t word;
      std::memcpy(&word, at + i * sizeof word, sizeof word);
      sums[i] = (sums[i] ^ word) * 0x9e3779b97f4a7c15u;
      sums[i] ^= sums[i] >> 32;
    }
  for (; count > 0; ++at, --count) sums[0] = (sums[0] ^ static_cast<std::uint64_t>(*at)) * 0x100000001b3u;
  for (const std::uint64_t sum : sums) add(sum);
}

void BlockContext::add_places_to(StateHash& hash) const {
  hash.add(linear);
  hash.add(live);
  for (const Warp& w : warps) {
    hash.add(w.splits.size());
    for (const Split& split : w.splits) {
      hash.add(reinterpret_cast<std::uintptr_t>(split.resume));
      hash.add(std::uint64_t{split.mask} << 32 | split.block);
      hash.add(std::uint64_t{split.members} << 32 | split.barrier);
      hash.add(static_cast<std::uint64_t>(split.state));
      hash.add(std::uint64_t{split.local_base} << 32 | static_cast<std::uint32_t>(split.reconvergence));
    }
  }
}

void BlockContext::add_state_to(StateHash& hash) const {
  const Program& program = *launch.program;
  for (const Warp& w : warps) {
    hash.add(std::uint64_t{w.live} << 32 | w.carry);
    for (const Reconvergence& point : w.reconvergences) {
      if (!point.in_use) continue;
      hash.add(reinterpret_cast<std::uintptr_t>(point.resume));
      hash.add(std::uint64_t{point.block} << 32 | point.expected);
      hash.add(std::uint64_t{point.arrived} << 32 | static_cast<std::uint32_t>(point.parent));
      hash.add(std::uint64_t{point.local_base} << 32 | static_cast<std::uint32_t>(point.call));
      for (const Reconvergence::Saved& saved : point.saved) {
        hash.add(saved.slots.data(), saved.slots.size() * sizeof(Slot));
        hash.add(saved.preds.data(), saved.preds.size() * sizeof(std::uint32_t));
      }
    }
    settle_registers(w);
    hash.add(w.regs, program.slots * sizeof(Slot));
    hash.add(w.preds, program.preds * sizeof(std::uint32_t));
  }
  for (const Barrier& barrier : barriers) hash.add(&barrier, sizeof barrier);
  for (const std::uint32_t came : cluster_came) hash.add(came);
  if (!warps.empty()) hash.add(shared_, warps[0].shared_bytes);
  if (local_) hash.add(local_->data(), warps.size() * kLanes * warps[0].local_bytes);
  hash.add(acts);
}

bool Repetition::may_look(std::uint64_t bytes) {
  if (looked_at_ + bytes > turns_ * kBytesPerTurn) return false;
  looked_at_ += bytes;
  return true;
}

void Repetition::reset() {
  if (turns_ != 0) *this = {};
}

bool Repetition::found(std::span<const BlockContext* const> blocks, const GlobalMemory& memory, bool host_is_still) {
  ++turns_;
  ++since_;
  StateHash places;
  for (const BlockContext* block : blocks) block->add_places_to(places);
  const bool may_be_kept = kept_ && kept_->places == places.value();
  if (!may_be_kept && since_ < next_) return false;
  const auto of_memory = bytes_of(memory, host_is_still);
  if (!of_memory || std::ranges::any_of(blocks, [](const BlockContext* block) {
        return std::ranges::any_of(block->async, &AsyncQueue::used);
      }))
    return false;
  if (!may_look(*of_memory + blocks.size() * context_bytes(blocks.front()->launch))) return false;
  StateHash all;
  for (const BlockContext* block : blocks) block->add_state_to(all);
  for (const auto& one : memory.allocations())
    if (one->host != nullptr) all.add(one->host, one->bytes);
  if (may_be_kept && kept_->all == all.value()) return true;
  if (since_ >= next_) {
    kept_ = {places.value(), all.value()};
    next_ *= 2;
    since_ = 0;
  }
  return false;
}

}  // namespace gpulab::simt
