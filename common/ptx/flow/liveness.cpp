#include "common/ptx/flow/liveness.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace gpulab::ptx {
namespace {

using Index = std::uint32_t;
constexpr Index none = UINT32_MAX;

void extend(LiveInterval& interval, Index point) {
  interval.first = std::min(interval.first, point);
  interval.last = std::max(interval.last, point);
}

/// Sets of registers, one per block, in rows of 64-bit words.
class RegisterSets {
 public:
  RegisterSets(std::size_t blocks, std::size_t registers)
      : words_per_block_((registers + 63) / 64), words_(blocks * words_per_block_) {}
  [[nodiscard]] std::span<std::uint64_t> of(Index block) {
    return {words_.data() + block * words_per_block_, words_per_block_};
  }
  void insert(Index block, Index reg) { of(block)[reg / 64] |= std::uint64_t{1} << (reg % 64); }
  [[nodiscard]] std::size_t words_per_block() const { return words_per_block_; }

 private:
  std::size_t words_per_block_;
  std::vector<std::uint64_t> words_;
};

/// Dataflow backwards over the blocks. Only registers that some block reads before writing can be live across
/// blocks; they get dense numbers of their own, most registers of compiled code need none.
class Liveness {
 public:
  Liveness(const ControlFlowGraph& graph, std::span<const RegisterAccess> instructions, Index register_count)
      : graph_(graph), instructions_(instructions), dense_(register_count, none), intervals_(register_count) {}

  std::vector<LiveInterval> intervals() {
    number_upward_exposed();
    RegisterSets live_in(graph_.blocks.size(), members_.size());
    RegisterSets killed(graph_.blocks.size(), members_.size());
    collect(live_in, killed);
    propagate(live_in, killed);
    extend_within_blocks();
    extend_across_blocks(live_in);
    return std::move(intervals_);
  }

 private:
  /// Calls read(register) for each read that no earlier full write of the same block precedes, and write(register)
  /// for each full write.
  template <typename Read, typename Write>
  void scan_block(Index block, std::vector<Index>& written_in, const Read& read, const Write& write) const {
    for (Index i = graph_.blocks[block].first; i < graph_.blocks[block].end; ++i) {
      const RegisterAccess& access = instructions_[i];
      for (const Index reg : access.reads) {
        if (written_in[reg] != block) read(reg);
      }
      for (const Index reg : access.writes) {
        if (access.partial) continue;  // kills nothing
        written_in[reg] = block;
        write(reg);
      }
    }
  }

  void number_upward_exposed() {
    std::vector<Index> written_in(dense_.size(), none);
    const auto number = [&](Index reg) {
      if (dense_[reg] != none) return;
      dense_[reg] = static_cast<Index>(members_.size());
      members_.push_back(reg);
    };
    for (Index b = 0; b < graph_.blocks.size(); ++b) scan_block(b, written_in, number, [](Index) {});
  }

  void collect(RegisterSets& live_in, RegisterSets& killed) const {
    std::vector<Index> written_in(dense_.size(), none);
    for (Index b = 0; b < graph_.blocks.size(); ++b) {
      scan_block(
          b, written_in, [&](Index reg) { live_in.insert(b, dense_[reg]); },
          [&](Index reg) {
            if (dense_[reg] != none) killed.insert(b, dense_[reg]);
          });
    }
  }

  /// live_in(b) = exposed(b) + (live_in of successors - killed(b)), from the last block upwards until nothing changes.
  void propagate(RegisterSets& live_in, RegisterSets& killed) const {
    std::vector<std::uint8_t> queued(graph_.blocks.size(), 1);
    std::vector<Index> work(graph_.blocks.size());
    for (Index b = 0; b < work.size(); ++b) work[b] = b;
    while (!work.empty()) {
      const Index block = work.back();
      work.pop_back();
      queued[block] = 0;
      const auto in = live_in.of(block), dead = killed.of(block);
      bool changed = false;
      for (const Index to : graph_.successors(block)) {
        if (to == ControlFlowGraph::exit) continue;
        const auto after = live_in.of(to);
        for (std::size_t w = 0; w < in.size(); ++w) {
          const std::uint64_t next = in[w] | (after[w] & ~dead[w]);
          changed |= next != in[w];
          in[w] = next;
        }
      }
      if (!changed) continue;
      for (const Index before : graph_.predecessors(block)) {
        if (!queued[before]) work.push_back(before);
        queued[before] = 1;
      }
    }
  }

  void extend_within_blocks() {
    for (Index i = 0; i < instructions_.size(); ++i) {
      const RegisterAccess& access = instructions_[i];
      for (const Index reg : access.reads) extend(intervals_[reg], 2 * i);
      for (const Index reg : access.writes) {
        extend(intervals_[reg], 2 * i + 1);
        if (access.early_clobber) extend(intervals_[reg], 2 * i);
      }
    }
  }

  void extend_across_blocks(RegisterSets& live_in) {
    std::vector<std::uint64_t> live_out(live_in.words_per_block());
    for (Index b = 0; b < graph_.blocks.size(); ++b) {
      const Block& block = graph_.blocks[b];
      for_each_member(live_in.of(b), [&](Index reg) { extend(intervals_[reg], 2 * block.first); });
      std::fill(live_out.begin(), live_out.end(), 0);
      for (const Index to : graph_.successors(b)) {
        if (to == ControlFlowGraph::exit) continue;
        const auto after = live_in.of(to);
        for (std::size_t w = 0; w < live_out.size(); ++w) live_out[w] |= after[w];
      }
      for_each_member(live_out, [&](Index reg) { extend(intervals_[reg], 2 * block.end - 1); });
    }
  }

  template <typename Visit>
  void for_each_member(std::span<const std::uint64_t> set, const Visit& visit) const {
    for (std::size_t w = 0; w < set.size(); ++w) {
      for (std::uint64_t rest = set[w]; rest != 0; rest &= rest - 1) {
        visit(members_[w * 64 + static_cast<std::size_t>(std::countr_zero(rest))]);
      }
    }
  }

  const ControlFlowGraph& graph_;
  std::span<const RegisterAccess> instructions_;
  std::vector<Index> dense_;    ///< register -> its number in the sets, none if never live across blocks
  std::vector<Index> members_;  ///< number in the sets -> register
  std::vector<LiveInterval> intervals_;
};

}  // namespace

std::vector<LiveInterval> live_intervals(const ControlFlowGraph& graph, std::span<const RegisterAccess> instructions,
                                         std::uint32_t register_count) {
  return Liveness(graph, instructions, register_count).intervals();
}

}  // namespace gpulab::ptx
