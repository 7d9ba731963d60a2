#include "common/simt/observers/history.h"

#include <algorithm>
#include <bit>
#include <functional>
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
  // Where nobody has looked since the same thread's last release, this one is not told apart from it.
  const std::pair releaser{k.block, k.thread};
  if (length_ == 0 || length_ == acquired_length_ || releaser != last_releaser_) ++length_;
  last_releaser_ = releaser;
  const std::uint32_t position = length_ - 1;
  constexpr std::greater<> more;
  OfBlock& of = of_blocks_[k.block];
  of.own[k.thread].grow(position, k.own, more);
  of.warp_mates[k.thread / kLanes].grow(position, k.warp_mates, more);
  of.everyone.grow(position, k.everyone, more);
  if (k.fenced) of.fenced.grow(position, k.fenced, std::not_equal_to<>());
  for (const Acquired& one : k.from) {
    if (one.object == this) continue;
    const auto [at, is_new] = index_.try_emplace(one.object, from_.size());
    if (is_new) from_.push_back({one.object, {}});
    from_[at->second].second.grow(position, one.length, more);
  }
}

bool SyncObject::tells(std::uint32_t block, std::uint32_t thread, Clock clock, std::uint32_t length) const {
  const auto found = of_blocks_.find(block);
  if (found == of_blocks_.end()) return false;
  const OfBlock& of = found->second;
  const auto says = [&](const auto& by, std::uint32_t which) {
    const auto it = by.find(which);
    return it != by.end() && clock < it->second.before(length);
  };
  if (clock < of.everyone.before(length) || says(of.own, thread) || says(of.warp_mates, thread / kLanes)) return true;
  const Clocks fenced = of.fenced.before(length);
  return fenced && clock < (*fenced)[thread];
}

// Breadth first, each location again only where more of it is known: many paths lead from one to another (a block that
// looks back at 32 others, which did the same), and following each would take time exponential in their length.
bool SyncObject::tell(std::vector<Acquired> what, std::uint32_t block, std::uint32_t thread, Clock clock,
                      std::uint64_t& work) {
  work += what.size();
  for (const Acquired& a : what)
    if (a.object->tells(block, thread, clock, a.length)) return true;
  std::unordered_map<SyncObject*, std::uint32_t> seen;
  for (const Acquired& a : what) seen[a.object] = std::max(seen[a.object], a.length);
  std::vector<Acquired> next;
  for (int depth = 0; depth < kDeepest && !what.empty(); ++depth) {
    next.clear();
    for (const Acquired& a : what)
      for (const auto& [object, lengths] : a.object->from_) {
        ++work;
        const std::uint32_t more = lengths.before(a.length);
        std::uint32_t& length = seen[object];
        if (more <= length) continue;
        length = more;
        if (object->tells(block, thread, clock, more)) return true;
        next.push_back({object, more});
      }
    what.swap(next);
  }
  return false;
}

BlockHistory::BlockHistory(std::uint32_t block, std::uint32_t threads)
    : block_(block), clocks_(threads, 1), warps_((threads + kLanes - 1) / kLanes) {}

void BlockHistory::restart(std::uint32_t block) {
  block_ = block;
  everyone_ = 1;
  left_.clear();
  std::fill(clocks_.begin(), clocks_.end(), Clock{1});
  for (Warp& w : warps_) w = Warp{};
  learned_.clear();
  acquired_.clear();
  fenced_.reset();
  fenced_since_ = false;
}

void BlockHistory::leave(std::uint32_t warp, std::uint32_t lanes) {
  if (lanes && left_.empty()) left_.assign(clocks_.size(), UINT32_MAX);
  for (; lanes; lanes &= lanes - 1) {
    const std::uint32_t thread = warp * kLanes + static_cast<std::uint32_t>(std::countr_zero(lanes));
    if (left_[thread] == UINT32_MAX) left_[thread] = clocks_[thread];
  }
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
  if (members == kFullMask && learned_.empty()) return warp_sync_of_all(warps_[warp], clocks_.data() + first);
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

/// Most __syncwarp(): all lanes, who have learned nothing elsewhere. The loops have no branches.
void BlockHistory::warp_sync_of_all(Warp& w, Clock* clocks) {
  Clock bound = 0;
  for (std::uint32_t i = 0; i < kLanes; ++i) bound = std::max(bound, clocks[i]);
  ++bound;
  std::fill_n(clocks, kLanes, bound);
  w.synchronised = bound;
  w.mates.reset();
}

/// Writes what the thread knows over `k`, whose memory serves again: fences are told of a thread at a time.
void BlockHistory::know(std::uint32_t thread, Knowledge& k) {
  k.block = block_;
  k.thread = thread;
  k.own = clocks_[thread] + 1;
  k.everyone = everyone_;
  k.warp_mates = warps_[thread / kLanes].synchronised;
  k.from = learned(thread).acquired;
  merge(k.from, acquired_);
}

void BlockHistory::fence(std::uint32_t thread) {
  Learned& l = learned(thread);
  merge(l.acquired, l.pending);
  l.pending.clear();
  know(thread, l.fenced);
  ++clocks_[thread];
  fenced_since_ = true;
}

Knowledge BlockHistory::release(std::uint32_t thread, bool now) {
  Knowledge k;
  if (now) {
    know(thread, k);
    ++clocks_[thread];
  } else {
    k = learned(thread).fenced;
  }
  k.block = block_;
  k.thread = thread;
  k.fenced = fenced_;
  return k;
}

void BlockHistory::acquire(std::uint32_t thread, Acquired what) { merge(learned(thread).acquired, {what}); }

bool BlockHistory::knows_by_release(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                    Clock clock) const {
  std::vector<Acquired> all = acquired_;
  if (!learned_.empty()) merge(all, learned_[thread].acquired);
  return !all.empty() && SyncObject::tell(std::move(all), other_block, other, clock, work_);
}

}  // namespace gpulab::simt
