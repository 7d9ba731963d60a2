// Bits within an integer (PTX ISA: popc, clz, bfind, fns, brev, bfe, bfi, bmsk, szext, of the Integer Arithmetic
// Instructions).

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

constexpr auto ones_u32 = [](u32 x) {
  x -= x >> 1 & 0x55555555u;
  x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
  return ((x + (x >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
};
constexpr auto ones_u64 = [](u64 x) { return ones_u32(static_cast<u32>(x)) + ones_u32(static_cast<u32>(x >> 32)); };
constexpr auto leading_zeros_u32 = [](u32 x) { return x == 0 ? 32u : static_cast<u32>(__builtin_clz(x)); };
constexpr auto leading_zeros_u64 = [](u64 x) { return x == 0 ? 64u : static_cast<u32>(__builtin_clzll(x)); };

/// Position of the highest bit that differs from the sign (unsigned: that is set); all ones if there is none.
template <typename T>
constexpr auto highest_bit = [](T x) -> u32 {
  const u64 bits = x < 0 ? static_cast<u64>(~x) : static_cast<u64>(x);
  return bits == 0 ? ~0u : 63u - static_cast<u32>(__builtin_clzll(bits));
};
/// bfind.shiftamt: by how much to shift left to bring it to the top.
template <typename T>
constexpr auto shift_to_top = [](T x) -> u32 {
  const u32 found = highest_bit<T>(x);
  return found == ~0u ? found : static_cast<u32>(8 * sizeof(T)) - 1 - found;
};

constexpr auto reversed_u32 = [](u32 x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
  return __builtin_bswap32(x);
};
constexpr auto reversed_u64 = [](u64 x) {
  return static_cast<u64>(reversed_u32(static_cast<u32>(x))) << 32 | reversed_u32(static_cast<u32>(x >> 32));
};

/// fns: the |offset|-th set bit at or after base (offset > 0) or at or before it (< 0); 0: base itself, if set. The
/// least offset, which has no magnitude of 32 bits, gives 0 on an H200.
constexpr auto nth_set_bit = [](u32 mask, u32 base, s32 offset) -> u32 {
  if (offset == INT32_MIN) return 0;
  if (offset == 0) return base < 32 && (mask >> base & 1) ? base : ~0u;
  s64 left = offset < 0 ? -static_cast<s64>(offset) : offset;
  for (s64 at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1)
    if ((mask >> at & 1) && --left == 0) return static_cast<u32>(at);
  return ~0u;
};

/// The lowest `count` bits set, `count` up to and beyond the width.
template <typename U>
inline U low_ones(u32 count) {
  constexpr u32 width = 8 * sizeof(U);
  return count >= width ? ~U{0} : (U{1} << (count & (width - 1))) - 1;
}
/// x >> n, zero from the width on.
template <typename U>
inline U shifted_right(U x, u32 n) {
  constexpr u32 width = 8 * sizeof(U);
  return n >= width ? U{0} : x >> (n & (width - 1));
}

/// How far start and length of a field count. In 32 bits: their lowest byte. In 64 bits all of them, whatever the
/// manual says: sm_90 has no 64-bit bfe and bfi, and the shifts that ptxas makes of them clamp.
template <typename T>
inline u32 field_place(u32 n) {
  return sizeof(T) == 4 ? n & 0xff : n;
}
/// bfe: the field of `length` bits from `start` up; bits above the operand are its sign (signed) or zero.
template <typename T>
constexpr auto field = [](T a, u32 start, u32 length) -> T {
  using U = std::make_unsigned_t<T>;
  start = field_place<T>(start);
  length = field_place<T>(length);
  const U mask = low_ones<U>(length);
  if constexpr (!std::is_signed_v<T>) {
    return shifted_right(a, start) & mask;
  } else {
    constexpr u32 top = 8 * sizeof(T) - 1;
    const U bits = static_cast<U>(a >> (start < top ? start : top)) & mask;
    const bool sign = shifted_right(bits, length - 1) != 0;  // of no bits: shifted by 2^32 - 1, zero
    return static_cast<T>(sign ? bits | ~mask : bits);
  }
};
/// bfi: a's lowest `length` bits put into b at `start`.
template <typename U>
constexpr auto field_inserted = [](U a, U b, u32 start, u32 length) -> U {
  constexpr u32 width = 8 * sizeof(U);
  start = field_place<U>(start);
  length = field_place<U>(length);
  const U mask = start >= width ? U{0} : low_ones<U>(length) << (start & (width - 1));
  return (b & ~mask) | ((start >= width ? U{0} : a << (start & (width - 1))) & mask);
};

/// bmsk: `width` ones from bit `start` up. Clamped, or both taken modulo 32.
constexpr auto ones_clamped = [](u32 start, u32 width) -> u32 {
  return start > 31 ? 0u : low_ones<u32>(width) << (start & 31);
};
constexpr auto ones_wrapped = [](u32 start, u32 width) -> u32 { return low_ones<u32>(width & 31) << (start & 31); };

/// szext: the lowest `width` bits, sign- or zero-extended.
template <typename T>
constexpr auto extended_clamped = [](T a, u32 width) -> T {
  const u32 spare = 32 - (width > 32 ? 32 : width);
  return spare == 32 ? T{0} : static_cast<T>(static_cast<T>(static_cast<u32>(a) << (spare & 31)) >> (spare & 31));
};
template <typename T>
constexpr auto extended_wrapped = [](T a, u32 width) -> T { return extended_clamped<T>(a, width & 31); };

constexpr Row rows[] = {
    {"popc.b32 d, a", Unit::alu, lane<ones_u32>()},
    {"popc.b64 d, a", Unit::alu, lane<ones_u64>()},
    {"clz.b32 d, a", Unit::alu, lane<leading_zeros_u32>()},
    {"clz.b64 d, a", Unit::alu, lane<leading_zeros_u64>()},
    {"bfind.u32 d, a", Unit::alu, lane<highest_bit<u32>>()},
    {"bfind.s32 d, a", Unit::alu, lane<highest_bit<s32>>()},
    {"bfind.u64 d, a", Unit::alu, lane<highest_bit<u64>>()},
    {"bfind.s64 d, a", Unit::alu, lane<highest_bit<s64>>()},
    {"bfind.shiftamt.u32 d, a", Unit::alu, lane<shift_to_top<u32>>()},
    {"bfind.shiftamt.s32 d, a", Unit::alu, lane<shift_to_top<s32>>()},
    {"bfind.shiftamt.u64 d, a", Unit::alu, lane<shift_to_top<u64>>()},
    {"bfind.shiftamt.s64 d, a", Unit::alu, lane<shift_to_top<s64>>()},
    {"brev.b32 d, a", Unit::alu, lane<reversed_u32>()},
    {"brev.b64 d, a", Unit::alu, lane<reversed_u64>()},
    {"fns.b32 d, mask, base, offset", Unit::alu, lane_costly<nth_set_bit>()},
    {"bfe.u32 d, a, b, c", Unit::alu, lane<field<u32>>()},
    {"bfe.s32 d, a, b, c", Unit::alu, lane<field<s32>>()},
    {"bfe.u64 d, a, b, c", Unit::alu, lane<field<u64>>()},
    {"bfe.s64 d, a, b, c", Unit::alu, lane<field<s64>>()},
    {"bfi.b32 f, a, b, c, d", Unit::alu, lane<field_inserted<u32>>()},
    {"bfi.b64 f, a, b, c, d", Unit::alu, lane<field_inserted<u64>>()},
    {"bmsk.clamp.b32 d, a, b", Unit::alu, lane<ones_clamped>()},
    {"bmsk.wrap.b32 d, a, b", Unit::alu, lane<ones_wrapped>()},
    {"szext.clamp.u32 d, a, b", Unit::alu, lane<extended_clamped<u32>>()},
    {"szext.clamp.s32 d, a, b", Unit::alu, lane<extended_clamped<s32>>()},
    {"szext.wrap.u32 d, a, b", Unit::alu, lane<extended_wrapped<u32>>()},
    {"szext.wrap.s32 d, a, b", Unit::alu, lane<extended_wrapped<s32>>()},
};

}  // namespace

std::span<const Row> bits_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
