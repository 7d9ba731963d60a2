// Control flow, barriers, fences, clocks (PTX ISA: Control Flow Instructions, Parallel Synchronization,
// Miscellaneous), and the pseudo instructions that decode inserts, whose names begin with '%' and which are not
// counted.

#include <utility>

#include "common/simt/isa/lanes.h"
#include "common/simt/isa/special_registers.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

const MicroOp* branch(Warp& w, const MicroOp* op) { return enter(w, static_cast<u32>(op->imm)); }

const MicroOp* branch_if(Warp& w, const MicroOp* op) { return branch_on(w, op, w.preds[op->r[0]]); }

/// brx.idx: r[0] index; imm: the jump table.
const MicroOp* branch_table(Warp& w, const MicroOp* op) {
  const u32* index = values<u32>(w, op, 0);
  const u32 one = index[__builtin_ctz(w.mask)];
  u32 differ = 0;
  for (int i = 0; i < kLanes; ++i) differ |= (w.mask & lane_bit[i]) != 0 ? index[i] ^ one : 0;
  return differ == 0 ? branch_together(w, op, one) : diverge_many(w, op, index);
}

/// Runs the next `imm` micro-ops, up to an %end_guard, for the lanes whose guard r[0] holds (negated: does not hold).
const MicroOp* guard(Warp& w, const MicroOp* op) {
  const u32 predicate = is_negated(op) ? ~w.preds[op->r[0]] : w.preds[op->r[0]];
  const u32 on = predicate & w.mask;
  if (on == w.mask) return following(w, op);
  SiteStatistics& site = w.sites[op->site];
  site.guard_lanes_off += active_count(w.mask & ~on);
  if (on == 0) {
    ++site.guard_skipped;
    return op + 2 + op->imm;
  }
  w.unguarded = w.mask;
  set_mask(w, on);
  return following(w, op);
}
/// After them: all lanes are on again.
const MicroOp* end_guard(Warp& w, const MicroOp* op) {
  if (w.unguarded) set_mask(w, std::exchange(w.unguarded, 0));
  return following(w, op);
}

const MicroOp* not_pred(Warp& w, const MicroOp* op) {
  write_pred(w, op->r[0], ~w.preds[op->r[1]]);
  return following(w, op);
}
const MicroOp* nonzero_pred(Warp& w, const MicroOp* op) {
  const u32* const a = values<u32>(w, op, 1);
  write_pred(w, op->r[0], true_lanes([&](int i) { return a[i] != 0; }));
  return following(w, op);
}
const MicroOp* copy_pred(Warp& w, const MicroOp* op) {
  write_pred(w, op->r[0], w.preds[op->r[1]]);
  return following(w, op);
}

/// The address of byte `imm` of the running function's local frame.
const MicroOp* local_address(Warp& w, const MicroOp* op) {
  const u64 address = w.local_base + static_cast<u32>(op->imm);
  for_each_lane<u64>(w, op, [&](int) { return address; });
  return following(w, op);
}

/// A special register whose value changes from read to read: row `imm` of special_registers().
const MicroOp* read_special(Warp& w, const MicroOp* op) {
  const u64 now = value_now(op->imm, w);
  for_each_lane<u64>(w, op, [&](int) { return now; });
  return following(w, op);
}

const MicroOp* call(Warp& w, const MicroOp* op) { return call_function(w, op); }
const MicroOp* call_by_pointer(Warp& w, const MicroOp* op) { return call_indirect(w, op, values<u64>(w, op, 0)); }

const MicroOp* leave(Warp& w, const MicroOp*) { return stop(w, Stop::Kind::returned); }
const MicroOp* exit_kernel(Warp& w, const MicroOp*) { return stop(w, Stop::Kind::exited); }
const MicroOp* trap(Warp& w, const MicroOp* op) { fault_trap(w, op); }
const MicroOp* nothing(Warp& w, const MicroOp* op) { return following(w, op); }
const MicroOp* sleep(Warp& w, const MicroOp* op) {
  poll(w);
  return following(w, op);
}

// ---- barriers: operands a (number) and b (threads, optional) are the same in all lanes ----

inline u32 first_value(Warp& w, const MicroOp* op, int k) { return values<u32>(w, op, k)[__builtin_ctz(w.mask)]; }

inline const MicroOp* stop_at_barrier(Warp& w, const MicroOp* op, u32 number, u32 count, u32 votes, bool waits) {
  if (number > 15) fault_message(w, op, "barrier number beyond 15");
  if (count % 32) fault_message(w, op, "barrier with a thread count that is no multiple of 32");
  return stop(w, BarrierStop{op + 1, number, count, votes, waits});
}
template <bool counted, bool waits>
const MicroOp* barrier(Warp& w, const MicroOp* op) {
  return stop_at_barrier(w, op, first_value(w, op, 0), counted ? first_value(w, op, 1) : 0, 0, waits);
}
/// r: d, a, {b,} predicate. The block's result is written into d when the barrier completes (BarrierReduction).
template <bool counted>
const MicroOp* barrier_reduce(Warp& w, const MicroOp* op) {
  const u32 votes = w.preds[op->r[counted ? 3 : 2]] & w.mask;
  return stop_at_barrier(w, op, first_value(w, op, 1), counted ? first_value(w, op, 2) : 0, votes, true);
}

constexpr OperandType in32{Role::in, Kind::u32};
constexpr OperandType in_pred{Role::in, Kind::pred};
constexpr std::uint16_t kBarrierTraits = kBarrier;

constexpr Meaning plain(Handler run, std::uint16_t traits = 0) { return {.run = run, .traits = traits}; }

template <bool counted>
constexpr Meaning reduction(Kind result, BarrierReduction which) {
  if constexpr (counted)
    return {.run = barrier_reduce<true>,
            .operands = {{{Role::out, result}, in32, in32, in_pred}},
            .traits = kBarrierTraits,
            .extra = static_cast<std::uint16_t>(which)};
  else
    return {.run = barrier_reduce<false>,
            .operands = {{{Role::out, result}, in32, in_pred}},
            .traits = kBarrierTraits,
            .extra = static_cast<std::uint16_t>(which)};
}

using enum BarrierReduction;

constexpr Row rows[] = {
    {"bra{.uni} label",
     Unit::control,
     {.run = branch, .operands = {{{Role::label}}}, .traits = kEndsBlock | kConditional}},
    {"brx.idx{.uni} index, table",
     Unit::control,
     {.run = branch_table, .operands = {{in32, {Role::label}}}, .traits = kEndsBlock}},
    {"call{.uni} (results), function, (arguments)", Unit::control, plain(call, kEndsBlock | kSideEffect)},
    {"ret{.uni}", Unit::control, plain(leave, kEndsBlock)},
    {"exit", Unit::control, plain(exit_kernel, kEndsBlock)},
    {"trap", Unit::control, plain(trap, kEndsBlock)},
    {"brkpt", Unit::control, plain(trap, kEndsBlock)},
    {"bar{.cta}.sync a", Unit::barrier, {.run = barrier<false, true>, .operands = {{in32}}, .traits = kBarrierTraits}},
    {"bar{.cta}.sync a, b",
     Unit::barrier,
     {.run = barrier<true, true>, .operands = {{in32, in32}}, .traits = kBarrierTraits}},
    {"bar{.cta}.arrive a, b",
     Unit::barrier,
     {.run = barrier<true, false>, .operands = {{in32, in32}}, .traits = kBarrierTraits}},
    {"barrier{.cta}.sync{.aligned} a",
     Unit::barrier,
     {.run = barrier<false, true>, .operands = {{in32}}, .traits = kBarrierTraits}},
    {"barrier{.cta}.sync{.aligned} a, b",
     Unit::barrier,
     {.run = barrier<true, true>, .operands = {{in32, in32}}, .traits = kBarrierTraits}},
    {"barrier{.cta}.arrive{.aligned} a, b",
     Unit::barrier,
     {.run = barrier<true, false>, .operands = {{in32, in32}}, .traits = kBarrierTraits}},
    {"bar{.cta}.red.and.pred p, a, c", Unit::barrier, reduction<false>(Kind::pred, all)},
    {"bar{.cta}.red.and.pred p, a, b, c", Unit::barrier, reduction<true>(Kind::pred, all)},
    {"bar{.cta}.red.or.pred p, a, c", Unit::barrier, reduction<false>(Kind::pred, any)},
    {"bar{.cta}.red.or.pred p, a, b, c", Unit::barrier, reduction<true>(Kind::pred, any)},
    {"bar{.cta}.red.popc.u32 d, a, c", Unit::barrier, reduction<false>(Kind::u32, count)},
    {"bar{.cta}.red.popc.u32 d, a, b, c", Unit::barrier, reduction<true>(Kind::u32, count)},
    {"barrier{.cta}.red.and{.aligned}.pred p, a, c", Unit::barrier, reduction<false>(Kind::pred, all)},
    {"barrier{.cta}.red.and{.aligned}.pred p, a, b, c", Unit::barrier, reduction<true>(Kind::pred, all)},
    {"barrier{.cta}.red.or{.aligned}.pred p, a, c", Unit::barrier, reduction<false>(Kind::pred, any)},
    {"barrier{.cta}.red.or{.aligned}.pred p, a, b, c", Unit::barrier, reduction<true>(Kind::pred, any)},
    {"barrier{.cta}.red.popc{.aligned}.u32 d, a, c", Unit::barrier, reduction<false>(Kind::u32, count)},
    {"barrier{.cta}.red.popc{.aligned}.u32 d, a, b, c", Unit::barrier, reduction<true>(Kind::u32, count)},
    // The interpreter executes memory accesses in order: fences order nothing more.
    {"membar(.cta,.gl,.sys,.gpu)", Unit::system, plain(nothing)},
    {"fence{.sc,.acq_rel,.acquire,.release}(.cta,.cluster,.gpu,.sys)", Unit::system, plain(nothing)},
    {"fence.proxy(.alias,.async,.async.global,.async.shared::cta,.async.shared::cluster)", Unit::system,
     plain(nothing)},
    {"fence.mbarrier_init.release.cluster", Unit::system, plain(nothing)},
    {"nanosleep.u32 t", Unit::system, {.run = sleep, .operands = {{in32}}}},
    {"prefetch{.global,.local}(.L1,.L2,.L2::evict_last,.L2::evict_normal) [a]",
     Unit::system,
     {.run = nothing, .operands = {{{Role::address}}}}},
    {"prefetch{.param,.const}.tensormap [a]", Unit::system, {.run = nothing, .operands = {{{Role::address}}}}},
    {"fence.proxy.tensormap::generic.release(.cta,.cluster,.gpu,.sys)", Unit::system, plain(nothing)},
    {"fence.proxy.tensormap::generic.acquire(.cta,.cluster,.gpu,.sys) [a], size",
     Unit::system,
     {.run = nothing, .operands = {{{Role::address}, {Role::immediate}}}}},
    {"prefetchu.L1 [a]", Unit::system, {.run = nothing, .operands = {{{Role::address}}}}},
    {"pmevent a", Unit::system, {.run = nothing, .operands = {{{Role::immediate}}}}},

    {"%branch_if", Unit::control, plain(branch_if, kEndsBlock)},
    {"%fall", Unit::control, plain(branch, kEndsBlock)},
    {"%call_indirect", Unit::control, plain(call_by_pointer, kEndsBlock | kSideEffect)},
    {"%guard", Unit::control, plain(guard)},
    {"%end_guard", Unit::control, plain(end_guard)},
    {"%not.pred", Unit::alu, plain(not_pred)},
    {"%nonzero.pred", Unit::alu, plain(nonzero_pred)},
    {"%copy.pred", Unit::alu, plain(copy_pred)},
    {"%copy.b32", Unit::alu, lane<[](u32 a) { return a; }>()},
    {"%copy.b64", Unit::alu, lane<[](u64 a) { return a; }>()},
    {"%narrow", Unit::alu, lane<[](u64 a) { return static_cast<u32>(a); }>()},
    {"%widen.u32", Unit::alu, lane<[](u32 a) { return u64{a}; }>()},
    {"%widen.s8", Unit::alu, lane<[](std::int8_t a) { return std::int64_t{a}; }>()},
    {"%widen.s16", Unit::alu, lane<[](std::int16_t a) { return std::int64_t{a}; }>()},
    {"%widen.s32", Unit::alu, lane<[](std::int32_t a) { return std::int64_t{a}; }>()},
    {"%sign.s8", Unit::alu, lane<[](std::int8_t a) { return std::int32_t{a}; }>()},
    {"%sign.s16", Unit::alu, lane<[](std::int16_t a) { return std::int32_t{a}; }>()},
    {"%offset", Unit::alu, lane<[](u64 a, u64 b) { return a + b; }>()},
    {"%local_address", Unit::alu, plain(local_address)},
    {"%special", Unit::system, plain(read_special)},
};

}  // namespace

std::span<const Row> control_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
