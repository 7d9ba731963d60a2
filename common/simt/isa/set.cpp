// Comparison into a register (PTX ISA: set): all ones or zero, or 1.0 and 0.0.

#include "common/simt/comparisons.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <auto F, typename R, typename Signature = decltype(+F)>
struct SetOp;
template <auto F, typename R, typename A>
struct SetOp<F, R, bool (*)(A, A)> {
  static constexpr std::array<OperandType, 6> operands{
      {{Role::out, kind_of<R>()}, {Role::in, kind_of<A>()}, {Role::in, kind_of<A>()}, {Role::optional_in, Kind::pred}}};
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<A> a(w, op, 1), b(w, op, 2);
    const bool ftz = op->mods & kFtz;
    const u32 t = true_lanes([&](int i) { return F(flush_if(a[i], ftz), flush_if(b[i], ftz)); });
    const u32 result = combined(op, t, op->mods & kBoolMask ? w.preds[op->r[3]] : 0);
    const R when_true = std::is_same_v<R, float> ? R{1} : static_cast<R>(~0u);
    for_each_lane<R>(w, op, [&](int i) { return result & lane_bit[i] ? when_true : R{0}; });
    return following(w, op);
  }
};
template <auto F, typename R>
constexpr Meaning set() {
  return {.run = &SetOp<F, R>::run, .operands = SetOp<F, R>::operands};
}

const Row rows[] = {
    {"set.eq{.and,.or,.xor}(.u32,.s32)(.b16,.u16,.s16) d, a, b{, c}", Unit::alu, set<equal<u16>, u32>()},
    {"set.eq{.and,.or,.xor}.f32(.b16,.u16,.s16) d, a, b{, c}", Unit::alu, set<equal<u16>, float>()},
    {"set.eq{.and,.or,.xor}(.u32,.s32)(.b32,.u32,.s32) d, a, b{, c}", Unit::alu, set<equal<u32>, u32>()},
    {"set.eq{.and,.or,.xor}.f32(.b32,.u32,.s32) d, a, b{, c}", Unit::alu, set<equal<u32>, float>()},
    {"set.eq{.and,.or,.xor}(.u32,.s32)(.b64,.u64,.s64) d, a, b{, c}", Unit::alu, set<equal<u64>, u32>()},
    {"set.eq{.and,.or,.xor}.f32(.b64,.u64,.s64) d, a, b{, c}", Unit::alu, set<equal<u64>, float>()},
    {"set.ne{.and,.or,.xor}(.u32,.s32)(.b16,.u16,.s16) d, a, b{, c}", Unit::alu, set<not_equal<u16>, u32>()},
    {"set.ne{.and,.or,.xor}.f32(.b16,.u16,.s16) d, a, b{, c}", Unit::alu, set<not_equal<u16>, float>()},
    {"set.ne{.and,.or,.xor}(.u32,.s32)(.b32,.u32,.s32) d, a, b{, c}", Unit::alu, set<not_equal<u32>, u32>()},
    {"set.ne{.and,.or,.xor}.f32(.b32,.u32,.s32) d, a, b{, c}", Unit::alu, set<not_equal<u32>, float>()},
    {"set.ne{.and,.or,.xor}(.u32,.s32)(.b64,.u64,.s64) d, a, b{, c}", Unit::alu, set<not_equal<u64>, u32>()},
    {"set.ne{.and,.or,.xor}.f32(.b64,.u64,.s64) d, a, b{, c}", Unit::alu, set<not_equal<u64>, float>()},
    {"set(.lt,.lo){.and,.or,.xor}(.u32,.s32).u16 d, a, b{, c}", Unit::alu, set<less<u16>, u32>()},
    {"set(.lt,.lo){.and,.or,.xor}.f32.u16 d, a, b{, c}", Unit::alu, set<less<u16>, float>()},
    {"set.lt{.and,.or,.xor}(.u32,.s32).s16 d, a, b{, c}", Unit::alu, set<less<s16>, u32>()},
    {"set.lt{.and,.or,.xor}.f32.s16 d, a, b{, c}", Unit::alu, set<less<s16>, float>()},
    {"set(.lt,.lo){.and,.or,.xor}(.u32,.s32).u32 d, a, b{, c}", Unit::alu, set<less<u32>, u32>()},
    {"set(.lt,.lo){.and,.or,.xor}.f32.u32 d, a, b{, c}", Unit::alu, set<less<u32>, float>()},
    {"set.lt{.and,.or,.xor}(.u32,.s32).s32 d, a, b{, c}", Unit::alu, set<less<s32>, u32>()},
    {"set.lt{.and,.or,.xor}.f32.s32 d, a, b{, c}", Unit::alu, set<less<s32>, float>()},
    {"set(.lt,.lo){.and,.or,.xor}(.u32,.s32).u64 d, a, b{, c}", Unit::alu, set<less<u64>, u32>()},
    {"set(.lt,.lo){.and,.or,.xor}.f32.u64 d, a, b{, c}", Unit::alu, set<less<u64>, float>()},
    {"set.lt{.and,.or,.xor}(.u32,.s32).s64 d, a, b{, c}", Unit::alu, set<less<s64>, u32>()},
    {"set.lt{.and,.or,.xor}.f32.s64 d, a, b{, c}", Unit::alu, set<less<s64>, float>()},
    {"set(.le,.ls){.and,.or,.xor}(.u32,.s32).u16 d, a, b{, c}", Unit::alu, set<less_equal<u16>, u32>()},
    {"set(.le,.ls){.and,.or,.xor}.f32.u16 d, a, b{, c}", Unit::alu, set<less_equal<u16>, float>()},
    {"set.le{.and,.or,.xor}(.u32,.s32).s16 d, a, b{, c}", Unit::alu, set<less_equal<s16>, u32>()},
    {"set.le{.and,.or,.xor}.f32.s16 d, a, b{, c}", Unit::alu, set<less_equal<s16>, float>()},
    {"set(.le,.ls){.and,.or,.xor}(.u32,.s32).u32 d, a, b{, c}", Unit::alu, set<less_equal<u32>, u32>()},
    {"set(.le,.ls){.and,.or,.xor}.f32.u32 d, a, b{, c}", Unit::alu, set<less_equal<u32>, float>()},
    {"set.le{.and,.or,.xor}(.u32,.s32).s32 d, a, b{, c}", Unit::alu, set<less_equal<s32>, u32>()},
    {"set.le{.and,.or,.xor}.f32.s32 d, a, b{, c}", Unit::alu, set<less_equal<s32>, float>()},
    {"set(.le,.ls){.and,.or,.xor}(.u32,.s32).u64 d, a, b{, c}", Unit::alu, set<less_equal<u64>, u32>()},
    {"set(.le,.ls){.and,.or,.xor}.f32.u64 d, a, b{, c}", Unit::alu, set<less_equal<u64>, float>()},
    {"set.le{.and,.or,.xor}(.u32,.s32).s64 d, a, b{, c}", Unit::alu, set<less_equal<s64>, u32>()},
    {"set.le{.and,.or,.xor}.f32.s64 d, a, b{, c}", Unit::alu, set<less_equal<s64>, float>()},
    {"set(.gt,.hi){.and,.or,.xor}(.u32,.s32).u16 d, a, b{, c}", Unit::alu, set<greater<u16>, u32>()},
    {"set(.gt,.hi){.and,.or,.xor}.f32.u16 d, a, b{, c}", Unit::alu, set<greater<u16>, float>()},
    {"set.gt{.and,.or,.xor}(.u32,.s32).s16 d, a, b{, c}", Unit::alu, set<greater<s16>, u32>()},
    {"set.gt{.and,.or,.xor}.f32.s16 d, a, b{, c}", Unit::alu, set<greater<s16>, float>()},
    {"set(.gt,.hi){.and,.or,.xor}(.u32,.s32).u32 d, a, b{, c}", Unit::alu, set<greater<u32>, u32>()},
    {"set(.gt,.hi){.and,.or,.xor}.f32.u32 d, a, b{, c}", Unit::alu, set<greater<u32>, float>()},
    {"set.gt{.and,.or,.xor}(.u32,.s32).s32 d, a, b{, c}", Unit::alu, set<greater<s32>, u32>()},
    {"set.gt{.and,.or,.xor}.f32.s32 d, a, b{, c}", Unit::alu, set<greater<s32>, float>()},
    {"set(.gt,.hi){.and,.or,.xor}(.u32,.s32).u64 d, a, b{, c}", Unit::alu, set<greater<u64>, u32>()},
    {"set(.gt,.hi){.and,.or,.xor}.f32.u64 d, a, b{, c}", Unit::alu, set<greater<u64>, float>()},
    {"set.gt{.and,.or,.xor}(.u32,.s32).s64 d, a, b{, c}", Unit::alu, set<greater<s64>, u32>()},
    {"set.gt{.and,.or,.xor}.f32.s64 d, a, b{, c}", Unit::alu, set<greater<s64>, float>()},
    {"set(.ge,.hs){.and,.or,.xor}(.u32,.s32).u16 d, a, b{, c}", Unit::alu, set<greater_equal<u16>, u32>()},
    {"set(.ge,.hs){.and,.or,.xor}.f32.u16 d, a, b{, c}", Unit::alu, set<greater_equal<u16>, float>()},
    {"set.ge{.and,.or,.xor}(.u32,.s32).s16 d, a, b{, c}", Unit::alu, set<greater_equal<s16>, u32>()},
    {"set.ge{.and,.or,.xor}.f32.s16 d, a, b{, c}", Unit::alu, set<greater_equal<s16>, float>()},
    {"set(.ge,.hs){.and,.or,.xor}(.u32,.s32).u32 d, a, b{, c}", Unit::alu, set<greater_equal<u32>, u32>()},
    {"set(.ge,.hs){.and,.or,.xor}.f32.u32 d, a, b{, c}", Unit::alu, set<greater_equal<u32>, float>()},
    {"set.ge{.and,.or,.xor}(.u32,.s32).s32 d, a, b{, c}", Unit::alu, set<greater_equal<s32>, u32>()},
    {"set.ge{.and,.or,.xor}.f32.s32 d, a, b{, c}", Unit::alu, set<greater_equal<s32>, float>()},
    {"set(.ge,.hs){.and,.or,.xor}(.u32,.s32).u64 d, a, b{, c}", Unit::alu, set<greater_equal<u64>, u32>()},
    {"set(.ge,.hs){.and,.or,.xor}.f32.u64 d, a, b{, c}", Unit::alu, set<greater_equal<u64>, float>()},
    {"set.ge{.and,.or,.xor}(.u32,.s32).s64 d, a, b{, c}", Unit::alu, set<greater_equal<s64>, u32>()},
    {"set.ge{.and,.or,.xor}.f32.s64 d, a, b{, c}", Unit::alu, set<greater_equal<s64>, float>()},
    {"set.eq{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<equal<float>, u32>()},
    {"set.eq{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<equal<float>, float>()},
    {"set.eq{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<equal<double>, u32>()},
    {"set.eq{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<equal<double>, float>()},
    {"set.ne{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<ordered_not_equal<float>, u32>()},
    {"set.ne{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<ordered_not_equal<float>, float>()},
    {"set.ne{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<ordered_not_equal<double>, u32>()},
    {"set.ne{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<ordered_not_equal<double>, float>()},
    {"set.lt{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<less<float>, u32>()},
    {"set.lt{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<less<float>, float>()},
    {"set.lt{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<less<double>, u32>()},
    {"set.lt{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<less<double>, float>()},
    {"set.le{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<less_equal<float>, u32>()},
    {"set.le{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<less_equal<float>, float>()},
    {"set.le{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<less_equal<double>, u32>()},
    {"set.le{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<less_equal<double>, float>()},
    {"set.gt{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<greater<float>, u32>()},
    {"set.gt{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<greater<float>, float>()},
    {"set.gt{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<greater<double>, u32>()},
    {"set.gt{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<greater<double>, float>()},
    {"set.ge{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<greater_equal<float>, u32>()},
    {"set.ge{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<greater_equal<float>, float>()},
    {"set.ge{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<greater_equal<double>, u32>()},
    {"set.ge{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<greater_equal<double>, float>()},
    {"set.equ{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<unordered_equal<float>, u32>()},
    {"set.equ{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<unordered_equal<float>, float>()},
    {"set.equ{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<unordered_equal<double>, u32>()},
    {"set.equ{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<unordered_equal<double>, float>()},
    {"set.neu{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<not_equal<float>, u32>()},
    {"set.neu{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<not_equal<float>, float>()},
    {"set.neu{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<not_equal<double>, u32>()},
    {"set.neu{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<not_equal<double>, float>()},
    {"set.ltu{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<unordered_less<float>, u32>()},
    {"set.ltu{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<unordered_less<float>, float>()},
    {"set.ltu{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<unordered_less<double>, u32>()},
    {"set.ltu{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<unordered_less<double>, float>()},
    {"set.leu{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<unordered_less_equal<float>, u32>()},
    {"set.leu{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<unordered_less_equal<float>, float>()},
    {"set.leu{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<unordered_less_equal<double>, u32>()},
    {"set.leu{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<unordered_less_equal<double>, float>()},
    {"set.gtu{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<unordered_greater<float>, u32>()},
    {"set.gtu{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<unordered_greater<float>, float>()},
    {"set.gtu{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<unordered_greater<double>, u32>()},
    {"set.gtu{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<unordered_greater<double>, float>()},
    {"set.geu{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<unordered_greater_equal<float>, u32>()},
    {"set.geu{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<unordered_greater_equal<float>, float>()},
    {"set.geu{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<unordered_greater_equal<double>, u32>()},
    {"set.geu{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<unordered_greater_equal<double>, float>()},
    {"set.num{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<both_numbers<float>, u32>()},
    {"set.num{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<both_numbers<float>, float>()},
    {"set.num{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<both_numbers<double>, u32>()},
    {"set.num{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<both_numbers<double>, float>()},
    {"set.nan{.and,.or,.xor}{.ftz}(.u32,.s32).f32 d, a, b{, c}", Unit::alu, set<any_nan<float>, u32>()},
    {"set.nan{.and,.or,.xor}{.ftz}.f32.f32 d, a, b{, c}", Unit::alu, set<any_nan<float>, float>()},
    {"set.nan{.and,.or,.xor}(.u32,.s32).f64 d, a, b{, c}", Unit::alu, set<any_nan<double>, u32>()},
    {"set.nan{.and,.or,.xor}.f32.f64 d, a, b{, c}", Unit::alu, set<any_nan<double>, float>()},
};

}  // namespace

std::span<const Row> set_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
