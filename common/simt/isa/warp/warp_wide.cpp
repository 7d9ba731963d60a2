// Instructions in which the lanes of a warp talk to each other (PTX ISA: shfl.sync, vote.sync, match.sync,
// activemask, redux.sync, elect.sync, bar.warp.sync). All lanes of the member mask that have not exited take part: a
// handler that finds some missing stops its split until they have come (collective.h).

#include "common/simt/isa/warp/collective.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s32 = std::int32_t;

enum class Shuffle { up, down, bfly, idx };

/// shfl.sync d[|p], a, b, c, membermask: c holds the clamp (bits 0-4) and the segment mask (bits 8-12).
template <Shuffle mode>
const MicroOp* shuffle(Warp& w, const MicroOp* op) {
  return together<false>(w, op, 5, [&](u32) {
    const u32* a = values<u32>(w, op, 2);
    const u32* b = values<u32>(w, op, 3);
    const u32* c = values<u32>(w, op, 4);
    alignas(64) s32 source[kLanes], in_range[kLanes];
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) {
      const s32 amount = static_cast<s32>(b[i] & 0x1f), clamp = static_cast<s32>(c[i] & 0x1f);
      const s32 segment = static_cast<s32>(c[i] >> 8 & 0x1f);
      const s32 most = (i & segment) | (clamp & ~segment);
      s32 from;
      bool inside;
      if constexpr (mode == Shuffle::up)
        from = i - amount, inside = from >= most;
      else if constexpr (mode == Shuffle::down)
        from = i + amount, inside = from <= most;
      else if constexpr (mode == Shuffle::bfly)
        from = i ^ amount, inside = from <= most;
      else
        from = (i & segment) | (amount & ~segment), inside = from <= most;
      source[i] = inside ? from : i;
      in_range[i] = inside ? -1 : 0;
    }
    alignas(64) u32 result[kLanes];
    for (int i = 0; i < kLanes; ++i) result[i] = a[source[i]];
    // Lanes that take no part (they have left, or went another way) give 0 on an H100; PTX ISA: undefined.
    if (w.mask != kFullMask) [[unlikely]]
      for (int i = 0; i < kLanes; ++i) result[i] = w.mask >> source[i] & 1 ? result[i] : 0;
    for_each_lane<u32>(w, op, [&](int i) { return result[i]; });
    if (op->r[1] != kNoOperand) write_pred(w, op->r[1], lane_mask(in_range));
  });
}

/// vote.sync.{all,any,uni}.pred p, {!}a, membermask.
template <typename F>
inline const MicroOp* vote(Warp& w, const MicroOp* op, F verdict) {
  return together(w, op, 2, [&](u32 members) {
    const u32 voters = members & w.mask;
    write_pred(w, op->r[0], verdict(w.preds[op->r[1]] & voters, voters) ? kFullMask : 0);
  });
}
const MicroOp* vote_all(Warp& w, const MicroOp* op) {
  return vote(w, op, [](u32 yes, u32 voters) { return yes == voters; });
}
const MicroOp* vote_any(Warp& w, const MicroOp* op) {
  return vote(w, op, [](u32 yes, u32) { return yes != 0; });
}
const MicroOp* vote_uni(Warp& w, const MicroOp* op) {
  return vote(w, op, [](u32 yes, u32 voters) { return yes == voters || yes == 0; });
}
const MicroOp* ballot(Warp& w, const MicroOp* op) {
  return together(w, op, 2, [&](u32 members) {
    const u32 yes = w.preds[op->r[1]] & members & w.mask;
    for_each_lane<u32>(w, op, [&](int) { return yes; });
  });
}
const MicroOp* activemask(Warp& w, const MicroOp* op) {
  const u32 mask = w.mask;
  for_each_lane<u32>(w, op, [&](int) { return mask; });
  return following(w, op);
}

template <typename T>
const MicroOp* match_any(Warp& w, const MicroOp* op) {
  return together(w, op, 2, [&](u32 members) {
    const T* a = values<T>(w, op, 1);
    alignas(64) u32 result[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      u32 same = 0;
      for (int k = 0; k < kLanes; ++k) same |= static_cast<u32>(a[k] == a[i]) << k;
      result[i] = same & members & w.mask;
    }
    for_each_lane<u32>(w, op, [&](int i) { return result[i]; });
  });
}
/// match.all.sync d[|p], a, membermask.
template <typename T>
const MicroOp* match_all(Warp& w, const MicroOp* op) {
  return together(w, op, 3, [&](u32 members) {
    const T* a = values<T>(w, op, 2);
    const u32 present = members & w.mask;
    u32 same = 0;
    for (int k = 0; k < kLanes; ++k) same |= static_cast<u32>(a[k] == a[__builtin_ctz(w.mask)]) << k;
    const bool all = (same & present) == present;
    for_each_lane<u32>(w, op, [&](int) { return all ? present : 0u; });
    if (op->r[1] != kNoOperand) write_pred(w, op->r[1], all ? kFullMask : 0);
  });
}

/// elect.sync d|p, membermask: the lowest member leads.
const MicroOp* elect(Warp& w, const MicroOp* op) {
  return together(w, op, 2, [&](u32 members) {
    const u32 present = members & w.mask;
    const u32 leader = present ? static_cast<u32>(__builtin_ctz(present)) : 0;
    if (op->r[0] != kNoOperand) for_each_lane<u32>(w, op, [&](int) { return leader; });
    if (op->r[1] != kNoOperand) write_pred(w, op->r[1], 1u << leader);
  });
}

template <auto F, typename T>
const MicroOp* redux(Warp& w, const MicroOp* op) {
  return together(w, op, 2, [&](u32 members) {
    const T* a = reinterpret_cast<const T*>(values<u32>(w, op, 1));
    u32 left = members & w.mask;
    T total = left ? a[__builtin_ctz(left)] : T{0};
    for (left &= left - 1; left; left &= left - 1) total = F(total, a[__builtin_ctz(left)]);
    for_each_lane<u32>(w, op, [&](int) { return static_cast<u32>(total); });
  });
}
template <auto F, typename T>
constexpr Meaning reduce_lanes() {
  return {.run = redux<F, T>,
          .operands = {{{Role::out, Kind::u32}, {Role::in, Kind::u32}, {Role::in, Kind::u32}}},
          .traits = kCollective | kEarlyClobber};
}

const MicroOp* warp_barrier(Warp& w, const MicroOp* op) {
  return together<false>(w, op, 0, [](u32) {});
}

constexpr OperandType out32{Role::out, Kind::u32};
constexpr OperandType in32{Role::in, Kind::u32};
constexpr OperandType in_pred{Role::in, Kind::pred};
constexpr OperandType maybe_pred{Role::optional_out, Kind::pred};
constexpr std::uint16_t kTogether = kCollective | kEarlyClobber;

template <Shuffle mode>
constexpr Meaning shuffle_meaning() {
  return {.run = shuffle<mode>, .operands = {{out32, maybe_pred, in32, in32, in32, in32}}, .traits = kTogether};
}
constexpr Meaning vote_meaning(Handler run) {
  return {.run = run, .operands = {{{Role::out, Kind::pred}, in_pred, in32}}, .traits = kTogether};
}

const Row rows[] = {
    {"shfl.sync.up.b32 d[|p], a, b, c, membermask", Unit::warp, shuffle_meaning<Shuffle::up>()},
    {"shfl.sync.down.b32 d[|p], a, b, c, membermask", Unit::warp, shuffle_meaning<Shuffle::down>()},
    {"shfl.sync.bfly.b32 d[|p], a, b, c, membermask", Unit::warp, shuffle_meaning<Shuffle::bfly>()},
    {"shfl.sync.idx.b32 d[|p], a, b, c, membermask", Unit::warp, shuffle_meaning<Shuffle::idx>()},
    {"vote.sync.all.pred p, {!}a, membermask", Unit::warp, vote_meaning(vote_all)},
    {"vote.sync.any.pred p, {!}a, membermask", Unit::warp, vote_meaning(vote_any)},
    {"vote.sync.uni.pred p, {!}a, membermask", Unit::warp, vote_meaning(vote_uni)},
    {"vote.sync.ballot.b32 d, {!}a, membermask",
     Unit::warp,
     {.run = ballot, .operands = {{out32, in_pred, in32}}, .traits = kTogether}},
    {"activemask.b32 d", Unit::warp, {.run = activemask, .operands = {{out32}}}},
    {"match.any.sync.b32 d, a, membermask",
     Unit::warp,
     {.run = match_any<u32>, .operands = {{out32, in32, in32}}, .traits = kTogether}},
    {"match.any.sync.b64 d, a, membermask",
     Unit::warp,
     {.run = match_any<u64>, .operands = {{out32, {Role::in, Kind::u64}, in32}}, .traits = kTogether}},
    {"match.all.sync.b32 d[|p], a, membermask",
     Unit::warp,
     {.run = match_all<u32>, .operands = {{out32, maybe_pred, in32, in32}}, .traits = kTogether}},
    {"match.all.sync.b64 d[|p], a, membermask",
     Unit::warp,
     {.run = match_all<u64>, .operands = {{out32, maybe_pred, {Role::in, Kind::u64}, in32}}, .traits = kTogether}},
    {"elect.sync d|p, membermask",
     Unit::warp,
     {.run = elect, .operands = {{{Role::optional_out, Kind::u32}, maybe_pred, in32}}, .traits = kTogether}},
    {"redux.sync.add(.u32,.s32) d, a, membermask", Unit::warp, reduce_lanes<[](u32 a, u32 b) { return a + b; }, u32>()},
    {"redux.sync.min.u32 d, a, membermask", Unit::warp,
     reduce_lanes<[](u32 a, u32 b) { return a < b ? a : b; }, u32>()},
    {"redux.sync.max.u32 d, a, membermask", Unit::warp,
     reduce_lanes<[](u32 a, u32 b) { return b < a ? a : b; }, u32>()},
    {"redux.sync.min.s32 d, a, membermask", Unit::warp,
     reduce_lanes<[](s32 a, s32 b) { return a < b ? a : b; }, s32>()},
    {"redux.sync.max.s32 d, a, membermask", Unit::warp,
     reduce_lanes<[](s32 a, s32 b) { return b < a ? a : b; }, s32>()},
    {"redux.sync.and.b32 d, a, membermask", Unit::warp, reduce_lanes<[](u32 a, u32 b) { return a & b; }, u32>()},
    {"redux.sync.or.b32 d, a, membermask", Unit::warp, reduce_lanes<[](u32 a, u32 b) { return a | b; }, u32>()},
    {"redux.sync.xor.b32 d, a, membermask", Unit::warp, reduce_lanes<[](u32 a, u32 b) { return a ^ b; }, u32>()},
    {"bar.warp.sync membermask", Unit::warp, {.run = warp_barrier, .operands = {{in32}}, .traits = kCollective}},
};

}  // namespace

std::span<const Row> warp_wide_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
