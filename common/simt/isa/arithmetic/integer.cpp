// Integer arithmetic (PTX ISA: Integer Arithmetic Instructions). The low half of a sum or product is the same for
// signed and unsigned operands, so they share a row.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

using s128 = __int128;
using u128 = unsigned __int128;

template <typename T>
using Unsigned = std::make_unsigned_t<T>;

/// The type of twice T's width and its signedness.
template <typename T>
struct TwiceAs;
template <>
struct TwiceAs<s16> {
  using Type = s32;
};
template <>
struct TwiceAs<u16> {
  using Type = u32;
};
template <>
struct TwiceAs<s32> {
  using Type = s64;
};
template <>
struct TwiceAs<u32> {
  using Type = u64;
};
template <>
struct TwiceAs<s64> {
  using Type = s128;
};
template <>
struct TwiceAs<u64> {
  using Type = u128;
};
template <typename T>
using Twice = typename TwiceAs<T>::Type;

// Arithmetic that wraps. Sub-word operands promote to int, where u16 * u16 could overflow: hence by unsigned.
template <typename T>
constexpr auto add = [](T a, T b) { return static_cast<T>(a + b); };
template <typename T>
constexpr auto sub = [](T a, T b) { return static_cast<T>(a - b); };
template <typename T>
constexpr auto mul_lo = [](T a, T b) { return static_cast<T>(1u * a * b); };
template <typename T>
constexpr auto mul_wide = [](T a, T b) { return static_cast<Twice<T>>(static_cast<Twice<T>>(a) * b); };
template <typename T>
constexpr auto mul_hi =
    [](T a, T b) { return static_cast<T>(static_cast<Twice<T>>(a) * static_cast<Twice<T>>(b) >> 8 * sizeof(T)); };
template <typename T>
constexpr auto mad_lo = [](T a, T b, T c) { return static_cast<T>(1u * a * b + c); };
template <typename T>
constexpr auto mad_hi = [](T a, T b, T c) {
  return static_cast<T>(static_cast<Unsigned<T>>(mul_hi<T>(a, b)) + static_cast<Unsigned<T>>(c));
};
template <typename T>
constexpr auto mad_wide = [](T a, T b, Twice<T> c) {
  using U = Unsigned<Twice<T>>;
  return static_cast<Twice<T>>(static_cast<U>(static_cast<Twice<T>>(a) * b) + static_cast<U>(c));
};

inline s32 clamp_s32(s64 x) { return static_cast<s32>(x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x); }
/// Two 16-bit halves at once.
template <typename F>
inline u32 halves(u32 a, u32 b, F f) {
  return static_cast<u16>(f(a & 0xffff, b & 0xffff)) | static_cast<u32>(f(a >> 16, b >> 16)) << 16;
}

// 24-bit products: the low 32 of 48 bits, or the bits from 16 on.
inline s64 product24(s32 a, s32 b) {
  return static_cast<s64>(static_cast<s32>(static_cast<u32>(a) << 8) >> 8) *
         (static_cast<s32>(static_cast<u32>(b) << 8) >> 8);
}
inline s64 product24(u32 a, u32 b) { return static_cast<s64>(a & 0xffffff) * (b & 0xffffff); }
template <typename T>
constexpr auto mul24_lo = [](T a, T b) { return static_cast<T>(product24(a, b)); };
template <typename T>
constexpr auto mul24_hi = [](T a, T b) { return static_cast<T>(product24(a, b) >> 16); };
template <typename T>
constexpr auto mad24_lo =
    [](T a, T b, T c) { return static_cast<T>(static_cast<u32>(product24(a, b)) + static_cast<u32>(c)); };
template <typename T>
constexpr auto mad24_hi =
    [](T a, T b, T c) { return static_cast<T>(static_cast<u32>(product24(a, b) >> 16) + static_cast<u32>(c)); };

template <typename T>
constexpr auto distance = [](T a, T b) {
  return static_cast<Unsigned<T>>(a < b ? static_cast<Unsigned<T>>(b) - static_cast<Unsigned<T>>(a)
                                        : static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
};
template <typename T>
constexpr auto sad = [](T a, T b, T c) { return static_cast<T>(static_cast<Unsigned<T>>(c) + distance<T>(a, b)); };

// Division by zero gives all ones, as on the hardware. Up to 32 bits the quotient of two doubles is exact enough: it
// differs from an integer by at least 2^-32, far more than the rounding error. So divisions vectorise.
inline double as_double(u32 x) { return bits_as<double>(0x4330000000000000u | x) - 0x1p52; }
inline u32 quotient(u32 a, u32 b) {
  const double whole = __builtin_floor(as_double(a) / as_double(b));
  return b == 0 ? ~0u : static_cast<u32>(bits_as<u64>(whole + 0x1p52));
}
template <typename T>
inline u32 magnitude(T x) {
  return x < 0 ? 0u - static_cast<u32>(x) : static_cast<u32>(x);
}
template <typename T>
constexpr auto divide = [](T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const u32 q = quotient(magnitude(a), magnitude(b));
    return static_cast<T>(b != 0 && (a < 0) != (b < 0) ? 0u - q : q);
  } else {
    return static_cast<T>(quotient(a, b));
  }
};
template <typename T>
constexpr auto remainder = [](T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    const u32 r = magnitude(a) - quotient(magnitude(a), magnitude(b)) * magnitude(b);
    return static_cast<T>(b == 0 ? ~0u : a < 0 ? 0u - r : r);
  } else {
    return static_cast<T>(b == 0 ? ~0u : a - quotient(a, b) * b);
  }
};
constexpr auto divide_u64 = [](u64 a, u64 b) { return b == 0 ? ~u64{0} : a / b; };
constexpr auto remainder_u64 = [](u64 a, u64 b) { return b == 0 ? ~u64{0} : a % b; };
constexpr auto divide_s64 = [](s64 a, s64 b) {
  return b == 0 ? s64{-1} : b == -1 ? static_cast<s64>(u64{0} - static_cast<u64>(a)) : a / b;
};
constexpr auto remainder_s64 = [](s64 a, s64 b) { return b == 0 ? s64{-1} : b == -1 ? s64{0} : a % b; };

template <typename T>
constexpr auto negate = [](T a) { return static_cast<T>(Unsigned<T>{0} - static_cast<Unsigned<T>>(a)); };
template <typename T>
constexpr auto absolute = [](T a) { return a < 0 ? negate<T>(a) : a; };
template <typename T>
constexpr auto min = [](T a, T b) { return a < b ? a : b; };
template <typename T>
constexpr auto max = [](T a, T b) { return a > b ? a : b; };
template <typename T>
constexpr auto min_x2 = [](u32 a, u32 b) {
  return halves(a, b, [](u32 x, u32 y) { return static_cast<u16>(min<T>(static_cast<T>(x), static_cast<T>(y))); });
};
template <typename T>
constexpr auto max_x2 = [](u32 a, u32 b) {
  return halves(a, b, [](u32 x, u32 y) { return static_cast<u16>(max<T>(static_cast<T>(x), static_cast<T>(y))); });
};
constexpr auto relu = [](s32 a) { return a > 0 ? a : 0; };
constexpr auto min_relu = [](s32 a, s32 b) { return relu(min<s32>(a, b)); };
constexpr auto max_relu = [](s32 a, s32 b) { return relu(max<s32>(a, b)); };
constexpr auto min_relu_x2 = [](u32 a, u32 b) { return max_x2<s16>(min_x2<s16>(a, b), 0); };
constexpr auto max_relu_x2 = [](u32 a, u32 b) { return max_x2<s16>(max_x2<s16>(a, b), 0); };

/// dp4a: four products of bytes, added to c.
template <typename A, typename B>
constexpr auto dot4 = [](u32 a, u32 b, u32 c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<u32>(static_cast<A>(a >> i) * static_cast<B>(b >> i));
  return c;
};
/// dp2a: a's two halves by two bytes of b, of its lower or upper half.
template <typename A, typename B, int first>
constexpr auto dot2 = [](u32 a, u32 b, u32 c) {
  b >>= 8 * first;
  c += static_cast<u32>(static_cast<A>(a) * static_cast<B>(b));
  return c + static_cast<u32>(static_cast<A>(a >> 16) * static_cast<B>(b >> 8));
};
constexpr auto add_sat = [](s32 a, s32 b) { return clamp_s32(static_cast<s64>(a) + b); };
constexpr auto sub_sat = [](s32 a, s32 b) { return clamp_s32(static_cast<s64>(a) - b); };
constexpr auto mad_hi_sat = [](s32 a, s32 b, s32 c) { return clamp_s32(static_cast<s64>(mul_hi<s32>(a, b)) + c); };
constexpr auto mad24_hi_sat = [](s32 a, s32 b, s32 c) { return clamp_s32((product24(a, b) >> 16) + c); };
constexpr auto add_x2 = [](u32 a, u32 b) { return halves(a, b, [](u32 x, u32 y) { return x + y; }); };

constexpr Row rows[] = {
    {"add(.u16,.s16) d, a, b", Unit::alu, lane<add<u16>>()},
    {"add(.u32,.s32) d, a, b", Unit::alu, lane<add<u32>>()},
    {"add(.u64,.s64) d, a, b", Unit::alu, lane<add<u64>>()},
    {"add(.u16x2,.s16x2) d, a, b", Unit::alu, lane<add_x2>()},
    {"add.sat.s32 d, a, b", Unit::alu, lane<add_sat>()},
    {"sub(.u16,.s16) d, a, b", Unit::alu, lane<sub<u16>>()},
    {"sub(.u32,.s32) d, a, b", Unit::alu, lane<sub<u32>>()},
    {"sub(.u64,.s64) d, a, b", Unit::alu, lane<sub<u64>>()},
    {"sub.sat.s32 d, a, b", Unit::alu, lane<sub_sat>()},

    {"mul.lo(.u16,.s16) d, a, b", Unit::alu, lane<mul_lo<u16>>()},
    {"mul.lo(.u32,.s32) d, a, b", Unit::alu, lane<mul_lo<u32>>()},
    {"mul.lo(.u64,.s64) d, a, b", Unit::alu, lane<mul_lo<u64>>()},
    {"mul.hi.u16 d, a, b", Unit::alu, lane<mul_hi<u16>>()},
    {"mul.hi.s16 d, a, b", Unit::alu, lane<mul_hi<s16>>()},
    {"mul.hi.u32 d, a, b", Unit::alu, lane<mul_hi<u32>>()},
    {"mul.hi.s32 d, a, b", Unit::alu, lane<mul_hi<s32>>()},
    {"mul.hi.u64 d, a, b", Unit::alu, lane<mul_hi<u64>>()},
    {"mul.hi.s64 d, a, b", Unit::alu, lane<mul_hi<s64>>()},
    {"mul.wide.u16 d, a, b", Unit::alu, lane<mul_wide<u16>>()},
    {"mul.wide.s16 d, a, b", Unit::alu, lane<mul_wide<s16>>()},
    {"mul.wide.u32 d, a, b", Unit::alu, lane<mul_wide<u32>>()},
    {"mul.wide.s32 d, a, b", Unit::alu, lane<mul_wide<s32>>()},

    {"mad.lo(.u16,.s16) d, a, b, c", Unit::alu, lane<mad_lo<u16>>()},
    {"mad.lo(.u32,.s32) d, a, b, c", Unit::alu, lane<mad_lo<u32>>()},
    {"mad.lo(.u64,.s64) d, a, b, c", Unit::alu, lane<mad_lo<u64>>()},
    {"mad.hi.u16 d, a, b, c", Unit::alu, lane<mad_hi<u16>>()},
    {"mad.hi.s16 d, a, b, c", Unit::alu, lane<mad_hi<s16>>()},
    {"mad.hi.u32 d, a, b, c", Unit::alu, lane<mad_hi<u32>>()},
    {"mad.hi.s32 d, a, b, c", Unit::alu, lane<mad_hi<s32>>()},
    {"mad.hi.u64 d, a, b, c", Unit::alu, lane<mad_hi<u64>>()},
    {"mad.hi.s64 d, a, b, c", Unit::alu, lane<mad_hi<s64>>()},
    {"mad.hi.sat.s32 d, a, b, c", Unit::alu, lane<mad_hi_sat>()},
    {"mad.wide.u16 d, a, b, c", Unit::alu, lane<mad_wide<u16>>()},
    {"mad.wide.s16 d, a, b, c", Unit::alu, lane<mad_wide<s16>>()},
    {"mad.wide.u32 d, a, b, c", Unit::alu, lane<mad_wide<u32>>()},
    {"mad.wide.s32 d, a, b, c", Unit::alu, lane<mad_wide<s32>>()},

    {"mul24.lo.u32 d, a, b", Unit::alu, lane<mul24_lo<u32>>()},
    {"mul24.lo.s32 d, a, b", Unit::alu, lane<mul24_lo<s32>>()},
    {"mul24.hi.u32 d, a, b", Unit::alu, lane<mul24_hi<u32>>()},
    {"mul24.hi.s32 d, a, b", Unit::alu, lane<mul24_hi<s32>>()},
    {"mad24.lo.u32 d, a, b, c", Unit::alu, lane<mad24_lo<u32>>()},
    {"mad24.lo.s32 d, a, b, c", Unit::alu, lane<mad24_lo<s32>>()},
    {"mad24.hi.u32 d, a, b, c", Unit::alu, lane<mad24_hi<u32>>()},
    {"mad24.hi.s32 d, a, b, c", Unit::alu, lane<mad24_hi<s32>>()},
    {"mad24.hi.sat.s32 d, a, b, c", Unit::alu, lane<mad24_hi_sat>()},

    {"sad.u16 d, a, b, c", Unit::alu, lane<sad<u16>>()},
    {"sad.s16 d, a, b, c", Unit::alu, lane<sad<s16>>()},
    {"sad.u32 d, a, b, c", Unit::alu, lane<sad<u32>>()},
    {"sad.s32 d, a, b, c", Unit::alu, lane<sad<s32>>()},
    {"sad.u64 d, a, b, c", Unit::alu, lane<sad<u64>>()},
    {"sad.s64 d, a, b, c", Unit::alu, lane<sad<s64>>()},

    {"div.u16 d, a, b", Unit::alu, lane<divide<u16>>()},
    {"div.s16 d, a, b", Unit::alu, lane<divide<s16>>()},
    {"div.u32 d, a, b", Unit::alu, lane<divide<u32>>()},
    {"div.s32 d, a, b", Unit::alu, lane<divide<s32>>()},
    {"div.u64 d, a, b", Unit::alu, lane_costly<divide_u64>()},
    {"div.s64 d, a, b", Unit::alu, lane_costly<divide_s64>()},
    {"rem.u16 d, a, b", Unit::alu, lane<remainder<u16>>()},
    {"rem.s16 d, a, b", Unit::alu, lane<remainder<s16>>()},
    {"rem.u32 d, a, b", Unit::alu, lane<remainder<u32>>()},
    {"rem.s32 d, a, b", Unit::alu, lane<remainder<s32>>()},
    {"rem.u64 d, a, b", Unit::alu, lane_costly<remainder_u64>()},
    {"rem.s64 d, a, b", Unit::alu, lane_costly<remainder_s64>()},

    {"abs.s16 d, a", Unit::alu, lane<absolute<s16>>()},
    {"abs.s32 d, a", Unit::alu, lane<absolute<s32>>()},
    {"abs.s64 d, a", Unit::alu, lane<absolute<s64>>()},
    {"neg.s16 d, a", Unit::alu, lane<negate<s16>>()},
    {"neg.s32 d, a", Unit::alu, lane<negate<s32>>()},
    {"neg.s64 d, a", Unit::alu, lane<negate<s64>>()},

    {"min.u16 d, a, b", Unit::alu, lane<min<u16>>()},
    {"min.s16 d, a, b", Unit::alu, lane<min<s16>>()},
    {"min.u32 d, a, b", Unit::alu, lane<min<u32>>()},
    {"min.s32 d, a, b", Unit::alu, lane<min<s32>>()},
    {"min.u64 d, a, b", Unit::alu, lane<min<u64>>()},
    {"min.s64 d, a, b", Unit::alu, lane<min<s64>>()},
    {"min.u16x2 d, a, b", Unit::alu, lane<min_x2<u16>>()},
    {"min.s16x2 d, a, b", Unit::alu, lane<min_x2<s16>>()},
    {"min(.relu.s32,.s32.relu) d, a, b", Unit::alu, lane<min_relu>()},
    {"min(.relu.s16x2,.s16x2.relu) d, a, b", Unit::alu, lane<min_relu_x2>()},
    {"max.u16 d, a, b", Unit::alu, lane<max<u16>>()},
    {"max.s16 d, a, b", Unit::alu, lane<max<s16>>()},
    {"max.u32 d, a, b", Unit::alu, lane<max<u32>>()},
    {"max.s32 d, a, b", Unit::alu, lane<max<s32>>()},
    {"max.u64 d, a, b", Unit::alu, lane<max<u64>>()},
    {"max.s64 d, a, b", Unit::alu, lane<max<s64>>()},
    {"max.u16x2 d, a, b", Unit::alu, lane<max_x2<u16>>()},
    {"max.s16x2 d, a, b", Unit::alu, lane<max_x2<s16>>()},
    {"max(.relu.s32,.s32.relu) d, a, b", Unit::alu, lane<max_relu>()},
    {"max(.relu.s16x2,.s16x2.relu) d, a, b", Unit::alu, lane<max_relu_x2>()},

    {"dp4a.u32.u32 d, a, b, c", Unit::alu, lane<dot4<u8, u8>>()},
    {"dp4a.u32.s32 d, a, b, c", Unit::alu, lane<dot4<u8, s8>>()},
    {"dp4a.s32.u32 d, a, b, c", Unit::alu, lane<dot4<s8, u8>>()},
    {"dp4a.s32.s32 d, a, b, c", Unit::alu, lane<dot4<s8, s8>>()},
    {"dp2a.lo.u32.u32 d, a, b, c", Unit::alu, lane<dot2<u16, u8, 0>>()},
    {"dp2a.lo.u32.s32 d, a, b, c", Unit::alu, lane<dot2<u16, s8, 0>>()},
    {"dp2a.lo.s32.u32 d, a, b, c", Unit::alu, lane<dot2<s16, u8, 0>>()},
    {"dp2a.lo.s32.s32 d, a, b, c", Unit::alu, lane<dot2<s16, s8, 0>>()},
    {"dp2a.hi.u32.u32 d, a, b, c", Unit::alu, lane<dot2<u16, u8, 2>>()},
    {"dp2a.hi.u32.s32 d, a, b, c", Unit::alu, lane<dot2<u16, s8, 2>>()},
    {"dp2a.hi.s32.u32 d, a, b, c", Unit::alu, lane<dot2<s16, u8, 2>>()},
    {"dp2a.hi.s32.s32 d, a, b, c", Unit::alu, lane<dot2<s16, s8, 2>>()},
};

}  // namespace

std::span<const Row> integer_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
