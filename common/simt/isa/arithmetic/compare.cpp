// Comparison into predicates, and selection (PTX ISA: Comparison and Selection Instructions). For floating point,
// eq … ge are false and equ … geu true if an operand is NaN.

#include "common/simt/isa/arithmetic/comparisons.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename T>
constexpr auto select = [](T a, T b, bool c) { return c ? a : b; };
// slct: a if c >= 0. A NaN is not; a flushed subnormal is zero.
template <typename T>
constexpr auto select_by_s32 = [](T a, T b, s32 c) { return c >= 0 ? a : b; };
template <typename T>
constexpr auto select_by_f32 = [](T a, T b, float c) { return c >= 0.0f ? a : b; };
template <typename T>
constexpr auto select_by_f32_ftz = [](T a, T b, float c) { return flush(c) >= 0.0f ? a : b; };

constexpr Row rows[] = {
    {"setp.eq{.and,.or,.xor}(.b16,.u16,.s16) p{|q}, a, b{, c}", Unit::alu, compare<equal<u16>>()},
    {"setp.eq{.and,.or,.xor}(.b32,.u32,.s32) p{|q}, a, b{, c}", Unit::alu, compare<equal<u32>>()},
    {"setp.eq{.and,.or,.xor}(.b64,.u64,.s64) p{|q}, a, b{, c}", Unit::alu, compare<equal<u64>>()},
    {"setp.ne{.and,.or,.xor}(.b16,.u16,.s16) p{|q}, a, b{, c}", Unit::alu, compare<not_equal<u16>>()},
    {"setp.ne{.and,.or,.xor}(.b32,.u32,.s32) p{|q}, a, b{, c}", Unit::alu, compare<not_equal<u32>>()},
    {"setp.ne{.and,.or,.xor}(.b64,.u64,.s64) p{|q}, a, b{, c}", Unit::alu, compare<not_equal<u64>>()},
    {"setp(.lt,.lo){.and,.or,.xor}.u16 p{|q}, a, b{, c}", Unit::alu, compare<less<u16>>()},
    {"setp.lt{.and,.or,.xor}.s16 p{|q}, a, b{, c}", Unit::alu, compare<less<s16>>()},
    {"setp(.lt,.lo){.and,.or,.xor}.u32 p{|q}, a, b{, c}", Unit::alu, compare<less<u32>>()},
    {"setp.lt{.and,.or,.xor}.s32 p{|q}, a, b{, c}", Unit::alu, compare<less<s32>>()},
    {"setp(.lt,.lo){.and,.or,.xor}.u64 p{|q}, a, b{, c}", Unit::alu, compare<less<u64>>()},
    {"setp.lt{.and,.or,.xor}.s64 p{|q}, a, b{, c}", Unit::alu, compare<less<s64>>()},
    {"setp(.le,.ls){.and,.or,.xor}.u16 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<u16>>()},
    {"setp.le{.and,.or,.xor}.s16 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<s16>>()},
    {"setp(.le,.ls){.and,.or,.xor}.u32 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<u32>>()},
    {"setp.le{.and,.or,.xor}.s32 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<s32>>()},
    {"setp(.le,.ls){.and,.or,.xor}.u64 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<u64>>()},
    {"setp.le{.and,.or,.xor}.s64 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<s64>>()},
    {"setp(.gt,.hi){.and,.or,.xor}.u16 p{|q}, a, b{, c}", Unit::alu, compare<greater<u16>>()},
    {"setp.gt{.and,.or,.xor}.s16 p{|q}, a, b{, c}", Unit::alu, compare<greater<s16>>()},
    {"setp(.gt,.hi){.and,.or,.xor}.u32 p{|q}, a, b{, c}", Unit::alu, compare<greater<u32>>()},
    {"setp.gt{.and,.or,.xor}.s32 p{|q}, a, b{, c}", Unit::alu, compare<greater<s32>>()},
    {"setp(.gt,.hi){.and,.or,.xor}.u64 p{|q}, a, b{, c}", Unit::alu, compare<greater<u64>>()},
    {"setp.gt{.and,.or,.xor}.s64 p{|q}, a, b{, c}", Unit::alu, compare<greater<s64>>()},
    {"setp(.ge,.hs){.and,.or,.xor}.u16 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<u16>>()},
    {"setp.ge{.and,.or,.xor}.s16 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<s16>>()},
    {"setp(.ge,.hs){.and,.or,.xor}.u32 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<u32>>()},
    {"setp.ge{.and,.or,.xor}.s32 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<s32>>()},
    {"setp(.ge,.hs){.and,.or,.xor}.u64 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<u64>>()},
    {"setp.ge{.and,.or,.xor}.s64 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<s64>>()},
    {"setp.eq{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<equal<float>>()},
    {"setp.eq{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<equal<double>>()},
    {"setp.ne{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<ordered_not_equal<float>>()},
    {"setp.ne{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<ordered_not_equal<double>>()},
    {"setp.lt{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<less<float>>()},
    {"setp.lt{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<less<double>>()},
    {"setp.le{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<float>>()},
    {"setp.le{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<less_equal<double>>()},
    {"setp.gt{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<greater<float>>()},
    {"setp.gt{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<greater<double>>()},
    {"setp.ge{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<float>>()},
    {"setp.ge{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<greater_equal<double>>()},
    {"setp.equ{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<unordered_equal<float>>()},
    {"setp.equ{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<unordered_equal<double>>()},
    {"setp.neu{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<not_equal<float>>()},
    {"setp.neu{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<not_equal<double>>()},
    {"setp.ltu{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<unordered_less<float>>()},
    {"setp.ltu{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<unordered_less<double>>()},
    {"setp.leu{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<unordered_less_equal<float>>()},
    {"setp.leu{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<unordered_less_equal<double>>()},
    {"setp.gtu{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<unordered_greater<float>>()},
    {"setp.gtu{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<unordered_greater<double>>()},
    {"setp.geu{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<unordered_greater_equal<float>>()},
    {"setp.geu{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<unordered_greater_equal<double>>()},
    {"setp.num{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<both_numbers<float>>()},
    {"setp.num{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<both_numbers<double>>()},
    {"setp.nan{.and,.or,.xor}{.ftz}.f32 p{|q}, a, b{, c}", Unit::alu, compare<any_nan<float>>()},
    {"setp.nan{.and,.or,.xor}.f64 p{|q}, a, b{, c}", Unit::alu, compare<any_nan<double>>()},

    {"selp(.b16,.u16,.s16) d, a, b, c", Unit::alu, lane<select<u16>>()},
    {"selp(.b32,.u32,.s32) d, a, b, c", Unit::alu, lane<select<u32>>()},
    {"selp(.b64,.u64,.s64) d, a, b, c", Unit::alu, lane<select<u64>>()},
    {"selp.f32 d, a, b, c", Unit::alu, lane<select<float>>()},
    {"selp.f64 d, a, b, c", Unit::alu, lane<select<double>>()},

    {"slct(.b16,.u16,.s16).s32 d, a, b, c", Unit::alu, lane<select_by_s32<u16>>()},
    {"slct(.b16,.u16,.s16).f32 d, a, b, c", Unit::alu, lane<select_by_f32<u16>>()},
    {"slct.ftz(.b16,.u16,.s16).f32 d, a, b, c", Unit::alu, lane<select_by_f32_ftz<u16>>()},
    {"slct(.b32,.u32,.s32).s32 d, a, b, c", Unit::alu, lane<select_by_s32<u32>>()},
    {"slct(.b32,.u32,.s32).f32 d, a, b, c", Unit::alu, lane<select_by_f32<u32>>()},
    {"slct.ftz(.b32,.u32,.s32).f32 d, a, b, c", Unit::alu, lane<select_by_f32_ftz<u32>>()},
    {"slct(.b64,.u64,.s64).s32 d, a, b, c", Unit::alu, lane<select_by_s32<u64>>()},
    {"slct(.b64,.u64,.s64).f32 d, a, b, c", Unit::alu, lane<select_by_f32<u64>>()},
    {"slct.ftz(.b64,.u64,.s64).f32 d, a, b, c", Unit::alu, lane<select_by_f32_ftz<u64>>()},
    {"slct.f32.s32 d, a, b, c", Unit::alu, lane<select_by_s32<float>>()},
    {"slct.f32.f32 d, a, b, c", Unit::alu, lane<select_by_f32<float>>()},
    {"slct.ftz.f32.f32 d, a, b, c", Unit::alu, lane<select_by_f32_ftz<float>>()},
    {"slct.f64.s32 d, a, b, c", Unit::alu, lane<select_by_s32<double>>()},
    {"slct.f64.f32 d, a, b, c", Unit::alu, lane<select_by_f32<double>>()},
    {"slct.ftz.f64.f32 d, a, b, c", Unit::alu, lane<select_by_f32_ftz<double>>()},
};

}  // namespace

std::span<const Row> compare_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
