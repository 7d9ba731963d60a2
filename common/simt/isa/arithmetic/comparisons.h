#pragma once
// Comparisons of two lanes, shared by setp (compare.cpp), set (set.cpp) and those of 16-bit floating point
// (compare_half.cpp). Only for isa/*/*.cpp.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
constexpr auto equal = [](T a, T b) { return a == b; };
template <typename T>
constexpr auto not_equal = [](T a, T b) { return a != b; };  // floating point: neu
template <typename T>
constexpr auto less = [](T a, T b) { return a < b; };
template <typename T>
constexpr auto less_equal = [](T a, T b) { return a <= b; };
template <typename T>
constexpr auto greater = [](T a, T b) { return a > b; };
template <typename T>
constexpr auto greater_equal = [](T a, T b) { return a >= b; };
template <typename T>
constexpr auto ordered_not_equal = [](T a, T b) { return a < b || a > b; };
template <typename T>
constexpr auto unordered_equal = [](T a, T b) { return !(a < b || a > b); };
template <typename T>
constexpr auto unordered_less = [](T a, T b) { return !(a >= b); };
template <typename T>
constexpr auto unordered_less_equal = [](T a, T b) { return !(a > b); };
template <typename T>
constexpr auto unordered_greater = [](T a, T b) { return !(a <= b); };
template <typename T>
constexpr auto unordered_greater_equal = [](T a, T b) { return !(a < b); };
template <typename T>
constexpr auto both_numbers = [](T a, T b) { return a == a && b == b; };
template <typename T>
constexpr auto any_nan = [](T a, T b) { return a != a || b != b; };

// ---- comparisons whose handlers are shared: set, and those of 16-bit floating point ----

/// What two values may be to each other, as bits.
enum Relation : u16 { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8, kRelations = 15 };
/// Those for which a comparison holds: Meaning::extra of its row.
template <auto F, typename A>
constexpr u16 relations_of(bool (*)(A, A)) {
  int relations = (F(A{0}, A{1}) ? kLess : 0) | (F(A{1}, A{1}) ? kEqual : 0) | (F(A{1}, A{0}) ? kGreater : 0);
  if constexpr (std::is_floating_point_v<A>) relations |= F(A{0}, static_cast<A>(__builtin_nanf(""))) ? kUnordered : 0;
  return static_cast<u16>(relations);
}
template <auto F>
constexpr u16 relations = relations_of<F>(+F);

/// The lanes in which one of them holds. Single precision with .ftz compares flushed values.
template <typename T>
[[gnu::noinline]] u32 related(u16 relations, const Raw<T>* a, const Raw<T>* b, bool ftz) {
  const auto value = [&](Raw<T> raw) {
    if constexpr (std::is_same_v<T, float>)
      return flush_if(raw, ftz);
    else
      return from_raw<T>(raw);
  };
  const u32 less = true_lanes([&](int i) { return value(a[i]) < value(b[i]); });
  const u32 equal = true_lanes([&](int i) { return value(a[i]) == value(b[i]); });
  const u32 greater = true_lanes([&](int i) { return value(a[i]) > value(b[i]); });
  return (relations & kLess ? less : 0) | (relations & kEqual ? equal : 0) | (relations & kGreater ? greater : 0) |
         (relations & kUnordered ? ~(less | equal | greater) : 0);
}

/// What set writes where a comparison holds: all bits, or one. Its number is in the upper bits of Meaning::extra.
constexpr u32 when_true[]{~0u, 0xffffu, 0x3f800000u, 0x3c00u, 0x3f80u};
template <typename R>
constexpr u16 when_true_number = std::is_same_v<R, u32>     ? 0
                                 : std::is_same_v<R, u16>   ? 1
                                 : std::is_same_v<R, float> ? 2
                                 : std::is_same_v<R, Half>  ? 3
                                                            : 4;
template <auto F, typename R>
constexpr u16 set_number = static_cast<u16>(relations<F> | when_true_number<R> << 4);

// ---- what becomes of a comparison ----

/// setp and set: a comparison's result combined with the predicate operand.
inline u32 combined(const MicroOp* op, u32 t, u32 c) {
  switch (op->mods & kBoolMask) {
    case kAnd:
      return t & c;
    case kOr:
      return t | c;
    case kXor:
      return t ^ c;
    default:
      return t;
  }
}
/// setp p|q: out of line, for most have neither q nor a predicate operand.
[[gnu::noinline]] inline void write_combined(Warp& w, const MicroOp* op, u32 t) {
  const u32 c = w.preds[op->r[4]];
  write_pred(w, op->r[0], combined(op, t, c));
  if (op->r[1] != kNoOperand) write_pred(w, op->r[1], combined(op, ~t, c));
}

/// setp: a comparison into a predicate, optionally combined with another (mods kAnd/kOr/kXor), optionally with
/// its complement in a second predicate: p[|q], a, b{, c}.
template <auto F, typename Signature = decltype(+F)>
struct CompareOp;
template <auto F, typename A>
struct CompareOp<F, bool (*)(A, A)> {
  static constexpr std::array<OperandType, 6> operands{{{Role::out, Kind::pred},
                                                        {Role::optional_out, Kind::pred},
                                                        {Role::in, kind_of<A>()},
                                                        {Role::in, kind_of<A>()},
                                                        {Role::optional_in, Kind::pred}}};
  static u32 truth(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 2), b(w, op, 3);
    if constexpr (std::is_same_v<A, float> || std::is_same_v<A, Half>)
      if (op->mods & kFtz) return true_lanes([&](int i) { return F(flush(a[i]), flush(b[i])); });
    return true_lanes([&](int i) { return F(a[i], b[i]); });
  }
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const u32 t = truth(w, op);
    if (!(op->mods & kBoolMask) && op->r[1] == kNoOperand)
      write_pred(w, op->r[0], t);
    else
      write_combined(w, op, t);
    return following(w, op);
  }
  /// Without a predicate operand and a second predicate, and the branch behind it.
  static const MicroOp* then_branch(Warp& w, const MicroOp* op) {
    const u32 t = truth(w, op);
    write_pred(w, op->r[0], t);
    return branch_on(w, op + 1, t);
  }
};
template <auto F>
constexpr Meaning compare() {
  using Op = CompareOp<F>;
  const Meaning meaning =
      with_plain_values<F>({.run = &Op::run, .operands = Op::operands, .then_branch = &Op::then_branch});
  if constexpr (LaneValues<F, false, 0>::takes_floats)
    return with_plain_values<F, kFtz>(meaning);
  else
    return meaning;
}

/// The comparison holds in `lanes`; combined with predicate operand 3.
inline u32 set_result(Warp& w, const MicroOp* op, u32 lanes) {
  return combined(op, lanes, op->mods & kBoolMask ? w.preds[op->r[3]] : 0);
}
[[gnu::noinline]] inline void write_set(Warp& w, const MicroOp* op, u32 lanes) {
  const u32 result = set_result(w, op, lanes), one = when_true[op->extra >> 4];
  for_each_lane_at_once<u32>(w, op, [&](int i) { return result & lane_bit[i] ? one : 0; });
}
/// set: d, a, b{, c}
template <typename A>
const MicroOp* set_where(Warp& w, const MicroOp* op) {
  write_set(w, op, related<A>(op->extra & kRelations, values<A>(w, op, 1), values<A>(w, op, 2), op->mods & kFtz));
  return following(w, op);
}
template <auto F, typename R, typename A>
constexpr Meaning set_meaning(bool (*)(A, A)) {
  constexpr OperandType in{Role::in, kind_of<A>()};
  return {.run = set_where<A>,
          .operands = {{{Role::out, kind_of<R>()}, in, in, {Role::optional_in, Kind::pred}}},
          .extra = set_number<F, R>};
}
template <auto F, typename R>
constexpr Meaning set() {
  return set_meaning<F, R>(+F);
}

}  // namespace
}  // namespace gpulab::simt::SIMT_LEVEL
