#pragma once
// Code of a program: one function, entered at any basic block and behind what may end a warp's turn. Registers stay in
// variables of the function, of which LLVM makes vector registers; what is the same in all lanes, but for a constant,
// is one word.

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "common/simt/compiled/emit/builder.h"
#include "common/simt/compiled/exits.h"
#include "common/simt/compiled/flow.h"
#include "common/simt/compiled/rows.h"
#include "common/simt/compiled/spread.h"
#include "common/simt/isa/instruction_set.h"

namespace gpulab::simt::compiled {

/// What compiled code points to; lives as long as the code.
struct Points {
  std::vector<MicroOp> plain;               ///< the program's, but no access repeats another's pattern
  std::deque<std::vector<MicroOp>> called;  ///< callable()
  std::deque<ThroughPoint> through;
  std::deque<LineRegisters> lines;     ///< that are looked at where code is entered, or written where it is left
  std::deque<SectorsByPhase> sectors;  ///< of loads whose lanes lie apart
  std::vector<const void*> addresses;  ///< of all that, in the order in which code was given them
  MachineCode code;
};

class Emitter {
 public:
  Emitter(CodeBuilder& builder, Module module, const Operations& operations, Flow& flow, const RowNames& rows,
          Points& points, const std::vector<bool>& hot);
  /// Emits the function `kFunction`, of the hot basic blocks: the interpreter runs the others. Its entries below the
  /// number of basic blocks are these blocks, counted already.
  /// `masked`: also those for some lanes of a warp.
  void emit(bool masked);
  static constexpr const char* kFunction = "gpulab_warp";

 private:
  void emit_blocks();
  void emit_hop();
  void emit_block(std::uint32_t block);
  /// False: nothing behind it is reached.
  bool emit_one(std::uint32_t block, std::size_t k);
  void emit_value(std::uint32_t block, std::size_t k);
  Value call_row(const Operation& o, bool all);
  Value call_row(const Operation& o, bool all, const std::vector<Value>& operands);
  // emit_compare.cpp
  Value compared(const Operation& o);
  Value within(Value x, std::int64_t least, std::int64_t most, bool is_signed, bool wide);
  Value quotient_or_remainder(const Operation& o);
  Value every_so_many(const Operation& o);
  void note_remainder(const Operation& o);
  void forget_remainders(const Operation& o, std::size_t among);
  Value in_range(const Operation& o);
  void check_range(const Operation& o, std::uint32_t block, std::size_t k);
  void emit_handler(const Operation& o);
  void emit_through(std::uint32_t block, std::size_t k);
  void emit_collective(const Operation& o);
  void emit_shuffle(const Operation& o);
  void stop_at_barrier(const ThroughPoint& point, std::uint32_t barrier);
  void emit_branch_if(const Operation& o);
  void hop_with(Value next);
  void end_warp(const Operation& o);
  void leave(std::uint32_t block, std::size_t k);
  [[nodiscard]] const MicroOp* plain_of(const Operation& o) const {
    return points_.plain.data() + (o.op - all_.program.ops.data());
  }
  void leave_at(const Live& live, Exit::Kind kind, const MicroOp* op, Value value);
  void leave_if(Value condition, const Live& live, Exit::Kind kind, Value value);
  void enter_from_interpreter(std::uint32_t block);
  void enter_from_code(std::uint32_t block);
  void go_to(std::uint32_t block);
  [[nodiscard]] const States& at_entry(std::uint32_t block) const {
    return masked_ ? flow_.at_masked_entry(block) : flow_.at_entry(block);
  }

  // region.cpp
  /// Lanes of a warp that run under a mask: those of a short block that the others skip, or all that run (`own`).
  struct Region {
    Value mask, count;                 ///< of lanes: as a word, and how many
    bool own = false;                  ///< the warp's mask is this one
    std::map<Variable, Value> before;  ///< of what is written there: what it was
  };
  [[nodiscard]] Region region_of(Value mask);
  [[nodiscard]] Value bits_of(Value mask);
  using Side = std::vector<std::uint32_t>;  ///< its basic blocks
  /// Where lanes that part meet; or, `at_end`, where each part of them leaves the kernel.
  struct Meeting {
    std::uint32_t block = kNoBlock;
    bool at_end = false;
  };
  [[nodiscard]] bool is_plain(std::uint32_t block) const;
  [[nodiscard]] bool parts_none(std::uint32_t block) const;
  [[nodiscard]] Side side_of(std::uint32_t side, std::uint32_t meeting) const;
  [[nodiscard]] bool is_end(std::uint32_t block) const;
  void emit_parted(const Operation& branch, Value taken);
  void emit_sides(const Operation& branch, const Meeting& meeting, Value taken, const std::array<Side, 2>& sides);
  void emit_side(const Side& side, Region& region);
  void enter_side(std::uint32_t block, const Region& region);
  template <typename Emit>
  void emit_way_around(std::uint32_t from, std::uint32_t around, const Emit& emit_around);
  Value ranges_of_side(const Side& side, Value good);
  void part(const Operation& branch, Value taken);
  void meet(std::uint32_t block);
  void emit_dispatch();
  void begin_masked();
  void end_masked();
  void blend(const Region& region);
  void remember(Variable v);
  void set_lanes(Value mask);
  void count_block(std::uint32_t block, Value lanes);
  Value intrinsic(const char* name, Type result, std::vector<Value> arguments, std::vector<Type> types);
  [[nodiscard]] bool is_inline(const Operation& o) const;
  Region* region_ = nullptr;
  Region own_;
  bool masked_ = false;                         ///< code for some lanes of a warp is emitted
  const bool has_masks_ = cpu_level() == "v4";  ///< the CPU stores and blends lanes by a register of bits

  // emit_access.cpp
  struct Place {
    Value good, host, low, allocation;
    Value sectors = nullptr;  ///< sectors_of(), where it has been asked
  };
  /// One that later accesses of the same lanes by the same register and offset find again.
  struct Placed {
    Variable address = 0;
    std::int64_t offset = 0;
    std::uint32_t width = 0;
    Place place{};
  };
  Place place_again(const Operation& o, Value base, std::int64_t lowest, std::uint64_t span);
  void forget_places(const Operation& o);
  /// What is known from the code right before alone.
  void forget_block() {
    inlined_.clear();
    placed_.clear();
    remainders_.clear();
  }
  void emit_access(std::uint32_t block, std::size_t k);
  Value address_of(const Operation& o, Value of_register);
  // emit_rows.cpp
  std::vector<Value> rows_of(const Operation& o, Value& are);
  std::vector<Place> places_of(const Operation& o, const std::vector<Value>& starts, Value& good);
  void emit_rows(const Operation& o);
  Value load_in_rows(const Operation& o, const std::vector<Place>& rows);
  void count_in_rows(const Operation& o, const std::vector<Place>& rows);
  template <typename Quick>
  void emit_where(const Operation& o, Value good, const Quick& quick, bool words = false);
  void emit_several(const Operation& o);
  std::vector<Value> access_several(const Operation& o, Value host);
  std::vector<Value> words_of(const Operation& o, Value host);
  // emit_spread.cpp
  Value load_spread(const Operation& o, const Lanes& lanes, Value host);
  Value sectors_apart(const Operation& o, const Lanes& lanes, const Place& place);
  void emit_by_handler(const Operation& o, bool in_full);
  // emit_local.cpp
  void emit_local(const Operation& o);
  std::vector<Value> access_rows(const Operation& o, Value at);
  Value one_place(const Operation& o, Value& are);
  Value load_rows(Variable v, Value rows);
  void store_rows(Variable v, Value rows);
  void count_rows(const Operation& o);
  Value side_by_side(const Operation& o, Value& are);
  Place place_of(const Operation& o, Value base, std::int64_t lowest, std::uint64_t span);
  void store_inline(const Operation& o, Value host, Value x);
  void store_some(Value x, bool wide, Value host, unsigned alignment, bool own);
  Value load_inline(const Operation& o, const Lanes& lanes, Value host, std::int64_t lowest);
  void count_inline(const Operation& o, const Lanes& lanes, const Place& place, std::uint64_t span);
  void count_shared(const Operation& o, const Lanes& lanes);
  // checked_access.cpp
  void emit_checked(std::uint32_t block, std::size_t k);
  void check_from(std::uint32_t block, std::size_t k);
  Value shared_start(Variable v);
  /// Adds to counts of a site that are neighbours (SiteStatistics::requests and those behind it).
  using Counted = std::array<std::uint64_t, 8>;
  void add_counts(std::uint32_t site, const Counted& counts);
  void add_to(std::uint32_t site, std::size_t offset, Value x);
  void add_at(Value at, Value x) { b_.store(b_.add(b_.load(b_.integer(64), at), x), at); }
  Value sectors_of(const Operation& o, const Place& place, std::uint64_t span);
  void mark_sectors(bool store, const Place& place, Value sectors);

  // emit_values.cpp
  [[nodiscard]] bool is_wide(Variable v) const { return all_.wide[v]; }
  [[nodiscard]] Type word_of(Variable v) const { return b_.word(!all_.is_predicate(v) && is_wide(v)); }
  [[nodiscard]] Type vector_type(Variable v) const {
    return all_.is_predicate(v) ? b_.integer(32) : b_.lanes(is_wide(v));
  }
  Value variable(Variable v, bool vector);
  Value home(Variable v);
  Value scalar(Variable v);
  Value vector(Variable v);
  Value spread(Variable v, const State& state);
  void set(Variable v, Value x, const State& state);
  void load_home(Variable v);
  void store_home(Variable v);
  void spill(const Live& live);
  void keep(const Live& live, LineRegisters& kept);
  void leave_behind(const Live& live);
  [[nodiscard]] LineRegister line_register(Variable v) const;
  void call_handlers_of(const Operation& o, bool in_full);
  Value temporary(Type type);

  Block fresh(const char* name) { return b_.llvm.AppendBasicBlockInContext(b_.context, function_, name); }
  /// What this process has at `p`, which code finds by its number.
  Value pointer_to(const void* p) {
    points_.addresses.push_back(p);
    return b_.load(b_.pointer(), b_.at(addresses_, (points_.addresses.size() - 1) * sizeof(void*)));
  }
  template <typename R, typename... A>
  Value pointer_to(R (*function)(A...)) {
    return pointer_to(reinterpret_cast<const void*>(function));
  }
  Value field(std::size_t offset, Type type) { return b_.load(type, b_.at(warp_, offset)); }

  CodeBuilder& b_;
  Module module_;
  const Operations& all_;
  Flow& flow_;
  const RowNames& rows_;
  Points& points_;
  const std::vector<bool>& hot_;  ///< by basic block: it becomes code
  Value function_ = nullptr, warp_ = nullptr, exit_ = nullptr, addresses_ = nullptr, registers_ = nullptr,
        predicates_ = nullptr, counts_ = nullptr, sites_ = nullptr, patterns_ = nullptr, footprint_ = nullptr,
        shared_ = nullptr, shared_bytes_ = nullptr, entry_ = nullptr, entries_ = nullptr;
  Block variables_ = nullptr, start_ = nullptr, hop_ = nullptr;
  std::vector<std::pair<Value, Block>> hops_;  ///< which warp code goes on with, and from where
  std::vector<Value> words_, vectors_;         ///< by variable
  Value mask_ = nullptr;                       ///< of the lanes that run, while masked code of a block is emitted
  Value masks_ = nullptr, next_ = nullptr;     ///< variables: that mask, and the block that dispatch_ goes to
  Block dispatch_ = nullptr;
  std::vector<Block> entered_, counted_;  ///< by block: where code comes from others; behind its counts
  std::uint32_t next_entry_ = 0;
  States now_;
  std::vector<std::uint32_t> inlined_;  ///< sites of the running block
  std::vector<Placed> placed_;          ///< of global memory, in the running block
  /// A remainder of threads' numbers, one behind the other, of a divisor that is the same for all.
  struct Remainder {
    const Operation* operation = nullptr;
    Value number, divisor;        ///< lane 0's
    std::vector<Value> operands;  ///< of all lanes
  };
  std::vector<Remainder> remainders_;       ///< in the running block, that are still registers' values
  std::vector<const Operation*> in_range_;  ///< of a side (region.cpp): no lane's operand lies beyond 32 bits
  std::vector<Variable> checked_;           ///< addresses whose accesses from here on are known to lie in shared memory
};

/// An access in two ways: where `good` holds, the code that `quick` emits, which returns a vector for each value that
/// is loaded, or where it is the same for all lanes (`words`) a word; elsewhere the handler's. `quick` sees the
/// variables as they were before either.
template <typename Quick>
void Emitter::emit_where(const Operation& o, Value good, const Quick& quick, bool words) {
  const Block fast = fresh("quick"), slow = fresh("in_full"), done = fresh("accessed");
  b_.go_if(good, fast, slow);
  const States before = now_;
  b_.begin(slow);
  call_handlers_of(o, true);
  std::vector<Value> slow_values;
  const auto type = [&](Variable v) { return words ? word_of(v) : vector_type(v); };
  for (const Variable v : o.out) slow_values.push_back(b_.load(type(v), home(v), words ? 0 : sizeof(Slot)));
  const Block slow_end = b_.here();
  b_.go(done);

  b_.begin(fast);
  now_ = before;
  const std::vector<Value> quick_values = quick();
  const Block fast_end = b_.here();
  b_.go(done);

  b_.begin(done);
  now_ = before;
  std::vector<Value> joined;
  for (std::size_t k = 0; k < o.out.size(); ++k)
    joined.push_back(b_.phi(type(o.out[k]), {slow_values[k], quick_values[k]}, {slow_end, fast_end}));
  const State::Kind kind = words ? State::Kind::affine : State::Kind::vector;
  for (std::size_t k = 0; k < o.out.size(); ++k) set(o.out[k], joined[k], {kind, true, 0});
}

}  // namespace gpulab::simt::compiled
