// Conversions (PTX ISA: cvt) from and to bfloat16, tf32 and the 8-bit formats, of one value and of pairs; cvt.pack.

#include "common/simt/isa/arithmetic/conversions.h"
#include "common/simt/isa/arithmetic/half_arithmetic.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

/// The hardware shifts the bits: a NaN keeps its payload, unless .ftz makes it a conversion.
const MicroOp* widen(Warp& w, const MicroOp* op) {
  const Source<Bfloat16> a(w, op, 1);
  if (op->mods & kFtz)
    for_each_lane<float>(w, op, [&](int i) { return canonical(flush(float_of(a[i]))); });
  else
    for_each_lane<float>(w, op, [&](int i) { return float_of(a[i]); });
  return following(w, op);
}
constexpr Meaning single_of_bfloat16() {
  return {.run = widen, .operands = {{{Role::out, Kind::f32}, {Role::in, Kind::bf16}}}};
}

/// .satfinite: the largest number instead of infinity. .relu: zero instead of what is negative, -0 too; NaN stays.
template <typename D, bool relu, bool finite>
inline D limited_to(float x, u16 mods) {
  const u32 bits = short_float<D>(x, mods).bits;
  const u32 least_infinite = infinity_of<format_of<D>>;
  const u32 limited = finite && (bits & 0x7fff) == least_infinite ? bits - 1 : bits;
  return D(relu && (limited & 0x8000) ? 0 : limited);
}
template <typename D, bool relu, bool finite>
const MicroOp* limit(Warp& w, const MicroOp* op) {
  const Source<float> a(w, op, 1);
  const u16 mods = op->mods & kRoundMask;  // .rn or .rz
  for_each_lane_at_once<D>(w, op, [&](int i) { return limited_to<D, relu, finite>(a[i], mods); });
  return following(w, op);
}
template <typename D, bool relu, bool finite>
constexpr Meaning limited() {
  return {.run = limit<D, relu, finite>, .operands = {{{Role::out, kind_of<D>()}, {Role::in, Kind::f32}}}};
}
/// d, a, b: a becomes the upper half.
template <typename D, bool relu, bool finite>
const MicroOp* limit_pair(Warp& w, const MicroOp* op) {
  const Source<float> a(w, op, 1), b(w, op, 2);
  const auto convert = [&](u16 mods) {
    for_each_lane_at_once<u32>(w, op, [&](int i) {
      return pair_of(limited_to<D, relu, finite>(b[i], mods), limited_to<D, relu, finite>(a[i], mods));
    });
  };
  if (op->mods & kRoundMask)
    convert(kRoundZero);
  else
    convert(0);
  return following(w, op);
}
template <typename D, bool relu, bool finite>
constexpr Meaning limited_pair() {
  return {.run = limit_pair<D, relu, finite>,
          .operands = {{{Role::out, Kind::u32}, {Role::in, Kind::f32}, {Role::in, Kind::f32}}}};
}

// ---- tf32: single precision with 10 bits of mantissa, the lower 13 zero ----

/// Ties away from zero, as ptxas spells it out in integers: the lower bits of a NaN are cut off, even where that makes
/// an infinity of it.
template <bool finite>
constexpr auto tf32_away = [](float x) -> u32 {
  const u32 bits = bits_as<u32>(x);
  const bool number = (bits & 0x7f800000u) != 0x7f800000u;
  const u32 rounded = (number ? bits + 0x1000u : bits) & 0xffffe000u;
  return finite && (rounded & 0x7f800000u) == 0x7f800000u ? rounded - 0x2000u : rounded;
};
constexpr Format tf32{10, -126};
template <bool relu>
const MicroOp* round_to_tf32(Warp& w, const MicroOp* op) {
  const Source<float> a(w, op, 1);
  const u16 mods = op->mods & kRoundMask;
  for_each_lane_at_once<u32>(w, op, [&](int i) {
    const u32 sign = bits_as<u32>(a[i]) & 0x80000000u;
    const u32 magnitude = magnitude_bits<tf32>(a[i], mods);
    constexpr u32 infinity = infinity_of<tf32>;
    const u32 number = sign | (magnitude < infinity ? magnitude : infinity) << 13;
    return a[i] != a[i] ? 0x7fffe000u : relu && sign ? 0 : number;
  });
  return following(w, op);
}
template <bool relu>
constexpr Meaning to_tf32() {
  return {.run = round_to_tf32<relu>, .operands = {{{Role::out, Kind::u32}, {Role::in, Kind::f32}}}};
}

// ---- 8 bits: e4m3 has no infinity and one NaN, e5m2 is the upper byte of a half ----

struct E4m3 {
  static constexpr Format format{3, -6};
  static constexpr u32 largest = 0x7e;
  static Half half_of(u32 byte) {
    const Half small((byte & 0x7f) << 7);  // its exponent is 8 too low
    const Half number = short_float<Half>(float_of(small) * 0x1p8f, 0);
    return Half((byte & 0x7f) == 0x7f ? 0x7fffu : number.bits | (byte & 0x80) << 8);
  }
};
struct E5m2 {
  static constexpr Format format{2, -14};
  static constexpr u32 largest = 0x7b;
  static Half half_of(u32 byte) { return Half((byte & 0x7f) > 0x7c ? 0x7fffu : byte << 8); }
};

/// .satfinite always; a NaN becomes 0x7f.
template <typename D, bool relu>
inline u32 byte_of(float x) {
  const u32 sign = bits_as<u32>(x) >> 24 & 0x80;
  const u32 magnitude = magnitude_bits<D::format>(x, 0);
  const u32 number = sign | (magnitude < D::largest ? magnitude : D::largest);
  return x != x ? 0x7f : relu && sign ? 0 : number;
}
template <typename D, bool relu>
constexpr auto bytes_of_singles =
    [](float a, float b) { return static_cast<u16>(byte_of<D, relu>(a) << 8 | byte_of<D, relu>(b)); };
template <typename D, bool relu>
constexpr auto bytes_of_halves = [](u32 a) {
  return static_cast<u16>(byte_of<D, relu>(float_of(high<Half>(a))) << 8 | byte_of<D, relu>(float_of(low<Half>(a))));
};
template <typename S, bool relu>
constexpr auto halves_of_bytes = [](u16 a) {
  const auto half = [](u32 byte) {
    const Half h = S::half_of(byte);
    return relu && (h.bits & 0x8000) ? Half(0u) : h;
  };
  return pair_of(half(a & 0xff), half(a >> 8));
};

// ---- cvt.pack: two integers saturated, side by side, above them what c holds ----

template <int bits, bool is_signed>
inline u32 field_of(s32 x) {
  constexpr s32 lowest_field = is_signed ? -(1 << (bits - 1)) : 0;
  constexpr s32 highest_field = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  const s32 clamped_field = x < lowest_field ? lowest_field : x > highest_field ? highest_field : x;
  return static_cast<u32>(clamped_field) & ((1u << bits) - 1);
}
template <typename T>
constexpr auto packed_words =
    [](s32 a, s32 b) { return field_of<16, std::is_signed_v<T>>(a) << 16 | field_of<16, std::is_signed_v<T>>(b); };
template <int bits, bool is_signed>
constexpr auto packed_fields = [](s32 a, s32 b, u32 c) {
  return c << 2 * bits | field_of<bits, is_signed>(a) << bits | field_of<bits, is_signed>(b);
};

const Row rows[] = {
    {"cvt(.rni,.rzi,.rmi,.rpi).u8.bf16 d, a", Unit::conversion, round_to<u8, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).s8.bf16 d, a", Unit::conversion, round_to<s8, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).u16.bf16 d, a", Unit::conversion, round_to<u16, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).s16.bf16 d, a", Unit::conversion, round_to<s16, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).u32.bf16 d, a", Unit::conversion, round_to<u32, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).s32.bf16 d, a", Unit::conversion, round_to<s32, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).u64.bf16 d, a", Unit::conversion, round_to<u64, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).s64.bf16 d, a", Unit::conversion, round_to<s64, Bfloat16>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.u8 d, a", Unit::conversion, to_short<Bfloat16, u8>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.s8 d, a", Unit::conversion, to_short<Bfloat16, s8>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.u16 d, a", Unit::conversion, to_short<Bfloat16, u16>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.s16 d, a", Unit::conversion, to_short<Bfloat16, s16>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.u32 d, a", Unit::conversion, to_short<Bfloat16, u32>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.s32 d, a", Unit::conversion, to_short<Bfloat16, s32>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.u64 d, a", Unit::conversion, to_short<Bfloat16, u64>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.s64 d, a", Unit::conversion, to_short<Bfloat16, s64>()},

    {"cvt.bf16.bf16 d, a", Unit::conversion, to_short<Bfloat16, Bfloat16>()},
    {"cvt(.rni,.rzi,.rmi,.rpi).bf16.bf16 d, a", Unit::conversion, round_to<Bfloat16, Bfloat16>()},
    {"cvt{.rn,.rz,.rm,.rp}.bf16.f16 d, a", Unit::conversion, to_short<Bfloat16, Half>()},
    {"cvt{.rn,.rz,.rm,.rp}.f16.bf16 d, a", Unit::conversion, to_short<Half, Bfloat16>()},
    {"cvt(.rn,.rz,.rm,.rp){.ftz}.bf16.f32 d, a", Unit::conversion, to_short<Bfloat16, float>()},
    {"cvt(.rn,.rz,.rm,.rp).bf16.f64 d, a", Unit::conversion, to_short<Bfloat16, double>()},
    {"cvt{.rn,.rz,.rm,.rp}{.ftz}.f32.bf16 d, a", Unit::conversion, single_of_bfloat16()},
    {"cvt{.rn,.rz,.rm,.rp}.f64.bf16 d, a", Unit::conversion, lane<widened<double, Bfloat16>>()},

    {"cvt(.rn,.rz).relu.f16.f32 d, a", Unit::conversion, limited<Half, true, false>()},
    {"cvt(.rn,.rz).satfinite.f16.f32 d, a", Unit::conversion, limited<Half, false, true>()},
    {"cvt(.rn,.rz)(.relu.satfinite,.satfinite.relu).f16.f32 d, a", Unit::conversion, limited<Half, true, true>()},
    {"cvt(.rn,.rz).f16x2.f32 d, a, b", Unit::conversion, limited_pair<Half, false, false>()},
    {"cvt(.rn,.rz).relu.f16x2.f32 d, a, b", Unit::conversion, limited_pair<Half, true, false>()},
    {"cvt(.rn,.rz).satfinite.f16x2.f32 d, a, b", Unit::conversion, limited_pair<Half, false, true>()},
    {"cvt(.rn,.rz)(.relu.satfinite,.satfinite.relu).f16x2.f32 d, a, b", Unit::conversion,
     limited_pair<Half, true, true>()},
    {"cvt(.rn,.rz).relu.bf16.f32 d, a", Unit::conversion, limited<Bfloat16, true, false>()},
    {"cvt(.rn,.rz).satfinite.bf16.f32 d, a", Unit::conversion, limited<Bfloat16, false, true>()},
    {"cvt(.rn,.rz)(.relu.satfinite,.satfinite.relu).bf16.f32 d, a", Unit::conversion, limited<Bfloat16, true, true>()},
    {"cvt(.rn,.rz).bf16x2.f32 d, a, b", Unit::conversion, limited_pair<Bfloat16, false, false>()},
    {"cvt(.rn,.rz).relu.bf16x2.f32 d, a, b", Unit::conversion, limited_pair<Bfloat16, true, false>()},
    {"cvt(.rn,.rz).satfinite.bf16x2.f32 d, a, b", Unit::conversion, limited_pair<Bfloat16, false, true>()},
    {"cvt(.rn,.rz)(.relu.satfinite,.satfinite.relu).bf16x2.f32 d, a, b", Unit::conversion,
     limited_pair<Bfloat16, true, true>()},

    {"cvt.rna.tf32.f32 d, a", Unit::conversion, lane_rare<tf32_away<false>>()},
    {"cvt.rna.satfinite.tf32.f32 d, a", Unit::conversion, lane_rare<tf32_away<true>>()},
    {"cvt(.rn,.rz).tf32.f32 d, a", Unit::conversion, to_tf32<false>()},
    {"cvt(.rn,.rz).relu.tf32.f32 d, a", Unit::conversion, to_tf32<true>()},

    {"cvt.rn.satfinite.e4m3x2.f32 d, a, b", Unit::conversion, lane_rare<bytes_of_singles<E4m3, false>>()},
    {"cvt.rn.satfinite.e4m3x2.f16x2 d, a", Unit::conversion, lane_rare<bytes_of_halves<E4m3, false>>()},
    {"cvt.rn(.relu.satfinite,.satfinite.relu).e4m3x2.f32 d, a, b", Unit::conversion,
     lane_rare<bytes_of_singles<E4m3, true>>()},
    {"cvt.rn(.relu.satfinite,.satfinite.relu).e4m3x2.f16x2 d, a", Unit::conversion,
     lane_rare<bytes_of_halves<E4m3, true>>()},
    {"cvt.rn.f16x2.e4m3x2 d, a", Unit::conversion, lane_rare<halves_of_bytes<E4m3, false>>()},
    {"cvt.rn.relu.f16x2.e4m3x2 d, a", Unit::conversion, lane_rare<halves_of_bytes<E4m3, true>>()},
    {"cvt.rn.satfinite.e5m2x2.f32 d, a, b", Unit::conversion, lane_rare<bytes_of_singles<E5m2, false>>()},
    {"cvt.rn.satfinite.e5m2x2.f16x2 d, a", Unit::conversion, lane_rare<bytes_of_halves<E5m2, false>>()},
    {"cvt.rn(.relu.satfinite,.satfinite.relu).e5m2x2.f32 d, a, b", Unit::conversion,
     lane_rare<bytes_of_singles<E5m2, true>>()},
    {"cvt.rn(.relu.satfinite,.satfinite.relu).e5m2x2.f16x2 d, a", Unit::conversion,
     lane_rare<bytes_of_halves<E5m2, true>>()},
    {"cvt.rn.f16x2.e5m2x2 d, a", Unit::conversion, lane_rare<halves_of_bytes<E5m2, false>>()},
    {"cvt.rn.relu.f16x2.e5m2x2 d, a", Unit::conversion, lane_rare<halves_of_bytes<E5m2, true>>()},

    {"cvt.pack.sat.u16.s32 d, a, b", Unit::conversion, lane_rare<packed_words<u16>>()},
    {"cvt.pack.sat.s16.s32 d, a, b", Unit::conversion, lane_rare<packed_words<s16>>()},
    {"cvt.pack.sat.u8.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<8, false>>()},
    {"cvt.pack.sat.s8.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<8, true>>()},
    {"cvt.pack.sat.u4.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<4, false>>()},
    {"cvt.pack.sat.s4.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<4, true>>()},
    {"cvt.pack.sat.u2.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<2, false>>()},
    {"cvt.pack.sat.s2.s32.b32 d, a, b, c", Unit::conversion, lane_rare<packed_fields<2, true>>()},
};

}  // namespace

std::span<const Row> convert_short_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
