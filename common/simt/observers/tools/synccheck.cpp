// synccheck: barriers that threads reach apart, not at all or go round, and .sync instructions whose member masks are
// wrong.

#include <algorithm>
#include <bit>
#include <optional>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/member_groups.h"
#include "common/simt/observers/tool.h"
#include "common/simt/observers/values/undefined_values.h"
#include "common/simt/observers/values/value_step.h"
#include "common/simt/observers/ways_around.h"

namespace gpulab::simt {

namespace {

struct BlockState {
  explicit BlockState(const BlockContext& block)
      : lanes(block.warps.size()), arrived(block.warps.size()), ways(block) {}
  void restart(const BlockContext& block) {
    std::fill(lanes.begin(), lanes.end(), 0u);
    std::fill(arrived.begin(), arrived.end(), 0u);
    ways.restart(block);
  }
  std::vector<std::uint32_t> lanes;    ///< by warp: that have gone on without those that polled, since its last barrier
  std::vector<std::uint32_t> arrived;  ///< by warp: lanes that have come to the cluster's barrier, and not waited yet
  WaysAround ways;
};

/// Lanes that wait at one barrier.
struct Waiter {
  const Warp* warp;
  const Split* split;
  [[nodiscard]] std::uint32_t site() const { return split->resume[-1].site; }
  [[nodiscard]] Suspect first_lane() const { return suspect(*warp, std::countr_zero(split->mask), site()); }
};

class Synccheck final : public Observer {
 public:
  explicit Synccheck(const ToolParts& parts)
      : Observer(kWatchCollectives | kWatchWays | kWatchCompleted),
        values_(parts.values),
        accusations_(parts.accusations) {
    values_.follow();
  }

  void grid_started(const LaunchState&) override { blocks_.clear(); }
  void block_started(const BlockContext& block) override { blocks_.start(block); }
  void block_ended(const BlockContext& block) override { blocks_.end(block); }
  void went_on_alone(const Warp& w, std::uint32_t lanes) override { blocks_.of(*w.block).lanes[w.index] |= lanes; }

  void passed(const Warp& w, const MicroOp* op, WayPoint point, std::uint32_t way) override {
    blocks_.of(*w.block).ways.passed(w, op->site, point, way);
  }

  void barrier_completed(const BlockContext& block, std::uint32_t number, bool) override {
    check_barrier(block, number);
    for (const Warp& w : block.warps)
      if (block.barriers[number].lanes[w.index]) blocks_.of(block).lanes[w.index] = 0;
  }
  void cluster_reached(Warp& w, const MicroOp* op) override {
    std::uint32_t& arrived = blocks_.of(*w.block).arrived[w.index];
    if (const std::uint32_t again = arrived & w.mask)
      accuse(
          suspect(w, std::countr_zero(again), op->site), {},
          "a thread arrives at the cluster's barrier again, without having waited there; each arrival needs its wait");
    arrived |= w.mask;
  }
  void cluster_passed(const Warp& w, const MicroOp* op) override {
    std::uint32_t& arrived = blocks_.of(*w.block).arrived[w.index];
    if (const std::uint32_t others = w.mask & ~arrived)
      accuse(suspect(w, std::countr_zero(others), op->site), {},
             "a thread waits at the cluster's barrier without having arrived there: it does not wait for the others");
    arrived &= ~w.mask;
  }
  void collective(Warp& w, const MicroOp* op) override {
    bool complete = true, whole = false;
    for_each_member_group(w, op, [&](std::uint32_t group, std::uint32_t members) {
      whole = is_whole_warp(w, group, members);
      if (whole) return;
      check_group(w, op, group, members);
      complete &= (members & w.live & ~group) == 0;
    });
    if (complete && !whole) check_shuffle(w, op);
  }
  /// Some who were there when the others came may have left the kernel since.
  void warp_synchronised(Warp& w, const MicroOp* op, std::uint32_t) override { check_shuffle(w, op); }
  void deadlocked(const BlockContext& block, const std::string& what) override {
    for (const Warp& w : block.warps)
      for (const Split& split : w.splits) {
        const MicroOp* at = split.state == Split::State::barrier && split.resume ? split.resume - 1 : split.resume;
        if (!at) continue;
        return accuse(suspect(w, std::countr_zero(split.mask), at->site), {}, what);
      }
  }

 private:
  void accuse(const Suspect& first, const Suspect& second, const std::string& message,
              Severity severity = Severity::error) {
    accusations_.add({.tool = "synccheck",
                      .message = message,
                      .address = {},
                      .first = first,
                      .second = second,
                      .severity = severity});
  }
  std::vector<Waiter> first_waiters(const BlockContext& block, std::uint32_t number, bool& apart);
  void check_barrier(const BlockContext& block, std::uint32_t number);
  /// Where the whole warp is there and says so, nothing is wrong, and every source lane is there, too.
  static bool is_whole_warp(const Warp& w, std::uint32_t group, std::uint32_t members) {
    return (members & group & w.live) == kFullMask;
  }
  void accuse_of_leaving(const BlockContext& block, const Waiter& waiter);
  void check_group(Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members);
  void check_shuffle(Warp& w, const MicroOp* op) {
    if (!(w.program->sites[op->site].facts & kShuffle)) return;
    for_each_member_group(w, op,
                          [&](std::uint32_t group, std::uint32_t members) { check_sources(w, op, group, members); });
  }
  void check_sources(Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members);

  UndefinedValues& values_;
  Accusations& accusations_;
  BlockStates<BlockState> blocks_;
};

/// The first lanes of each warp that wait at a barrier. `apart`: others of a warp wait at another place, and are
/// accused.
std::vector<Waiter> Synccheck::first_waiters(const BlockContext& block, std::uint32_t number, bool& apart) {
  std::vector<Waiter> firsts;
  for (const Warp& w : block.warps) {
    std::optional<Waiter> first;
    for (const Split& split : w.splits) {
      if (split.state != Split::State::barrier || split.barrier != number) continue;
      const Waiter waiter{&w, &split};
      if (!first) {
        first = waiter;
        continue;
      }
      // Branches would have met before the barrier, had nobody polled.
      const std::uint32_t alone = blocks_.of(block).lanes[w.index];
      if (waiter.site() == first->site() && (alone & (first->split->mask | split.mask))) continue;
      if (!(w.program->sites[waiter.site()].facts & kAligned)) continue;
      apart = true;
      accuse(
          first->first_lane(), waiter.first_lane(),
          "threads of one warp reach the barrier apart, in divergent code; every thread of the warp has to reach the "
          "same __syncthreads() together");
    }
    if (first) firsts.push_back(*first);
  }
  return firsts;
}

/// All who wait at a barrier that completes: at one place, and nobody has left.
void Synccheck::check_barrier(const BlockContext& block, std::uint32_t number) {
  bool apart = false;
  const std::vector<Waiter> firsts = first_waiters(block, number, apart);
  // A thread count makes a named barrier, which producers and consumers use at places of their own.
  if (apart || firsts.empty() || block.barriers[number].needed) return;
  const auto elsewhere = std::find_if(firsts.begin(), firsts.end(),
                                      [&](const Waiter& other) { return other.site() != firsts.front().site(); });
  if (elsewhere != firsts.end())
    accuse(firsts.front().first_lane(), elsewhere->first_lane(),
           "warps of one block wait for each other at different barriers; every thread of the block has to reach the "
           "same __syncthreads(), in a loop equally often");
  else if (block.live < block.launch.block.volume())
    accuse_of_leaving(block, firsts.front());
}

/// Some threads have left the kernel, and others wait at a barrier. Who has only left is noted.
void Synccheck::accuse_of_leaving(const BlockContext& block, const Waiter& waiter) {
  const Suspect here = waiter.first_lane();
  if (const auto other = blocks_.of(block).ways.who_went_round(block, here))
    return accuse(
        here, other->thread,
        other->worked
            ? "threads go round a barrier that the others of their block wait at, and work on behind it; every "
              "thread of the block has to reach the same __syncthreads()"
            : "a barrier in a branch: threads of the block go round it, and on to the next one, while others "
              "wait; close the branch before __syncthreads(), so that every thread of the block reaches it");
  accuse(here, {},
         "a barrier does not wait for the threads that have left the kernel (since Volta; before, it hung); let all "
         "threads reach it: no return before it, and it stands in no branch, only the work does",
         Severity::note);
}

/// `group`: the lanes that name the mask `members`.
void Synccheck::check_group(Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members) {
  for (std::uint32_t left = group; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto accuse_lane = [&](const char* message) { accuse(suspect(w, lane, op->site), {}, message); };
    if (members & w.mask & ~group)
      accuse_lane("lanes of one warp name different member masks; all have to name the same lanes");
    if (!(members >> lane & 1))
      accuse_lane(
          "a thread is not in the member mask that it names; the mask has a bit for each lane that comes here: "
          "0xffffffff for whole warps");
  }
}

/// A shuffle from a lane that takes no part gives an undefined value: an error where that is used.
void Synccheck::check_sources(Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members) {
  if (is_whole_warp(w, group, members)) return;
  const std::uint32_t facts = w.program->sites[op->site].facts;
  const auto operand = [&](std::size_t k, int lane) {
    return reinterpret_cast<const std::uint32_t*>(w.regs + op->r[k])[lane];
  };
  std::uint32_t exited = 0, no_member = 0;
  for (std::uint32_t left = group; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto from = shuffle_source(facts, lane, operand(3, lane), operand(4, lane));
    if (from == lane || !(members >> lane & 1)) continue;  // who is no member is told of that
    if (!(w.live >> from & 1))
      exited |= 1u << lane;
    else if (!(members >> from & 1))
      no_member |= 1u << lane;
  }
  const auto tell = [&](std::uint32_t lanes, const char* message) {
    if (!lanes) return;
    if (!values_.may_mark(w, op->site, "synccheck")) {
      for (std::uint32_t left = lanes; left; left &= left - 1)
        accuse(suspect(w, std::countr_zero(left), op->site), {}, message);
      return;
    }
    Undefined what{.tool = "synccheck", .message = message};
    for (std::uint32_t left = lanes; left; left &= left - 1)
      what.undefined[0][static_cast<std::size_t>(std::countr_zero(left))] = ~std::uint64_t{0};
    values_.mark(w, op->site, std::move(what));
  };
  tell(exited,
       "a shuffle reads a lane that has exited; its value is undefined: all lanes of the mask have to come to it, so "
       "take it "
       "out of the branch, or shuffle among those that are there (coalesced_threads(), a smaller tile)");
  tell(no_member,
       "a shuffle reads a lane that is not in the member mask; its value is undefined: the mask has to name all lanes "
       "that "
       "are read, and all of them have to come to it");
}

}  // namespace

namespace tools {
extern const ToolKind synccheck{"synccheck", 40, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                  return std::make_unique<Synccheck>(parts);
                                }};
}  // namespace tools

}  // namespace gpulab::simt
