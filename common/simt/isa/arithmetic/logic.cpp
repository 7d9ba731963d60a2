// Logic and shifts (PTX ISA: Logic and Shift Instructions). Predicates are lane masks: one operation for a warp.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename U>
constexpr auto bit_and = [](U a, U b) { return static_cast<U>(a & b); };
template <typename U>
constexpr auto bit_or = [](U a, U b) { return static_cast<U>(a | b); };
template <typename U>
constexpr auto bit_xor = [](U a, U b) { return static_cast<U>(a ^ b); };
template <typename U>
constexpr auto bit_not = [](U a) { return static_cast<U>(~a); };
template <typename U>
constexpr auto is_zero = [](U a) { return static_cast<U>(a == 0); };

// Shift amounts beyond the width are clamped to it. The & keeps C++ defined; vector shifts do not need it.
template <typename U>
constexpr auto shift_left = [](U a, u32 b) {
  constexpr u32 width = 8 * sizeof(U);
  return b < width ? static_cast<U>(a << (b & (width - 1))) : U{0};
};
template <typename U>
constexpr auto shift_right = [](U a, u32 b) {
  constexpr u32 width = 8 * sizeof(U);
  return b < width ? static_cast<U>(a >> (b & (width - 1))) : U{0};
};
template <typename S>
constexpr auto shift_right_signed = [](S a, u32 b) {
  constexpr u32 width = 8 * sizeof(S);
  return static_cast<S>(a >> (b < width ? b : width - 1));
};

/// Shifts. Without AVX2 a vector shifts by one amount only; most shifts have one, an immediate.
template <auto F, typename Signature = decltype(+F)>
struct ShiftOp;
template <auto F, typename T>
struct ShiftOp<F, T (*)(T, u32)> {
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<T> a(w, op, 1);
    const Source<u32> b(w, op, 2);
    const u32 amount = b[0];
    u32 differing = 0;
    for (int i = 0; i < kLanes; ++i) differing |= b[i] ^ amount;
    if (differing == 0)
      for_each_lane<T>(w, op, [&](int i) { return F(a[i], amount); });
    else
      for_each_lane<T>(w, op, [&](int i) { return F(a[i], b[i]); });
    return following(w, op);
  }
};
template <auto F>
constexpr Meaning shift() {
  Meaning meaning = lane<F>();
#if !defined(__AVX2__)
  meaning.run = ShiftOp<F>::run;
#endif
  return meaning;
}

// shf: the 64 bits b:a shifted; .l gives the upper word, .r the lower.
constexpr auto funnel_left_clamp = [](u32 a, u32 b, u32 c) {
  const u32 n = c & 31;
  return c >= 32 ? a : n == 0 ? b : b << n | a >> (32 - n);
};
constexpr auto funnel_left_wrap = [](u32 a, u32 b, u32 c) {
  const u32 n = c & 31;
  return n == 0 ? b : b << n | a >> (32 - n);
};
constexpr auto funnel_right_clamp = [](u32 a, u32 b, u32 c) {
  const u32 n = c & 31;
  return c >= 32 ? b : n == 0 ? a : b << (32 - n) | a >> n;
};
constexpr auto funnel_right_wrap = [](u32 a, u32 b, u32 c) {
  const u32 n = c & 31;
  return n == 0 ? a : b << (32 - n) | a >> n;
};

/// lop3: any function of three bits, by its truth table: bit 4a + 2b + c of op->imm.
const MicroOp* lop3(Warp& w, const MicroOp* op) {
  const Source<u32> a(w, op, 1), b(w, op, 2), c(w, op, 3);
  const auto chosen = [](u32 selector, u32 if_one, u32 if_zero) { return if_zero ^ (selector & (if_zero ^ if_one)); };
  u32 table[8];
  for (int k = 0; k < 8; ++k) table[k] = op->imm >> k & 1 ? ~0u : 0u;
  for_each_lane<u32>(w, op, [&](int i) {
    const u32 when_a = chosen(b[i], chosen(c[i], table[7], table[6]), chosen(c[i], table[5], table[4]));
    const u32 when_not_a = chosen(b[i], chosen(c[i], table[3], table[2]), chosen(c[i], table[1], table[0]));
    return chosen(a[i], when_a, when_not_a);
  });
  return following(w, op);
}
constexpr Meaning lop3_meaning{.run = lop3,
                               .operands = {{{Role::out, Kind::u32},
                                             {Role::in, Kind::u32},
                                             {Role::in, Kind::u32},
                                             {Role::in, Kind::u32},
                                             {Role::immediate, Kind::u32}}}};

constexpr Row rows[] = {
    {"and.pred p, a, b", Unit::alu, mask_function<bit_and<u32>>()},
    {"and.b16 d, a, b", Unit::alu, lane<bit_and<u16>>()},
    {"and.b32 d, a, b", Unit::alu, lane<bit_and<u32>>()},
    {"and.b64 d, a, b", Unit::alu, lane<bit_and<u64>>()},
    {"or.pred p, a, b", Unit::alu, mask_function<bit_or<u32>>()},
    {"or.b16 d, a, b", Unit::alu, lane<bit_or<u16>>()},
    {"or.b32 d, a, b", Unit::alu, lane<bit_or<u32>>()},
    {"or.b64 d, a, b", Unit::alu, lane<bit_or<u64>>()},
    {"xor.pred p, a, b", Unit::alu, mask_function<bit_xor<u32>>()},
    {"xor.b16 d, a, b", Unit::alu, lane<bit_xor<u16>>()},
    {"xor.b32 d, a, b", Unit::alu, lane<bit_xor<u32>>()},
    {"xor.b64 d, a, b", Unit::alu, lane<bit_xor<u64>>()},
    {"not.pred p, a", Unit::alu, mask_function<bit_not<u32>>()},
    {"not.b16 d, a", Unit::alu, lane<bit_not<u16>>()},
    {"not.b32 d, a", Unit::alu, lane<bit_not<u32>>()},
    {"not.b64 d, a", Unit::alu, lane<bit_not<u64>>()},
    {"cnot.b16 d, a", Unit::alu, lane<is_zero<u16>>()},
    {"cnot.b32 d, a", Unit::alu, lane<is_zero<u32>>()},
    {"cnot.b64 d, a", Unit::alu, lane<is_zero<u64>>()},
    {"lop3.b32 d, a, b, c, immLut", Unit::alu, lop3_meaning},

    {"shl.b16 d, a, b", Unit::alu, shift<shift_left<u16>>()},
    {"shl.b32 d, a, b", Unit::alu, shift<shift_left<u32>>()},
    {"shl.b64 d, a, b", Unit::alu, shift<shift_left<u64>>()},
    {"shr(.b16,.u16) d, a, b", Unit::alu, shift<shift_right<u16>>()},
    {"shr(.b32,.u32) d, a, b", Unit::alu, shift<shift_right<u32>>()},
    {"shr(.b64,.u64) d, a, b", Unit::alu, shift<shift_right<u64>>()},
    {"shr.s16 d, a, b", Unit::alu, shift<shift_right_signed<s16>>()},
    {"shr.s32 d, a, b", Unit::alu, shift<shift_right_signed<s32>>()},
    {"shr.s64 d, a, b", Unit::alu, shift<shift_right_signed<s64>>()},
    {"shf.l.clamp.b32 d, a, b, c", Unit::alu, lane<funnel_left_clamp>()},
    {"shf.l.wrap.b32 d, a, b, c", Unit::alu, lane<funnel_left_wrap>()},
    {"shf.r.clamp.b32 d, a, b, c", Unit::alu, lane<funnel_right_clamp>()},
    {"shf.r.wrap.b32 d, a, b, c", Unit::alu, lane<funnel_right_wrap>()},
};

}  // namespace

std::span<const Row> logic_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
