#pragma once
// What holds of a program's registers where a whole warp comes by: which are read later (an interpreter that takes over
// has to find them), and which hold in each lane what lane 0 holds plus a constant.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "common/dim3.h"
#include "common/simt/compiled/operations.h"

namespace gpulab::simt::compiled {

/// Each lane's value less lane 0's.
using Lanes = std::array<std::int64_t, kLanes>;

struct State {
  enum class Kind : std::uint8_t { unknown, affine, vector };
  Kind kind = Kind::unknown;  ///< unknown: no way leads here yet
  bool dirty = false;         ///< newer than the warp's registers in memory
  std::uint32_t lanes = 0;    ///< affine: number of its Lanes, 0: the same in all lanes
  bool operator==(const State&) const = default;
};
using States = std::vector<State>;  ///< by variable
using Live = std::vector<bool>;     ///< by variable

class Flow {
 public:
  /// `block`: the shape of the launch's blocks, which decides how %tid lies in a warp.
  Flow(const Operations& operations, const Dim3& block);

  [[nodiscard]] const States& at_entry(std::size_t block) const { return in_[block]; }
  [[nodiscard]] const Live& live_in(std::size_t block) const { return live_[block]; }
  /// What is read from operation `k` of a block on.
  [[nodiscard]] Live live_at(std::size_t block, std::size_t k) const;
  /// The same where some lanes of a warp run alone: what is ever written is a vector there. Dirty is what they may have
  /// written since the interpreter.
  [[nodiscard]] const States& at_masked_entry(std::size_t block) const { return masked_in_[block]; }
  /// What other lanes of the warp may still read, wherever they are: some lanes alone leave it to those as it was.
  [[nodiscard]] bool is_preserved(Variable v) const { return preserved_[v]; }
  [[nodiscard]] const Lanes& lanes(std::uint32_t number) const { return lanes_[number]; }
  /// Of how many lanes a row of a block is made, as far as a warp is concerned: a power of two, at most half of it.
  [[nodiscard]] std::uint32_t lanes_of_row() const { return lanes_of_row_; }
  /// The value of a register that is a constant.
  [[nodiscard]] const std::uint64_t* constant(Variable v) const;

  /// The lanes of a value's result, or -1: a vector.
  int result_lanes(const Operation& o, const States& now);
  /// Whether an access with the address that `now` has is code.
  [[nodiscard]] bool is_inline(const Operation& o, const States& now) const;
  /// Whether it is code that loads the same for all lanes.
  [[nodiscard]] bool is_one_for_all(const Operation& o, const States& now) const;
  /// Whether it is code only where its lanes turn out to lie side by side.
  [[nodiscard]] bool may_be_inline(const Operation& o, const States& now) const {
    return o.kind == Operation::Kind::access && !o.shared && (o.local || now[o.address].kind != State::Kind::affine);
  }
  /// Whether a whole warp executes a collective as it comes, and waits for nobody.
  [[nodiscard]] bool is_at_once(const Operation& o, const States& now) const {
    return o.collective && (o.members == kNoVariable || now[o.members].kind == State::Kind::affine) &&
           (o.members == kNoVariable || now[o.members].lanes == 0);
  }
  /// Whether it is a barrier that ends the turn in code. Registers that are lines stay words then.
  [[nodiscard]] bool is_inline_barrier(const Operation& o) const {
    constexpr std::uint64_t barriers = 16;  // of a block
    return o.plain_barrier && constant(o.in[0]) && *constant(o.in[0]) < barriers;
  }
  /// Whether it is a shuffle between lanes that constants name.
  [[nodiscard]] bool is_fixed_shuffle(const Operation& o) const {
    return o.shuffle && constant(o.in[1]) && constant(o.in[2]) && constant(o.in[3]);
  }
  /// What `now` is behind an operation.
  void pass(const Operation& o, States& now);

 private:
  void find_kept();
  void find_live();
  void find_states(const Dim3& block);
  void find_preserved();
  void find_masked(const States& start);
  void follow(std::vector<std::uint32_t> work);
  [[nodiscard]] States initial(const Dim3& block);
  void flow_to(std::uint32_t block, const States& from, std::vector<std::uint32_t>& work);
  void read_before(Live& live, const Operation& o) const;
  std::uint32_t number_of(const Lanes& lanes);
  bool derive(const Operation& o, const States& now, Lanes& result) const;
  [[nodiscard]] std::vector<bool> written_between(std::uint32_t from, std::uint32_t until) const;

  const Operations& all_;
  std::vector<Live> live_;
  std::vector<Live> kept_;  ///< by block: alive all through it, whether anybody reads it or not; empty: nothing
  Live always_;             ///< what other lanes may read wherever this one is: sources of collectives
  Live preserved_;
  std::vector<States> in_, masked_in_;
  std::vector<bool> reached_;
  std::vector<Lanes> lanes_{Lanes{}};
  std::map<Variable, std::uint64_t> constants_;
  std::uint32_t lanes_of_row_;
};

[[nodiscard]] bool is_contiguous(const Lanes& lanes, std::uint32_t width, std::size_t from = 0,
                                 std::size_t count = kLanes);
[[nodiscard]] bool is_uniform(const Lanes& lanes, std::size_t from = 0, std::size_t count = kLanes);
/// Of either half of a warp: its lanes lie side by side, or at one place.
[[nodiscard]] bool is_by_halves(const Lanes& lanes, std::uint32_t width);

}  // namespace gpulab::simt::compiled
