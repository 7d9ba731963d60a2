// A branch around one short block: its lanes run at once, under a mask, where the interpreter would part and join them.
// They count and take of the turn what they would there (divergence.cpp, enter()).

#include <utility>

#include "common/simt/compiled/emit.h"

namespace gpulab::simt::compiled {

namespace {
using Kind = Operation::Kind;

}  // namespace

Value Emitter::intrinsic(const char* name, Type result, std::vector<Value> arguments, std::vector<Type> types) {
  Value function = b_.llvm.GetNamedFunction(module_, name);
  if (!function)
    function = b_.llvm.AddFunction(module_, name,
                                   b_.llvm.FunctionType(result, types.data(), static_cast<unsigned>(types.size()), 0));
  return b_.call(result, function, std::move(arguments), std::move(types));
}

void Emitter::add_to_count(Value at, Value x) { b_.store(b_.add(b_.load(b_.integer(64), at), x), at); }

/// What a variable is before the region writes it first.
void Emitter::remember(Variable v) {
  if (region_ && !region_->before.contains(v)) region_->before[v] = vector(v);
}

/// Values and accesses alone, between the branch and where its lanes meet; none that could be the interpreter's.
bool Emitter::is_region(const Operation& branch, std::uint32_t& side) const {
  constexpr std::size_t most = 64;  // of operations: all lanes' time is spent for those that are there
  const std::uint32_t meeting = post_dominator_block(branch.op);
  const std::uint32_t taken = taken_block(branch.op), next = fall_through_block(branch.op);
  if (meeting == kNoBlock || taken == next || (taken != meeting && next != meeting)) return false;
  side = taken == meeting ? next : taken;
  const auto& list = all_.blocks[side];
  if (list.size() > most || list.back().kind != Kind::branch ||
      static_cast<std::uint32_t>(list.back().op->imm) != meeting)
    return false;
  for (const Operation& o : list) {
    if (o.kind != Kind::nothing && o.kind != Kind::value && o.kind != Kind::access && o.kind != Kind::branch)
      return false;
  }
  return true;
}

/// `lanes` go into `side`. Without fuel for it they part (`otherwise`).
void Emitter::emit_region(const Operation& branch, std::uint32_t side, Value lanes, Block otherwise) {
  const States before = now_;
  const Value at = b_.at(warp_, offsetof(Warp, fuel));
  const Value fuel = b_.load(b_.integer(64), at);
  const Value rest = b_.sub(fuel, b_.k64(all_.program.blocks[side].instructions));
  const Block in = fresh("region");
  b_.go_if(b_.both(b_.compare(kSignedGreaterEqual, fuel, b_.k64(0)), b_.compare(kSignedGreaterEqual, rest, b_.k64(0))),
           in, otherwise);
  b_.begin(in);
  b_.store(rest, at);
  Region region{};
  region.mask = lanes;
  region.bits = b_.cast(kBitCast, lanes, b_.llvm.VectorType(b_.integer(1), kLanes));
  region.count = b_.cast(kZExt, intrinsic("llvm.ctpop.i32", b_.integer(32), {lanes}, {b_.integer(32)}), b_.integer(64));
  add_to(branch.op->site, offsetof(SiteStatistics, divergent), b_.k64(1));
  const std::uint64_t counts = sizeof(BlockCount) * std::uint64_t{side};
  add_to_count(b_.at(counts_, counts + offsetof(BlockCount, warps)), b_.k64(1));
  add_to_count(b_.at(counts_, counts + offsetof(BlockCount, lanes)), region.count);
  region_ = &region;
  const std::vector<std::uint32_t> inlined = std::exchange(inlined_, {});
  for (std::size_t k = 0; k + 1 < all_.blocks[side].size(); ++k) emit_one(side, k);
  region_ = nullptr;
  inlined_ = inlined;
  const std::uint32_t meeting = post_dominator_block(branch.op);
  for (const auto& [v, old] : region.before) {
    if (!flow_.live_in(meeting)[v]) {
      now_[v] = {State::Kind::vector, false, 0};
      continue;
    }
    const Value x = all_.is_predicate(v) ? b_.op(kOr, b_.both(vector(v), lanes), b_.both(old, b_.inverted(lanes)))
                                         : b_.choose_lanes(region.bits, vector(v), old);
    set(v, x, {State::Kind::vector, true, 0});
  }
  go_to(meeting);
  now_ = before;
}

}  // namespace gpulab::simt::compiled
