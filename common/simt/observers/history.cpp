#include "common/simt/observers/history.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace gpulab::simt {

namespace {

/// Releases pass on what was acquired elsewhere; chains through more locations than this are not followed.
constexpr int kDeepest = 8;

/// Keeps the most of each location. Whether that is more than before.
bool merge(std::vector<Acquired>& into, const std::vector<Acquired>& from) {
  if (into.empty()) {
    into = from;
    return !from.empty();
  }
  bool more = false;
  for (const Acquired& one : from) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const Acquired& a) { return a.object == one.object; });
    if (known != into.end() && known->length >= one.length) continue;
    more = true;
    if (known == into.end())
      into.push_back(one);
    else
      known->length = one.length;
  }
  return more;
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
    if (from_[at->second].second.grow(position, one.length, more) && launch_) ++launch_->forgotten;
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

std::vector<Acquired> SyncObject::reach(std::vector<Acquired> what, std::uint64_t& work) {
  work += what.size();
  std::vector<Acquired> all = what;
  std::unordered_map<const SyncObject*, std::size_t> seen;  // in all
  for (std::size_t i = 0; i < all.size(); ++i) seen[all[i].object] = i;
  std::vector<Acquired> next;
  for (int depth = 0; depth < kDeepest && !what.empty(); ++depth) {
    next.clear();
    for (const Acquired& a : what)
      for (const auto& [object, lengths] : a.object->from_) {
        ++work;
        const std::uint32_t more = lengths.before(a.length);
        if (more == 0) continue;
        const auto [at, is_new] = seen.try_emplace(object, all.size());
        if (is_new)
          all.push_back({object, more});
        else if (more > all[at->second].length)
          all[at->second].length = more;
        else
          continue;
        next.push_back({object, more});
      }
    what.swap(next);
  }
  return all;
}

std::optional<bool> ReachedSets::ask(const Key& key, const Question& question, std::uint64_t& work) {
  if (last_ >= sets_.size() || sets_[last_].key != key)
    last_ = static_cast<std::size_t>(
        std::find_if(sets_.begin(), sets_.end(), [&](const Set& set) { return set.key == key; }) - sets_.begin());
  if (last_ == sets_.size() || sets_[last_].forgotten != launch_.forgotten) return std::nullopt;
  Set& set = sets_[last_];
  const auto ask_all = [&](const std::vector<Acquired>& those) {
    return std::any_of(those.begin(), those.end(), [&](const Acquired& a) {
      ++work;
      return a.object->tells(question.block, question.thread, question.clock, a.length);
    });
  };
  if (const auto known = set.of_block.find(question.block); known != set.of_block.end()) return ask_all(known->second);
  work += set.reached.size();
  std::vector<Acquired> those;
  for (const Acquired& a : set.reached)
    if (a.object->tells_of(question.block)) those.push_back(a);
  const bool told = ask_all(those);
  const std::size_t more = those.size() + kEntriesOfAList;
  if (has_room(more)) {
    those.shrink_to_fit();
    set.of_block.emplace(question.block, std::move(those));
    set.entries += more;
    grow(more);
  } else {  // room for lists of others: this one's blocks may be asked about no more
    shrink(set.entries - set.reached.size());
    set.entries = set.reached.size();
    set.of_block.clear();
  }
  return told;
}

bool ReachedSets::keep(const Key& key, std::vector<Acquired> reached) {
  if (reached.size() > kMostEntries) return false;
  std::size_t at = 0;
  while (at < sets_.size() && sets_[at].key != key) ++at;
  if (at == sets_.size() && at < kSets)
    sets_.emplace_back();
  else if (at == sets_.size())
    at = oldest_++ % kSets;
  drop(at);
  for (std::size_t i = 0; i < sets_.size() && !has_room(reached.size()); ++i) drop(i);
  if (!has_room(reached.size())) return false;
  reached.shrink_to_fit();
  const std::size_t entries = reached.size();
  grow(entries);
  sets_[at] = {key, launch_.forgotten, std::move(reached), {}, entries};
  last_ = at;
  return true;
}

/// No thread has a key of two zeros: it has acquired nothing.
void ReachedSets::drop(std::size_t set) {
  shrink(sets_[set].entries);
  sets_[set] = {};
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
  versions_ = acquired_version_ = 0;
  reached_.reset();
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
  bool more = false;
  for (Learned& l : learned_) {
    // What threads of this block told each other all of them know now; but those who have left are not here to know.
    if (left_.empty()) std::erase_if(l.acquired, [](const Acquired& a) { return a.object->is_within_a_block(); });
    more |= merge(acquired_, l.acquired);
    l.acquired.clear();
    l.version = 0;
  }
  if (more) acquired_version_ = ++versions_;
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
  bool more = false;
  std::uint64_t version = 0;  // of the first: that of all, where none of them learns anything
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
    if (together.empty()) continue;
    more |= merge(learned_[thread].acquired, together);
    version = learned_[first + static_cast<std::uint32_t>(std::countr_zero(members))].version;
    more |= learned_[thread].version != version;
  }
  if (!more) return;
  ++versions_;
  for (std::uint32_t left = members; left; left &= left - 1)
    learned_[first + static_cast<std::uint32_t>(std::countr_zero(left))].version = versions_;
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
  if (merge(l.acquired, l.pending)) acquired_more(thread);
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

void BlockHistory::acquire(std::uint32_t thread, Acquired what) {
  if (merge(learned(thread).acquired, {what})) acquired_more(thread);
}

/// Threads often acquire the same in turns, and one search serves them all.
void BlockHistory::acquired_more(std::uint32_t thread) {
  Learned& l = learned_[thread];
  for (const std::uint32_t before : {1u, static_cast<std::uint32_t>(kLanes)})
    if (thread >= before && learned_[thread - before].acquired == l.acquired) {
      l.version = learned_[thread - before].version;
      return;
    }
  l.version = ++versions_;
}

std::vector<Acquired> BlockHistory::acquired_by(std::uint32_t thread) const {
  std::vector<Acquired> all = acquired_;
  if (!learned_.empty()) merge(all, learned_[thread].acquired);
  return all;
}

bool BlockHistory::knows_by_search(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                   Clock clock) const {
  std::vector<Acquired> all = acquired_by(thread);
  return !all.empty() && SyncObject::tell(std::move(all), other_block, other, clock, work_);
}

bool BlockHistory::knows_by_release(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                    Clock clock) const {
  static const std::vector<Acquired> nothing;
  const std::vector<Acquired>& own = learned_.empty() ? nothing : learned_[thread].acquired;
  if (own.empty() && acquired_.empty()) return false;
  SearchesOfLaunch* launch = (own.empty() ? acquired_ : own).front().object->launch();
  if (!launch) return knows_by_search(thread, other_block, other, clock);
  const ReachedSets::Key key{own.empty() ? 0 : learned_[thread].version, acquired_version_};
  const ReachedSets::Question question{other_block, other, clock};
  if (!reached_) reached_ = std::make_unique<ReachedSets>(*launch);
  if (const auto known = reached_->ask(key, question, work_)) return *known;
  // Most is told by what the thread has acquired itself.
  for (const auto* those : {&own, &acquired_})
    for (const Acquired& a : *those) {
      ++work_;
      if (a.object->tells(other_block, other, clock, a.length)) return true;
    }
  if (reached_->keep(key, SyncObject::reach(acquired_by(thread), work_))) return *reached_->ask(key, question, work_);
  return knows_by_search(thread, other_block, other, clock);
}

}  // namespace gpulab::simt
