// Lanes under a mask. A branch around one short block, or between two: both ways run at once, each for its lanes, where
// the interpreter would part and join them. They count and take of the turn what they would there (divergence.cpp,
// enter()). And the code for warps of which some lanes run: what they write is blended with what the others hold.

#include <algorithm>
#include <span>
#include <utility>

#include "common/simt/compiled/emit/emit.h"

namespace gpulab::simt::compiled {

namespace {
using Kind = Operation::Kind;
}

Value Emitter::intrinsic(const char* name, Type result, std::vector<Value> arguments, std::vector<Type> types) {
  Value function = b_.llvm.GetNamedFunction(module_, name);
  if (!function)
    function = b_.llvm.AddFunction(module_, name,
                                   b_.llvm.FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0));
  return b_.call(result, function, std::move(arguments), std::move(types));
}

/// A mask as a vector of bits, made where it is used: most sides need none. AVX-512 has registers for such; elsewhere
/// LLVM would take the bits out of the word one by one, wherever they are used in another basic block.
Value Emitter::bits_of(Value mask) {
  if (has_masks_) return b_.cast(kBitCast, mask, b_.llvm.VectorType(b_.integer(1), kLanes));
  const Value own = b_.vector_of(false, lane_bit);
  return b_.compare(kEqual, b_.both(b_.splat(mask, false), own), own);
}

Emitter::Region Emitter::region_of(Value mask) {
  Region region;
  region.mask = mask;
  region.count = b_.cast(kZExt, intrinsic("llvm.ctpop.i32", b_.integer(32), {mask}, {b_.integer(32)}), b_.integer(64));
  return region;
}

/// As set_mask() does (warp.h).
void Emitter::set_lanes(Value mask) {
  b_.store(mask, b_.at(warp_, offsetof(Warp, mask)));
  b_.store(b_.cast(kSExt, bits_of(mask), b_.lanes(false)), b_.at(warp_, offsetof(Warp, lanes)), 64);
}

/// `lanes`: how many; nullptr: all.
void Emitter::count_block(std::uint32_t block, Value lanes) {
  static_assert(offsetof(BlockCount, warps) == 0 && sizeof(BlockCount) == 2 * sizeof(std::uint64_t));
  const Value at = b_.at(counts_, sizeof(BlockCount) * std::uint64_t{block});
  if (lanes) {
    add_at(b_.at(at, offsetof(BlockCount, warps)), b_.k64(1));
    return add_at(b_.at(at, offsetof(BlockCount, lanes)), lanes);
  }
  const std::uint64_t whole[] = {1, kLanes};
  b_.store(b_.add(b_.load(b_.lanes(true, 2), at, sizeof(std::uint64_t)), b_.vector_of(true, whole)), at,
           sizeof(std::uint64_t));
}

/// What a variable is before the region writes it first.
void Emitter::remember(Variable v) {
  if (region_ && !region_->before.contains(v) && (!region_->own || flow_.is_preserved(v)))
    region_->before[v] = vector(v);
}

/// Variables are what the region's lanes have written, and what the others held.
void Emitter::blend(const Region& region) {
  for (const auto& [v, old] : region.before)
    set(v,
        all_.is_predicate(v) ? b_.op(kOr, b_.both(vector(v), region.mask), b_.both(old, b_.inverted(region.mask)))
                             : b_.choose_lanes(bits_of(region.mask), vector(v), old),
        {State::Kind::vector, true, 0});
}

void Emitter::begin_masked() {
  mask_ = b_.load(b_.integer(32), masks_);
  own_ = region_of(mask_);
  own_.own = true;
  region_ = &own_;
}

void Emitter::end_masked() {
  if (!std::exchange(region_, nullptr)) return;
  blend(own_);
}

/// Values, accesses and handlers alone, and a branch behind them; none that could be the interpreter's.
bool Emitter::is_plain(std::uint32_t block) const {
  constexpr std::size_t most = 64;  // of operations: all lanes' time is spent for those that are there
  const auto& list = all_.blocks[block];
  if (list.size() > most || (list.back().kind != Kind::branch && list.back().kind != Kind::branch_if)) return false;
  return std::ranges::all_of(std::span(list).first(list.size() - 1), [](const Operation& o) {
    return !o.takes_turn &&
           (o.kind == Kind::nothing || o.kind == Kind::value || o.kind == Kind::access || o.kind == Kind::handler);
  });
}

/// Whether the branch that ends a block parts no lanes that come to it from here: what it goes by is the same in all,
/// and not loaded, for what is loaded under a mask is a vector.
bool Emitter::parts_none(std::uint32_t block) const {
  States now = now_;
  for (const Operation& o : all_.blocks[block]) {
    flow_.pass(o, now);
    if (o.kind != Kind::value)
      for (const Variable v : o.out) now[v] = {State::Kind::vector, true, 0};
  }
  const State& state = now[all_.blocks[block].back().in[0]];
  return state.kind == State::Kind::affine && state.lanes == 0;
}

/// The basic blocks from a branch to where its lanes meet: one, or one with a way around the next that all of them take
/// or none, and where that leads. Empty: they are others, or too many.
Emitter::Side Emitter::side_of(std::uint32_t side, std::uint32_t meeting) const {
  const auto leads_to = [&](std::uint32_t block, std::uint32_t next) {
    const Operation& last = all_.blocks[block].back();
    return is_plain(block) && last.kind == Kind::branch && static_cast<std::uint32_t>(last.op->imm) == next;
  };
  if (leads_to(side, meeting)) return {side};
  if (!is_plain(side) || all_.blocks[side].back().kind != Kind::branch_if || !parts_none(side)) return {};
  const MicroOp* const op = all_.blocks[side].back().op;
  const std::uint32_t ways[] = {taken_block(op), fall_through_block(op)};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::uint32_t around = ways[k], behind = ways[1 - k];
    if (!leads_to(around, behind)) continue;
    if (behind == meeting) return {side, around};
    if (leads_to(behind, meeting)) return {side, around, behind};
  }
  return {};
}

/// Nothing but the kernel's end.
bool Emitter::is_end(std::uint32_t block) const {
  const auto& list = all_.blocks[block];
  return list.back().kind == Kind::leave && list.back().ends_kernel &&
         std::ranges::all_of(std::span(list).first(list.size() - 1),
                             [](const Operation& o) { return o.kind == Kind::nothing; });
}

/// At a branch of which some lanes are taken.
void Emitter::emit_parted(const Operation& branch, Value taken) {
  const std::uint32_t target = taken_block(branch.op), next = fall_through_block(branch.op);
  Meeting meeting{post_dominator_block(branch.op)};
  // Lanes that meet nowhere but at the kernel's end come there apart. In code for some lanes others may be left.
  if (meeting.block == kNoBlock && !masked_ && (is_end(target) || is_end(next)))
    meeting = {is_end(target) ? target : next, true};
  if (meeting.block != kNoBlock && target != next) {
    const Side of_taken = target == meeting.block ? Side{} : side_of(target, meeting.block);
    const Side of_next = next == meeting.block ? Side{} : side_of(next, meeting.block);
    if ((target == meeting.block || !of_taken.empty()) && (next == meeting.block || !of_next.empty()))
      emit_sides(branch, meeting, taken, {of_next, of_taken});
  }
  if (masked_) return part(branch, taken);
  Live live = flow_.live_in(target);
  const Live& other = flow_.live_in(next);
  for (std::size_t v = 0; v < live.size(); ++v) live[v] = live[v] || other[v];
  leave_at(live, Exit::Kind::diverged, branch.op, taken);
}

/// Registers stay where they are: each lane's are its own.
void Emitter::part(const Operation& branch, Value taken) {
  const Value block = b_.call(b_.integer(32), pointer_to(&part_in_code), {warp_, pointer_to(branch.op), exit_, taken},
                              {b_.pointer(), b_.pointer(), b_.pointer(), b_.integer(32)});
  const Value mask = field(offsetof(Warp, mask), b_.integer(32));
  set_lanes(mask);
  b_.store(mask, masks_);
  const Block yes = fresh("to_target"), not_yes = fresh("not_to_target"), no = fresh("to_next"),
              failed = fresh("failed");
  b_.go_if(b_.compare(kEqual, block, b_.k32(taken_block(branch.op))), yes, not_yes);
  b_.begin(not_yes);
  b_.go_if(b_.compare(kEqual, block, b_.k32(fall_through_block(branch.op))), no, failed);
  b_.begin(failed);
  b_.give(b_.llvm.ConstNull(b_.pointer()));
  b_.begin(yes);
  go_to(taken_block(branch.op));
  b_.begin(no);
  go_to(fall_through_block(branch.op));
}

/// Before a block where lanes wait for others, who goes on.
void Emitter::meet(std::uint32_t block) {
  const Block met = fresh("met"), on = fresh("on");
  b_.go_if(b_.compare(kEqual, field(offsetof(Warp, stop_block), b_.integer(32)), b_.k32(block)), met, on);
  b_.begin(met);
  if (!all_.may_poll) {
    if (!dispatch_) dispatch_ = fresh("dispatch");
    const Value next = b_.call(b_.integer(32), pointer_to(&meet_in_code), {warp_, exit_}, {b_.pointer(), b_.pointer()});
    b_.store(next, next_);
    const Block out = fresh("scheduler");
    b_.go_if(b_.compare(kEqual, next, b_.k32(kNoBlock)), out, dispatch_);
    b_.begin(out);
  }
  leave_at(flow_.live_in(block), Exit::Kind::reconverged, nullptr, b_.k32(block));
  b_.begin(on);
}

void Emitter::emit_dispatch() {
  if (!dispatch_) return;
  b_.begin(dispatch_);
  const Value mask = field(offsetof(Warp, mask), b_.integer(32));
  set_lanes(mask);
  b_.store(mask, masks_);
  const Block none = fresh("no_block");
  const Value blocks = b_.choose(b_.load(b_.integer(32), next_), none);
  b_.begin(none);
  b_.unreachable();
  for (std::uint32_t i = 0; i < entered_.size(); ++i) b_.llvm.AddCase(blocks, b_.k32(i), entered_[i]);
}

/// Both sides in the order in which the interpreter runs them, unless other lanes of the warp have turns in between or
/// there is no fuel for them: then what is emitted next parts them. `sides`: that of lanes that are not taken, first.
void Emitter::emit_sides(const Operation& branch, const Meeting& meeting, Value taken,
                         const std::array<Side, 2>& sides) {
  const States before = now_;
  const std::vector<std::uint32_t> inlined = inlined_;
  std::uint64_t instructions = meeting.at_end ? 2 * all_.program.blocks[meeting.block].instructions : 0;
  for (const Side& side : sides)
    for (const std::uint32_t block : side) instructions += all_.program.blocks[block].instructions;
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  const Value fuel = b_.load(b_.integer(64), at);
  const Value rest = b_.sub(fuel, b_.k64(instructions));
  Value can = b_.compare(kSignedGreaterEqual, rest, b_.k64(0));
  if (masked_)
    can = b_.both(can, b_.compare(kNotEqual, b_.load(b_.integer(32), b_.at(exit_, offsetof(Exit, alone))), b_.k32(0)));
  in_range_.clear();
  for (const Side& side : sides) can = ranges_of_side(side, can);
  const Block in = fresh("region"), apart = fresh("apart");
  b_.go_if(can, in, apart);
  b_.begin(in);
  add_to(branch.op->site, offsetof(SiteStatistics, divergent), b_.k64(1));
  const Value all = masked_ ? mask_ : b_.k32(kFullMask);
  const Value lanes[] = {b_.both(all, b_.inverted(taken)), taken};
  for (std::size_t k = 0; k < sides.size(); ++k) {
    if (sides[k].empty() && !meeting.at_end) continue;
    Region region = region_of(lanes[k]);
    if (!sides[k].empty()) emit_side(sides[k], region);
    if (meeting.at_end) enter_side(meeting.block, region);
  }
  if (meeting.at_end)
    end_warp(all_.blocks[meeting.block].back());
  else
    go_to(meeting.block);
  now_ = before;
  forget_block();
  inlined_ = inlined;
  b_.begin(apart);
}

/// `good`, and that what a side widens is in range: of what is known before it. The rest are vectors there.
Value Emitter::ranges_of_side(const Side& side, Value good) {
  Live written(all_.variables());
  for (const std::uint32_t block : side)
    for (const Operation& o : all_.blocks[block]) {
      const bool early = o.kind == Kind::value && std::ranges::none_of(o.in, [&](Variable v) { return written[v]; });
      for (const Variable v : o.out) written[v] = true;
      if (!early || flow_.result_lanes(o, now_) <= 0) continue;
      in_range_.push_back(&o);
      if (const Value is = in_range(o)) good = b_.both(good, is);
    }
  return good;
}

/// As enter() does. The turn's rest is read where it is used: a handler of the other side may have taken of it, too.
void Emitter::enter_side(std::uint32_t block, const Region& region) {
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  b_.store(b_.sub(b_.load(b_.integer(64), at), b_.k64(all_.program.blocks[block].instructions)), at);
  count_block(block, region.count);
}

void Emitter::emit_side(const Side& side, Region& region) {
  region_ = &region;
  forget_block();
  const auto emit_block_of_side = [&](std::uint32_t block) {
    enter_side(block, region);
    for (std::size_t k = 0; k + 1 < all_.blocks[block].size(); ++k) {
      emit_one(block, k);
      forget_places(all_.blocks[block][k]);
    }
  };
  emit_block_of_side(side[0]);
  if (side.size() > 1) emit_way_around(side[0], side[1], [&] { emit_block_of_side(side[1]); });
  if (side.size() > 2) emit_block_of_side(side[2]);
  region_ = nullptr;
  blend(region);
}

/// Behind block `from` all lanes of the region go by `around`, or none does. What it writes is a vector either way.
template <typename Emit>
void Emitter::emit_way_around(std::uint32_t from, std::uint32_t around, const Emit& emit_around) {
  const auto as_vectors = [&] {
    for (const Operation& o : all_.blocks[around])
      for (const Variable v : o.out) set(v, vector(v), {State::Kind::vector, true, 0});
  };
  const Operation& branch = all_.blocks[from].back();
  const Value predicate = b_.load(b_.integer(32), variable(branch.in[0], true));
  as_vectors();
  const States behind = now_;
  const Block in = fresh("around"), done = fresh("behind_it");
  const bool if_set = (taken_block(branch.op) == around) != is_negated(branch.op);
  b_.go_if(b_.compare(if_set ? kNotEqual : kEqual, predicate, b_.k32(0)), in, done);
  b_.begin(in);
  forget_block();
  emit_around();
  as_vectors();
  b_.go(done);
  b_.begin(done);
  now_ = behind;
  forget_block();
}

}  // namespace gpulab::simt::compiled
