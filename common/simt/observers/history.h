#pragma once
// Happens-before between the threads of a launch. Each thread has a clock; an access carries its thread's clock. What
// others know of it is a bound: all accesses with a clock below are ordered before what they do from now on.
//
// Order comes from barriers, .sync warp collectives, and from releases to a location that others acquire: read-modify-
// writes, and volatile stores behind a fence that are seen by volatile loads before one (README.md: what a race is).
// After FastTrack (Flanagan, Freund, PLDI 2009), with the blocks and warps of a grid in place of vector clocks.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

using Clock = std::uint32_t;  ///< 0: never

class SyncObject;

/// What one thread has learned from a location: all releases up to `length`.
struct Acquired {
  SyncObject* object = nullptr;
  std::uint32_t length = 0;
  [[nodiscard]] bool operator==(const Acquired&) const = default;
};

/// What a thread tells others when it releases.
struct Knowledge {
  std::uint32_t block = 0, thread = 0;  ///< thread of the block
  Clock own = 0;                        ///< bound on its own accesses
  Clock everyone = 0;                   ///< bound on those of all threads of its block
  Clock warp_mates = 0;                 ///< bound on those of its warp
  std::vector<Acquired> from;           ///< learned elsewhere
  /// By thread of its block: bounds on what each had fenced before they met at a barrier; may be empty.
  std::shared_ptr<const std::vector<Clock>> fenced{};
};

/// What the locations of a launch share, so that blocks may keep what searches through them have reached.
struct SearchesOfLaunch {
  std::uint64_t forgotten =
      0;                 ///< how often a location has ceased to tell apart what its releasers had acquired elsewhere
  std::size_t kept = 0;  ///< entries in the ReachedSets of all blocks
};

/// A location (or a named barrier) through which threads order their accesses.
class SyncObject {
 public:
  SyncObject() = default;
  /// What a search has found may be kept until `launch->forgotten` changes; without a launch nothing is kept.
  explicit SyncObject(SearchesOfLaunch* launch) : launch_(launch) {}

  void release(const Knowledge& knowledge);
  [[nodiscard]] Acquired acquire() {
    acquired_length_ = length_;
    return {this, length_};
  }
  /// Whether what was acquired says that the thread's access at `clock` is over: its locations' releases, or those that
  /// the releasers had acquired elsewhere.
  /// Adds to `work` how many locations it looked at.
  [[nodiscard]] static bool tell(std::vector<Acquired> what, std::uint32_t block, std::uint32_t thread, Clock clock,
                                 std::uint64_t& work);
  /// All that `tell` would ask where nobody knows the answer: of each location the most.
  [[nodiscard]] static std::vector<Acquired> reach(std::vector<Acquired> what, std::uint64_t& work);
  /// Whether the releases here before `length` say so.
  [[nodiscard]] bool tells(std::uint32_t block, std::uint32_t thread, Clock clock, std::uint32_t length) const;
  [[nodiscard]] bool tells_of(std::uint32_t block) const { return of_blocks_.contains(block); }
  /// Threads of one block alone come here: behind a barrier of all of them it has nothing to tell any more.
  void keep_within_a_block() { within_a_block_ = true; }
  [[nodiscard]] bool is_within_a_block() const { return within_a_block_; }
  [[nodiscard]] SearchesOfLaunch* launch() const { return launch_; }

 private:
  /// What grows with the releases, by the position of the release that changed it. Only the last changes are told
  /// apart, whatever a kernel does: those before count as one, so that it knows too much rather than too little.
  template <typename Value>
  class Steps {
   public:
    /// Nothing, unless it is more. Whether changes before have ceased to be told apart.
    bool grow(std::uint32_t position, const Value& value, auto is_more) {
      if (!steps_.empty() && !is_more(value, steps_.back().second)) return false;
      if (!steps_.empty() && steps_.back().first == position) {
        steps_.back().second = value;
        return false;
      }
      steps_.emplace_back(position, value);
      if (steps_.size() < 2 * kKept) return false;
      steps_[kKept].first = steps_[0].first;
      steps_.erase(steps_.begin(), steps_.begin() + kKept);
      return true;
    }
    /// By the releases before `length`; nothing: Value{}.
    [[nodiscard]] Value before(std::uint32_t length) const {
      for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
        if (step->first < length) return step->second;
      return Value{};
    }

   private:
    static constexpr int kKept = 16;
    std::vector<std::pair<std::uint32_t, Value>> steps_;
  };
  using Clocks = std::shared_ptr<const std::vector<Clock>>;
  /// What the threads of one block have released: Knowledge, by thread or by warp.
  struct OfBlock {
    std::unordered_map<std::uint32_t, Steps<Clock>> own, warp_mates;
    Steps<Clock> everyone;
    Steps<Clocks> fenced;
  };

  SearchesOfLaunch* launch_ = nullptr;
  bool within_a_block_ = false;
  std::unordered_map<std::uint32_t, OfBlock> of_blocks_;
  /// Lengths of others that the releasers had acquired, in the order in which they came: addresses differ between runs.
  std::vector<std::pair<SyncObject*, Steps<std::uint32_t>>> from_;
  std::unordered_map<SyncObject*, std::size_t> index_;       ///< in from_
  std::uint32_t length_ = 0;                                 ///< releases so far
  std::uint32_t acquired_length_ = 0;                        ///< of them, those that somebody knows of
  std::pair<std::uint32_t, std::uint32_t> last_releaser_{};  ///< its block and thread
};

/// What the last askers of a block had reached: accesses come in thousands between two acquires, and each search looks
/// at all that the releasers before had acquired. What lies before an acquired length changes no more, but where a
/// location forgets (SyncObject): so the same locations are asked as by a search, of each once, and only those that
/// know of the other's block.
class ReachedSets {
 public:
  /// What an asker has acquired: the version of its own list, and of its block's.
  using Key = std::pair<std::uint64_t, std::uint64_t>;
  struct Question {
    std::uint32_t block, thread;
    Clock clock;
  };
  static constexpr std::size_t kSets = 32;               ///< kept at a time
  static constexpr std::size_t kMostEntries = 1 << 15;   ///< in all sets of a block, 16 bytes each at most
  static constexpr std::size_t kMostOfLaunch = 1 << 22;  ///< in those of all blocks: 64 MiB

  explicit ReachedSets(SearchesOfLaunch& launch) : launch_(launch) {}
  ReachedSets(const ReachedSets&) = delete;
  ReachedSets& operator=(const ReachedSets&) = delete;
  ~ReachedSets() { shrink(entries_); }

  /// Nothing: not kept.
  [[nodiscard]] std::optional<bool> ask(const Key& key, const Question& question, std::uint64_t& work);
  /// False: too much to keep.
  bool keep(const Key& key, std::vector<Acquired> reached);
  [[nodiscard]] std::size_t entries() const { return entries_; }

 private:
  struct Set {
    Key key;
    std::uint64_t forgotten = 0;
    std::vector<Acquired> reached;
    std::unordered_map<std::uint32_t, std::vector<Acquired>> of_block;  ///< those that know of it
    std::size_t entries = 0;                                            ///< in both
  };
  /// An entry of `of_block` takes about as much as these beside its list.
  static constexpr std::size_t kEntriesOfAList = 5;
  void drop(std::size_t set);
  [[nodiscard]] bool has_room(std::size_t entries) const {
    return entries_ + entries <= kMostEntries && launch_.kept + entries <= kMostOfLaunch;
  }
  void grow(std::size_t entries) { entries_ += entries, launch_.kept += entries; }
  void shrink(std::size_t entries) { entries_ -= entries, launch_.kept -= entries; }

  SearchesOfLaunch& launch_;
  std::vector<Set> sets_;
  std::size_t last_ = 0, oldest_ = 0, entries_ = 0;
};

/// The clocks of one block's threads.
class BlockHistory {
 public:
  BlockHistory(std::uint32_t block, std::uint32_t threads);

  /// As new, for another block of the same size.
  void restart(std::uint32_t block);
  /// The block has ended.
  void end() { reached_.reset(); }
  [[nodiscard]] Clock clock(std::uint32_t thread) const { return clocks_[thread]; }
  [[nodiscard]] const Clock* clocks() const { return clocks_.data(); }
  /// Bound on the accesses of all threads of the block that all of them know of.
  [[nodiscard]] Clock everyone() const { return everyone_; }
  /// The same where no thread has left before a barrier that the others passed, else 0: ask `knows`.
  [[nodiscard]] Clock everyone_surely() const { return left_.empty() ? everyone_ : 0; }
  /// Whether `thread` of this block knows that another's access is over. Most kernels release nothing: who has acquired
  /// nothing is not asked what.
  [[nodiscard]] bool knows(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other, Clock clock) const {
    if (other_block == block_ && (left_.empty() || clock < left_[other])) {
      if (other == thread || clock < everyone_ || (other / kLanes == thread / kLanes && clock < mates(thread, other)))
        return true;
    }
    return (!learned_.empty() || !acquired_.empty()) && knows_by_release(thread, other_block, other, clock);
  }

  /// Lanes of a warp have left the kernel: what follows says nothing of what they did since their last barrier.
  void leave(std::uint32_t warp, std::uint32_t lanes);
  void barrier();  ///< of all threads that have not left
  void warp_sync(std::uint32_t warp, std::uint32_t members, std::uint32_t live);
  void fence(std::uint32_t thread);
  /// The same as `knows` says of another block, by a search each time.
  [[nodiscard]] bool knows_by_search(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                     Clock clock) const;
  /// Entries kept of such searches.
  [[nodiscard]] std::size_t reached() const { return reached_ ? reached_->entries() : 0; }
  /// How many locations have been looked at since the last call, to find who knows what.
  [[nodiscard]] std::uint64_t take_work() { return std::exchange(work_, 0); }
  [[nodiscard]] bool has_fenced(std::uint32_t thread) const {
    return fenced_ || (!learned_.empty() && learned_[thread].fenced.own != 0);
  }
  /// What the thread may release: what it knew at its last fence, or (`now`: .release) what it knows.
  [[nodiscard]] Knowledge release(std::uint32_t thread, bool now);
  void acquire(std::uint32_t thread, Acquired what);
  /// Learned for good at the thread's next fence: a volatile load.
  void acquire_at_fence(std::uint32_t thread, Acquired what) { learned(thread).pending.push_back(what); }

 private:
  /// Of a thread that has fenced or acquired: few have.
  struct Learned {
    Knowledge fenced;
    std::vector<Acquired> acquired, pending;
    std::uint64_t version = 0;  ///< of `acquired`: lists of the same version are alike; 0: empty
  };
  Learned& learned(std::uint32_t thread) {
    if (learned_.empty()) learned_.resize(clocks_.size());
    return learned_[thread];
  }
  struct Warp {
    Clock synchronised = 1;          ///< bound known by all lanes of all
    std::unique_ptr<Clock[]> mates;  ///< [knower][known]: where some lanes synchronised alone
  };
  [[nodiscard]] Clock mates(std::uint32_t knower, std::uint32_t known) const {
    const Warp& warp = warps_[knower / kLanes];
    const Clock pair = warp.mates ? warp.mates[(knower % kLanes) * kLanes + known % kLanes] : 0;
    return pair > warp.synchronised ? pair : warp.synchronised;
  }
  [[nodiscard]] bool knows_by_release(std::uint32_t thread, std::uint32_t other_block, std::uint32_t other,
                                      Clock clock) const;
  [[nodiscard]] std::vector<Acquired> acquired_by(std::uint32_t thread) const;
  static void warp_sync_of_all(Warp& w, Clock* clocks);
  void know(std::uint32_t thread, Knowledge& k);
  void acquired_more(std::uint32_t thread);

  std::uint32_t block_;
  Clock everyone_ = 1;
  std::vector<Clock> left_;  ///< empty, or by thread: its clock when it left, if it has, else UINT32_MAX
  std::vector<Clock> clocks_;
  std::vector<Learned> learned_;  ///< empty, or of every thread
  std::vector<Warp> warps_;
  std::vector<Acquired> acquired_;                    ///< by all threads
  std::shared_ptr<const std::vector<Clock>> fenced_;  ///< at the last barrier behind a fence: Knowledge::fenced
  bool fenced_since_ = false;
  mutable std::uint64_t work_ = 0;
  std::uint64_t versions_ = 0;                    ///< given so far
  std::uint64_t acquired_version_ = 0;            ///< of acquired_
  mutable std::unique_ptr<ReachedSets> reached_;  ///< of blocks that have searched
};

}  // namespace gpulab::simt
