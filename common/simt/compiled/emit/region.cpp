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

/// A mask as a vector of bits. AVX-512 has registers for such; elsewhere LLVM would take the bits out of the word one
/// by one, wherever they are used in another basic block.
Value Emitter::bits_of(Value mask) {
  if (has_masks_) return b_.cast(kBitCast, mask, b_.llvm.VectorType(b_.integer(1), kLanes));
  const Value own = b_.vector_of(false, lane_bit);
  return b_.compare(kEqual, b_.both(b_.splat(mask, false), own), own);
}

Emitter::Region Emitter::region_of(Value mask) {
  Region region;
  region.mask = mask;
  region.bits = bits_of(mask);
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
                             : b_.choose_lanes(region.bits, vector(v), old),
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

/// Values, accesses and handlers alone; none that could be the interpreter's.
bool Emitter::is_side(std::uint32_t side, std::uint32_t meeting) const {
  constexpr std::size_t most = 64;  // of operations: all lanes' time is spent for those that are there
  const auto& list = all_.blocks[side];
  if (list.size() > most || list.back().kind != Kind::branch ||
      static_cast<std::uint32_t>(list.back().op->imm) != meeting)
    return false;
  for (const Operation& o : list)
    if (o.takes_turn || (o.kind != Kind::nothing && o.kind != Kind::value && o.kind != Kind::access &&
                         o.kind != Kind::handler && o.kind != Kind::branch))
      return false;
  return true;
}

/// At a branch of which some lanes are taken.
void Emitter::emit_parted(const Operation& branch, Value taken) {
  const std::uint32_t meeting = post_dominator_block(branch.op);
  const std::uint32_t target = taken_block(branch.op), next = fall_through_block(branch.op);
  if (meeting != kNoBlock && target != next && (target == meeting || is_side(target, meeting)) &&
      (next == meeting || is_side(next, meeting)))
    emit_sides(branch, meeting, taken);
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
/// there is no fuel for them: then what is emitted next parts them.
void Emitter::emit_sides(const Operation& branch, std::uint32_t meeting, Value taken) {
  const States before = now_;
  const std::vector<std::uint32_t> inlined = inlined_;
  const std::uint32_t target = taken_block(branch.op), next = fall_through_block(branch.op);
  std::uint64_t instructions = 0;
  for (const std::uint32_t side : {target, next})
    if (side != meeting) instructions += all_.program.blocks[side].instructions;
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  const Value fuel = b_.load(b_.integer(64), at);
  const Value rest = b_.sub(fuel, b_.k64(instructions));
  Value can = b_.compare(kSignedGreaterEqual, rest, b_.k64(0));
  if (masked_)
    can = b_.both(can, b_.compare(kNotEqual, b_.load(b_.integer(32), b_.at(exit_, offsetof(Exit, alone))), b_.k32(0)));
  in_range_.clear();
  for (const std::uint32_t side : {next, target})
    if (side != meeting) can = ranges_of_side(side, can);
  const Block in = fresh("region"), apart = fresh("apart");
  b_.go_if(can, in, apart);
  b_.begin(in);
  add_to(branch.op->site, offsetof(SiteStatistics, divergent), b_.k64(1));
  const Value all = masked_ ? mask_ : b_.k32(kFullMask);
  if (next != meeting) emit_side(next, b_.both(all, b_.inverted(taken)));
  if (target != meeting) emit_side(target, taken);
  go_to(meeting);
  now_ = before;
  inlined_ = inlined;
  placed_.clear();
  b_.begin(apart);
}

/// `good`, and that what a side widens is in range: of what is known before it. The rest are vectors there.
Value Emitter::ranges_of_side(std::uint32_t side, Value good) {
  const auto& list = all_.blocks[side];
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Operation& o = list[k];
    const bool early = o.kind == Kind::value && std::ranges::none_of(o.in, [&](Variable v) {
                         return std::ranges::any_of(std::span(list).first(k), [&](const Operation& before) {
                           return std::ranges::find(before.out, v) != before.out.end();
                         });
                       });
    if (!early || flow_.result_lanes(o, now_) <= 0) continue;
    in_range_.push_back(&o);
    if (const Value is = in_range(o)) good = b_.both(good, is);
  }
  return good;
}

void Emitter::emit_side(std::uint32_t side, Value lanes) {
  // Read where it is used: a handler of the other side may have taken of it, too.
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  b_.store(b_.sub(b_.load(b_.integer(64), at), b_.k64(all_.program.blocks[side].instructions)), at);
  Region region = region_of(lanes);
  count_block(side, region.count);
  region_ = &region;
  inlined_.clear();
  placed_.clear();
  for (std::size_t k = 0; k + 1 < all_.blocks[side].size(); ++k) {
    emit_one(side, k);
    forget_places(all_.blocks[side][k]);
  }
  region_ = nullptr;
  blend(region);
}

}  // namespace gpulab::simt::compiled
