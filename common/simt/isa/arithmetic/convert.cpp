// Conversions (PTX ISA: cvt) between all integer and floating-point types of the first architectures; those of bfloat16
// and narrower types: convert_short.cpp.

#include "common/simt/isa/arithmetic/conversions.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// Without a modifier a move: ptxas makes no instruction of it, so that a NaN stays as it is.
template <typename T>
constexpr Meaning unchanged() {
  Meaning meaning = lane_float<converted<T, T>>();
  meaning.run = lane<converted<T, T>>().run;
  return with_plain_values<converted<T, T>>(meaning);
}

/// Double to single precision as x86 does it, too: a NaN keeps its sign and the top of its payload.
const MicroOp* narrow(Warp& w, const MicroOp* op) {
  const Source<double> a(w, op, 1);
  for_each_lane<float>(w, op, [&](int i) { return static_cast<float>(a[i]); });
  return following(w, op);
}
inline float narrowed(double x, [[maybe_unused]] bool ftz) {
  const auto single = static_cast<float>(x);
#if !defined(__x86_64__) || defined(SIMT_COMPILED)  // as_on_x86
  if (ftz && __builtin_fabsf(single) == 0x1p-126f && __builtin_fabsf(static_cast<float>(x * 0x1p24)) < 0x1p-102f)
    return single * 0;
#endif
  return single;
}
const MicroOp* narrow_modified(Warp& w, const MicroOp* op) {
  const Source<double> a(w, op, 1);
  const bool ftz = op->mods & kFtz, sat = op->mods & kSat;
  with_rounding(op->mods, [&] {
    for_each_lane<float>(w, op, [&](int i) { return saturate_if(flush_if(narrowed(a[i], ftz), ftz), sat); });
  });
  return following(w, op);
}
/// Of one lane, in code.
template <u16 mods>
constexpr auto to_single_of = [](double a) {
  constexpr bool ftz = (mods & kFtz) != 0;
  return saturate_if(flush_if(narrowed(a, ftz), ftz), (mods & kSat) != 0);
};
constexpr Meaning to_single() {
  Meaning meaning{
      .run = narrow, .modified = narrow_modified, .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::f64}}}};
  const auto add = [&]<u16... mods>(std::integer_sequence<u16, mods...>) {
    ((meaning = with_values<LaneValues<to_single_of<mods>, false, 0>>(meaning, mods)), ...);
  };
  add(std::integer_sequence<u16, 0, kFtz, kSat, kFtz | kSat>{});
  return meaning;
}

constexpr Row rows[] = {
    {"cvt.u8.u8 d, a", Unit::conversion, resize<u8, u8>()},
    {"cvt{.sat}.u8.s8 d, a", Unit::conversion, resize<u8, s8>()},
    {"cvt{.sat}.u8.u16 d, a", Unit::conversion, resize<u8, u16>()},
    {"cvt{.sat}.u8.s16 d, a", Unit::conversion, resize<u8, s16>()},
    {"cvt{.sat}.u8.u32 d, a", Unit::conversion, resize<u8, u32>()},
    {"cvt{.sat}.u8.s32 d, a", Unit::conversion, resize<u8, s32>()},
    {"cvt{.sat}.u8.u64 d, a", Unit::conversion, resize<u8, u64>()},
    {"cvt{.sat}.u8.s64 d, a", Unit::conversion, resize<u8, s64>()},
    {"cvt{.sat}.s8.u8 d, a", Unit::conversion, resize<s8, u8>()},
    {"cvt.s8.s8 d, a", Unit::conversion, resize<s8, s8>()},
    {"cvt{.sat}.s8.u16 d, a", Unit::conversion, resize<s8, u16>()},
    {"cvt{.sat}.s8.s16 d, a", Unit::conversion, resize<s8, s16>()},
    {"cvt{.sat}.s8.u32 d, a", Unit::conversion, resize<s8, u32>()},
    {"cvt{.sat}.s8.s32 d, a", Unit::conversion, resize<s8, s32>()},
    {"cvt{.sat}.s8.u64 d, a", Unit::conversion, resize<s8, u64>()},
    {"cvt{.sat}.s8.s64 d, a", Unit::conversion, resize<s8, s64>()},
    {"cvt.u16.u8 d, a", Unit::conversion, resize<u16, u8>()},
    {"cvt{.sat}.u16.s8 d, a", Unit::conversion, resize<u16, s8>()},
    {"cvt.u16.u16 d, a", Unit::conversion, resize<u16, u16>()},
    {"cvt{.sat}.u16.s16 d, a", Unit::conversion, resize<u16, s16>()},
    {"cvt{.sat}.u16.u32 d, a", Unit::conversion, resize<u16, u32>()},
    {"cvt{.sat}.u16.s32 d, a", Unit::conversion, resize<u16, s32>()},
    {"cvt{.sat}.u16.u64 d, a", Unit::conversion, resize<u16, u64>()},
    {"cvt{.sat}.u16.s64 d, a", Unit::conversion, resize<u16, s64>()},
    {"cvt.s16.u8 d, a", Unit::conversion, resize<s16, u8>()},
    {"cvt.s16.s8 d, a", Unit::conversion, resize<s16, s8>()},
    {"cvt{.sat}.s16.u16 d, a", Unit::conversion, resize<s16, u16>()},
    {"cvt.s16.s16 d, a", Unit::conversion, resize<s16, s16>()},
    {"cvt{.sat}.s16.u32 d, a", Unit::conversion, resize<s16, u32>()},
    {"cvt{.sat}.s16.s32 d, a", Unit::conversion, resize<s16, s32>()},
    {"cvt{.sat}.s16.u64 d, a", Unit::conversion, resize<s16, u64>()},
    {"cvt{.sat}.s16.s64 d, a", Unit::conversion, resize<s16, s64>()},
    {"cvt.u32.u8 d, a", Unit::conversion, resize<u32, u8>()},
    {"cvt{.sat}.u32.s8 d, a", Unit::conversion, resize<u32, s8>()},
    {"cvt.u32.u16 d, a", Unit::conversion, resize<u32, u16>()},
    {"cvt{.sat}.u32.s16 d, a", Unit::conversion, resize<u32, s16>()},
    {"cvt.u32.u32 d, a", Unit::conversion, resize<u32, u32>()},
    {"cvt{.sat}.u32.s32 d, a", Unit::conversion, resize<u32, s32>()},
    {"cvt{.sat}.u32.u64 d, a", Unit::conversion, resize<u32, u64>()},
    {"cvt{.sat}.u32.s64 d, a", Unit::conversion, resize<u32, s64>()},
    {"cvt.s32.u8 d, a", Unit::conversion, resize<s32, u8>()},
    {"cvt.s32.s8 d, a", Unit::conversion, resize<s32, s8>()},
    {"cvt.s32.u16 d, a", Unit::conversion, resize<s32, u16>()},
    {"cvt.s32.s16 d, a", Unit::conversion, resize<s32, s16>()},
    {"cvt{.sat}.s32.u32 d, a", Unit::conversion, resize<s32, u32>()},
    {"cvt.s32.s32 d, a", Unit::conversion, resize<s32, s32>()},
    {"cvt{.sat}.s32.u64 d, a", Unit::conversion, resize<s32, u64>()},
    {"cvt{.sat}.s32.s64 d, a", Unit::conversion, resize<s32, s64>()},
    {"cvt.u64.u8 d, a", Unit::conversion, resize<u64, u8>()},
    {"cvt{.sat}.u64.s8 d, a", Unit::conversion, resize<u64, s8>()},
    {"cvt.u64.u16 d, a", Unit::conversion, resize<u64, u16>()},
    {"cvt{.sat}.u64.s16 d, a", Unit::conversion, resize<u64, s16>()},
    {"cvt.u64.u32 d, a", Unit::conversion, resize<u64, u32>()},
    {"cvt{.sat}.u64.s32 d, a", Unit::conversion, resize<u64, s32>()},
    {"cvt.u64.u64 d, a", Unit::conversion, resize<u64, u64>()},
    {"cvt{.sat}.u64.s64 d, a", Unit::conversion, resize<u64, s64>()},
    {"cvt.s64.u8 d, a", Unit::conversion, resize<s64, u8>()},
    {"cvt.s64.s8 d, a", Unit::conversion, resize<s64, s8>()},
    {"cvt.s64.u16 d, a", Unit::conversion, resize<s64, u16>()},
    {"cvt.s64.s16 d, a", Unit::conversion, resize<s64, s16>()},
    {"cvt.s64.u32 d, a", Unit::conversion, resize<s64, u32>()},
    {"cvt.s64.s32 d, a", Unit::conversion, resize<s64, s32>()},
    {"cvt{.sat}.s64.u64 d, a", Unit::conversion, resize<s64, u64>()},
    {"cvt.s64.s64 d, a", Unit::conversion, resize<s64, s64>()},

    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u8.f32 d, a", Unit::conversion, round_to<u8, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s8.f32 d, a", Unit::conversion, round_to<s8, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u16.f32 d, a", Unit::conversion, round_to<u16, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s16.f32 d, a", Unit::conversion, round_to<s16, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u32.f32 d, a", Unit::conversion, round_to<u32, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s32.f32 d, a", Unit::conversion, round_to<s32, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.u64.f32 d, a", Unit::conversion, round_to<u64, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.s64.f32 d, a", Unit::conversion, round_to<s64, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u8.f64 d, a", Unit::conversion, round_to<u8, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s8.f64 d, a", Unit::conversion, round_to<s8, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u16.f64 d, a", Unit::conversion, round_to<u16, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s16.f64 d, a", Unit::conversion, round_to<s16, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u32.f64 d, a", Unit::conversion, round_to<u32, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s32.f64 d, a", Unit::conversion, round_to<s32, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u64.f64 d, a", Unit::conversion, round_to<u64, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s64.f64 d, a", Unit::conversion, round_to<s64, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u8.f16 d, a", Unit::conversion, round_to<u8, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s8.f16 d, a", Unit::conversion, round_to<s8, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u16.f16 d, a", Unit::conversion, round_to<u16, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s16.f16 d, a", Unit::conversion, round_to<s16, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u32.f16 d, a", Unit::conversion, round_to<u32, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s32.f16 d, a", Unit::conversion, round_to<s32, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.u64.f16 d, a", Unit::conversion, round_to<u64, Half>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.s64.f16 d, a", Unit::conversion, round_to<s64, Half>()},

    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u8 d, a", Unit::conversion, from_integer<float, u8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s8 d, a", Unit::conversion, from_integer<float, s8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u16 d, a", Unit::conversion, from_integer<float, u16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s16 d, a", Unit::conversion, from_integer<float, s16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u32 d, a", Unit::conversion, from_integer<float, u32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s32 d, a", Unit::conversion, from_integer<float, s32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.u64 d, a", Unit::conversion, from_integer<float, u64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f32.s64 d, a", Unit::conversion, from_integer<float, s64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u8 d, a", Unit::conversion, from_integer<double, u8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s8 d, a", Unit::conversion, from_integer<double, s8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u16 d, a", Unit::conversion, from_integer<double, u16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s16 d, a", Unit::conversion, from_integer<double, s16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u32 d, a", Unit::conversion, from_integer<double, u32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s32 d, a", Unit::conversion, from_integer<double, s32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.u64 d, a", Unit::conversion, from_integer<double, u64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f64.s64 d, a", Unit::conversion, from_integer<double, s64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u8 d, a", Unit::conversion, to_short<Half, u8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s8 d, a", Unit::conversion, to_short<Half, s8>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u16 d, a", Unit::conversion, to_short<Half, u16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s16 d, a", Unit::conversion, to_short<Half, s16>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u32 d, a", Unit::conversion, to_short<Half, u32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s32 d, a", Unit::conversion, to_short<Half, s32>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.u64 d, a", Unit::conversion, to_short<Half, u64>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.s64 d, a", Unit::conversion, to_short<Half, s64>()},

    {"cvt{.ftz}{.sat}.f32.f32 d, a", Unit::conversion, unchanged<float>()},
    {"cvt{.sat}.f64.f64 d, a", Unit::conversion, unchanged<double>()},
    {"cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f32.f64 d, a", Unit::conversion, to_single()},
    {"cvt{.ftz}{.sat}.f64.f32 d, a", Unit::conversion, lane_float<converted<double, float>>()},
    {"cvt{.ftz}{.sat}.f32.f16 d, a", Unit::conversion, lane_float<widened<float, Half>>()},
    {"cvt{.sat}.f64.f16 d, a", Unit::conversion, lane_float<widened<double, Half>>()},
    {"cvt{.sat}.f16.f16 d, a", Unit::conversion, to_short<Half, Half>()},
    {"cvt(.rn,.rz,.rm,.rp){.ftz}{.sat}.f16.f32 d, a", Unit::conversion, to_short<Half, float>()},
    {"cvt(.rn,.rz,.rm,.rp){.sat}.f16.f64 d, a", Unit::conversion, to_short<Half, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.ftz}{.sat}.f32.f32 d, a", Unit::conversion, round_to<float, float>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.f64.f64 d, a", Unit::conversion, round_to<double, double>()},
    {"cvt(.rni,.rzi,.rmi,.rpi){.sat}.f16.f16 d, a", Unit::conversion, round_to<Half, Half>()},
};

}  // namespace

std::span<const Row> convert_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
