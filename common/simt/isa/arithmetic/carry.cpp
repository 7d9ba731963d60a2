// Extended-precision integer arithmetic (PTX ISA: Extended-Precision Integer Arithmetic Instructions): sums and
// products whose carry goes on in CC.CF, one bit for each lane. After a subtraction it is the borrow.

#include "common/simt/isa/lanes.h"

namespace gpulab::simt::SIMT_LEVEL {
namespace {

template <typename U>
struct Sum {
  U value;
  bool carry;
};
template <typename U>
inline Sum<U> sum_of(U a, U b, bool carry) {
  const U sum = a + b;
  const U with_carry = sum + carry;
  return {with_carry, sum < a || with_carry < sum};
}
template <typename T>
inline std::make_unsigned_t<T> upper_product(T a, T b) {
  using Wide = std::conditional_t<sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>,
                                  std::conditional_t<std::is_signed_v<T>, s64, u64>>;
  return static_cast<std::make_unsigned_t<T>>(static_cast<Wide>(a) * static_cast<Wide>(b) >> 8 * sizeof(T));
}

// Each takes a, b, c (b again where there is none) and the carry in.
template <typename U>
constexpr auto add = [](U a, U b, U, bool carry) { return sum_of(a, b, carry); };
template <typename U>
constexpr auto subtract = [](U a, U b, U, bool borrow) {
  const U difference = a - b;
  return Sum<U>{static_cast<U>(difference - borrow), a < b || difference < static_cast<U>(borrow)};
};
template <typename U>
constexpr auto mad_lo = [](U a, U b, U c, bool carry) { return sum_of(static_cast<U>(a * b), c, carry); };
/// T has the signedness of the product.
template <typename T>
constexpr auto mad_hi =
    [](std::make_unsigned_t<T> a, std::make_unsigned_t<T> b, std::make_unsigned_t<T> c, bool carry) {
      return sum_of(upper_product(static_cast<T>(a), static_cast<T>(b)), c, carry);
    };

enum class Carry { out, in, in_and_out };

template <auto F, Carry carry, typename Signature = decltype(+F)>
struct CarryOp;
template <auto F, Carry carry, typename U>
struct CarryOp<F, carry, Sum<U> (*)(U, U, U, bool)> {
  template <int operands>
  static const MicroOp* run(Warp& w, const MicroOp* op) {
    const Source<U> a(w, op, 1), b(w, op, 2), c(w, op, operands);
    const u32 in = carry == Carry::out ? 0 : w.carry;
    alignas(64) s32 out[kLanes];
    for_each_lane<U>(w, op, [&](int i) {
      const Sum<U> sum = F(a[i], b[i], c[i], (in & lane_bit[i]) != 0);
      out[i] = sum.carry ? -1 : 0;
      return sum.value;
    });
    if (carry != Carry::in) w.carry = (w.carry & ~w.mask) | (lane_mask(out) & w.mask);
    return following(w, op);
  }
  static constexpr OperandType in{Role::in, kind_of<U>()};
  static constexpr OperandType none{};
  template <int operands>
  static constexpr Meaning meaning() {
    return {.run = &run<operands>, .operands = {{{Role::out, kind_of<U>()}, in, in, operands == 3 ? in : none}}};
  }
};
template <auto F, Carry carry>
constexpr Meaning two() {
  return CarryOp<F, carry>::template meaning<2>();
}
template <auto F, Carry carry>
constexpr Meaning three() {
  return CarryOp<F, carry>::template meaning<3>();
}

const Row rows[] = {
    {"add.cc(.u32,.s32) d, a, b", Unit::alu, two<add<u32>, Carry::out>()},
    {"add.cc(.u64,.s64) d, a, b", Unit::alu, two<add<u64>, Carry::out>()},
    {"addc(.u32,.s32) d, a, b", Unit::alu, two<add<u32>, Carry::in>()},
    {"addc(.u64,.s64) d, a, b", Unit::alu, two<add<u64>, Carry::in>()},
    {"addc.cc(.u32,.s32) d, a, b", Unit::alu, two<add<u32>, Carry::in_and_out>()},
    {"addc.cc(.u64,.s64) d, a, b", Unit::alu, two<add<u64>, Carry::in_and_out>()},
    {"sub.cc(.u32,.s32) d, a, b", Unit::alu, two<subtract<u32>, Carry::out>()},
    {"sub.cc(.u64,.s64) d, a, b", Unit::alu, two<subtract<u64>, Carry::out>()},
    {"subc(.u32,.s32) d, a, b", Unit::alu, two<subtract<u32>, Carry::in>()},
    {"subc(.u64,.s64) d, a, b", Unit::alu, two<subtract<u64>, Carry::in>()},
    {"subc.cc(.u32,.s32) d, a, b", Unit::alu, two<subtract<u32>, Carry::in_and_out>()},
    {"subc.cc(.u64,.s64) d, a, b", Unit::alu, two<subtract<u64>, Carry::in_and_out>()},
    {"mad.lo.cc(.u32,.s32) d, a, b, c", Unit::alu, three<mad_lo<u32>, Carry::out>()},
    {"mad.lo.cc(.u64,.s64) d, a, b, c", Unit::alu, three<mad_lo<u64>, Carry::out>()},
    {"mad.hi.cc.u32 d, a, b, c", Unit::alu, three<mad_hi<u32>, Carry::out>()},
    {"mad.hi.cc.s32 d, a, b, c", Unit::alu, three<mad_hi<s32>, Carry::out>()},
    {"mad.hi.cc.u64 d, a, b, c", Unit::alu, three<mad_hi<u64>, Carry::out>()},
    {"mad.hi.cc.s64 d, a, b, c", Unit::alu, three<mad_hi<s64>, Carry::out>()},
    {"madc.lo(.u32,.s32) d, a, b, c", Unit::alu, three<mad_lo<u32>, Carry::in>()},
    {"madc.lo(.u64,.s64) d, a, b, c", Unit::alu, three<mad_lo<u64>, Carry::in>()},
    {"madc.hi.u32 d, a, b, c", Unit::alu, three<mad_hi<u32>, Carry::in>()},
    {"madc.hi.s32 d, a, b, c", Unit::alu, three<mad_hi<s32>, Carry::in>()},
    {"madc.hi.u64 d, a, b, c", Unit::alu, three<mad_hi<u64>, Carry::in>()},
    {"madc.hi.s64 d, a, b, c", Unit::alu, three<mad_hi<s64>, Carry::in>()},
    {"madc.lo.cc(.u32,.s32) d, a, b, c", Unit::alu, three<mad_lo<u32>, Carry::in_and_out>()},
    {"madc.lo.cc(.u64,.s64) d, a, b, c", Unit::alu, three<mad_lo<u64>, Carry::in_and_out>()},
    {"madc.hi.cc.u32 d, a, b, c", Unit::alu, three<mad_hi<u32>, Carry::in_and_out>()},
    {"madc.hi.cc.s32 d, a, b, c", Unit::alu, three<mad_hi<s32>, Carry::in_and_out>()},
    {"madc.hi.cc.u64 d, a, b, c", Unit::alu, three<mad_hi<u64>, Carry::in_and_out>()},
    {"madc.hi.cc.s64 d, a, b, c", Unit::alu, three<mad_hi<s64>, Carry::in_and_out>()},
};

}  // namespace

std::span<const Row> carry_rows() { return rows; }

}  // namespace gpulab::simt::SIMT_LEVEL
