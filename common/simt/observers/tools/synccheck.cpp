// synccheck: barriers that threads reach apart or not at all, and .sync instructions whose member masks are wrong.

#include <algorithm>
#include <bit>
#include <optional>

#include "common/simt/observers/accusations.h"
#include "common/simt/observers/block_states.h"
#include "common/simt/observers/member_groups.h"
#include "common/simt/observers/tool.h"

namespace gpulab::simt {

namespace {

/// By warp: lanes that have gone on without those that polled, since the warp's last barrier.
struct LanesAlone {
  explicit LanesAlone(const BlockContext& block) : lanes(block.warps.size()) {}
  void restart(const BlockContext&) { std::fill(lanes.begin(), lanes.end(), 0u); }
  std::vector<std::uint32_t> lanes;
};

/// The lane that shfl.sync reads: itself where the source is out of range (PTX ISA: shfl.sync).
int shuffle_source(std::uint32_t facts, int lane, std::uint32_t b, std::uint32_t c) {
  const int amount = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31),
            segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment);
  if (facts & kShuffleUp) return lane - amount >= most ? lane - amount : lane;
  const int from = facts & kShuffleDown  ? lane + amount
                   : facts & kShuffleXor ? lane ^ amount
                                         : (lane & segment) | (amount & ~segment);
  return from <= most ? from : lane;
}

/// Lanes that wait at one barrier.
struct Waiter {
  const Warp* warp;
  const Split* split;
  [[nodiscard]] std::uint32_t site() const { return split->resume[-1].site; }
  [[nodiscard]] Suspect first_lane() const { return suspect(*warp, std::countr_zero(split->mask), site()); }
};

class Synccheck final : public Observer {
 public:
  explicit Synccheck(const ToolParts& parts) : Observer(kWatchCollectives), accusations_(parts.accusations) {}

  void grid_started(const LaunchState&) override { blocks_.clear(); }
  void block_started(const BlockContext& block) override { blocks_.start(block); }
  void block_ended(const BlockContext& block) override { blocks_.end(block); }
  void went_on_alone(const Warp& w, std::uint32_t lanes) override { blocks_.of(*w.block).lanes[w.index] |= lanes; }

  void barrier_completed(const BlockContext& block, std::uint32_t number, bool) override {
    check_barrier(block, number);
    for (const Warp& w : block.warps)
      if (block.barriers[number].lanes[w.index]) blocks_.of(block).lanes[w.index] = 0;
  }
  void collective(Warp& w, const MicroOp* op) override {
    for_each_member_group(w, op,
                          [&](std::uint32_t group, std::uint32_t members) { check_group(w, op, group, members); });
  }
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
  void check_group(const Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members);

  Accusations& accusations_;
  BlockStates<LanesAlone> blocks_;
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
    accuse(firsts.front().first_lane(), {},
           "a barrier does not wait for the threads that have left the kernel (since Volta; before, it hung); let all "
           "threads reach it, with a condition around the work instead of a return",
           Severity::note);
}

/// `group`: the lanes that name the mask `members`.
void Synccheck::check_group(const Warp& w, const MicroOp* op, std::uint32_t group, std::uint32_t members) {
  // Where the whole warp is there and says so, every source lane is, too.
  if (members == kFullMask && group == kFullMask && w.live == kFullMask) return;
  const std::uint32_t facts = w.program->sites[op->site].facts;
  const auto operand = [&](std::size_t k, int lane) {
    return reinterpret_cast<const std::uint32_t*>(w.regs + op->r[k])[lane];
  };
  for (std::uint32_t left = group; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto accuse_lane = [&](const char* message) { accuse(suspect(w, lane, op->site), {}, message); };
    if (members & w.mask & ~group)
      accuse_lane("lanes of one warp name different member masks; all have to name the same lanes");
    if (!(members >> lane & 1))
      accuse_lane("a thread is not in the member mask that it names; the mask has to name every lane that comes here");
    if (!(facts & kShuffle)) continue;
    const auto from = shuffle_source(facts, lane, operand(3, lane), operand(4, lane));
    if (from != lane && (!(members >> from & 1) || !(w.live >> from & 1)))
      accuse_lane(w.live >> from & 1 ? "a shuffle reads a lane that is not in the member mask; its value is undefined"
                                     : "a shuffle reads a lane that has exited; its value is undefined");
  }
}

}  // namespace

namespace tools {
extern const ToolKind synccheck{"synccheck", 40, [](const ToolParts& parts) -> std::unique_ptr<Observer> {
                                  return std::make_unique<Synccheck>(parts);
                                }};
}  // namespace tools

}  // namespace gpulab::simt
