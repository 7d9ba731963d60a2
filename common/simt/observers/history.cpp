#include "common/simt/observers/history.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpulab::simt {

namespace {

/// Releases pass on what was acquired elsewhere; chains through more locations than this are not followed.
constexpr int kDeepest = 8;

/// Keeps the most of each location.
void merge(std::vector<Acquired>& into, const std::vector<Acquired>& from) {
  for (const Acquired& one : from) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const Acquired& a) { return a.object == one.object; });
    if (known == into.end())
      into.push_back(one);
    else
      known->length = std::max(known->length, one.length);
  }
}

}  // namespace

void SyncObject::release(const Knowledge& k) {
  releases_[k.block].push_back({length_, k.thread, k.own, k.everyone, k.warp_mates, k.fenced});
  for (const Acquired& one : k.from)
    if (one.object != this) from_.emplace_back(length_, one);
  ++length_;
}

bool SyncObject::knows(std::uint32_t block, std::uint32_t thread, Clock clock, std::uint32_t length, int depth) const {
  if (const auto found = releases_.find(block); found != releases_.end())
    for (const Release& r : found->second) {
      if (r.position >= length) break;
      if (clock < r.everyone || (r.thread == thread && clock < r.own) ||
          (r.thread / kLanes == thread / kLanes && clock < r.warp_mates) || (r.fenced && clock < (*r.fenced)[thread]))
        return true;
    }
  if (depth == kDeepest) return false;
  return std::any_of(from_.begin(), from_.end(), [&](const auto& one) {
    return one.first < length && one.second.object->knows(block, thread, clock, one.second.length, depth + 1);
  });
}

BlockHistory::BlockHistory(std::uint32_t block, std::uint32_t threads)
    : block_(block), clocks_(threads, 1), warps_((threads + kLanes - 1) / kLanes) {}

void BlockHistory::restart(std::uint32_t block) {
  block_ = block;
  everyone_ = 1;
  std::fill(clocks_.begin(), clocks_.end(), Clock{1});
  for (Warp& w : warps_) w = Warp{};
  learned_.clear();
  acquired_.clear();
  fenced_.reset();
  fenced_since_ = false;
}

void BlockHistory::barrier() {
  const Clock bound = *std::max_element(clocks_.begin(), clocks_.end()) + 1;
  std::fill(clocks_.begin(), clocks_.end(), bound);
  for (Learned& l : learned_) {
    merge(acquired_, l.acquired);
    l.acquired.clear();
  }
  // "Every thread fences, then one of them, behind the barrier, tells the others": a barrier carries fences on.
  if (std::exchange(fenced_since_, false)) {
    std::vector<Clock> fenced;
    for (const Learned& l : learned_) fenced.push_back(l.fenced.own);
    fenced_ = std::make_shared<const std::vector<Clock>>(std::move(fenced));
  }
  everyone_ = bound;
  for (Warp& w : warps_) {
    w.synchronised = bound;
    w.mates.reset();
  }
}

void BlockHistory::warp_sync(std::uint32_t warp, std::uint32_t members, std::uint32_t live) {
  if ((members & (members - 1)) == 0) return;
  const std::uint32_t first = warp * kLanes;
  Clock bound = 0;
  std::vector<Acquired> together;
  for (std::uint32_t left = members; left; left &= left - 1) {
    const std::uint32_t thread = first + static_cast<std::uint32_t>(std::countr_zero(left));
    bound = std::max(bound, clocks_[thread]);
    if (!learned_.empty()) merge(together, learned_[thread].acquired);
  }
  ++bound;
  Warp& w = warps_[warp];
  if ((live & ~members) == 0) {
    w.synchronised = bound;
    w.mates.reset();
  } else {
    if (!w.mates) w.mates = std::make_unique<Clock[]>(kLanes * kLanes);
    for (std::uint32_t known = 0; known < kLanes; ++known) {
      Clock most = members >> known & 1 ? bound : 0;
      for (std::uint32_t left = members; left; left &= left - 1)
        most = std::max(most, mates(first + static_cast<std::uint32_t>(std::countr_zero(left)), first + known));
      for (std::uint32_t left = members; left; left &= left - 1)
        w.mates[static_cast<std::uint32_t>(std::countr_zero(left)) * kLanes + known] = most;
    }
  }
  for (std::uint32_t left = members; left; left &= left - 1) {
    const std::uint32_t thread = first + static_cast<std::uint32_t>(std::countr_zero(left));
    clocks_[thread] = bound;
    if (!together.empty()) merge(learned_[thread].acquired, together);
  }
}

Knowledge BlockHistory::knowledge(std::uint32_t thread) {
  Knowledge k{
      block_, thread, clocks_[thread] + 1, everyone_, warps_[thread / kLanes].synchronised, learned(thread).acquired};
  merge(k.from, acquired_);
  return k;
}

void BlockHistory::fence(std::uint32_t thread) {
  Learned& l = learned(thread);
  merge(l.acquired, l.pending);
  l.pending.clear();
  l.fenced = knowledge(thread);
  ++clocks_[thread];
  fenced_since_ = true;
}

Knowledge BlockHistory::release(std::uint32_t thread, bool now) {
  Knowledge k = now ? knowledge(thread) : learned(thread).fenced;
  if (now) ++clocks_[thread];
  k.block = block_;
  k.thread = thread;
  k.fenced = fenced_;
  return k;
}

void BlockHistory::acquire(std::uint32_t thread, Acquired what) { merge(learned(thread).acquired, {what}); }

bool BlockHistory::knows_by_release(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                    Clock clock) const {
  const auto told = [&](const Acquired& a) { return a.object->knows(other_block, other, clock, a.length); };
  const auto any = [&](const std::vector<Acquired>& all) { return std::any_of(all.begin(), all.end(), told); };
  return (!learned_.empty() && any(learned_[thread].acquired)) || any(acquired_);
}

}  // namespace gpulab::simt
