#include "common/simt/timing/trace/slow_ways.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/simt/decode/program.h"

namespace gpulab::simt {

namespace {

constexpr std::uint32_t kMagnitude = 0x7fffffff;

template <typename T>
T value_of(const Warp& w, std::uint16_t slot, int lane) {
  return reinterpret_cast<const T*>(w.regs + slot)[lane];
}

std::uint32_t high_of(double value) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) >> 32); }

// Where the short way ends stands in the machine code that ptxas 13.0 makes for sm_90; what the subroutines take is an
// H100's, which issued so many instructions more of 32 warps that divide again and again, for 80 pairs of operands.

/// FCHK says whether the short way will do: the remainder that it needs is no denormal, and the quotient is far enough
/// from the ends of the range. All of 33 pairs were as it says here.
std::uint16_t of_div32(std::uint32_t a, std::uint32_t b) {
  constexpr int least = 24, most = 252, infinite = 255, apart = 125;
  constexpr int special = 32, scaled = 41, of_denormal = 26, to_denormal = 29;
  const int of_a = static_cast<int>(a >> 23 & 0xff), of_b = static_cast<int>(b >> 23 & 0xff);
  if ((a & kMagnitude) == 0 || of_a == infinite || (b & kMagnitude) == 0 || of_b == infinite) return special;
  if (of_a >= least && of_b != 0 && of_b <= most && std::abs(of_a - of_b) <= apart) return 0;
  return static_cast<std::uint16_t>(scaled + (of_a == 0 || of_b == 0 ? of_denormal : 0) +
                                    (of_a - of_b < 1 - apart ? to_denormal : 0));
}

std::uint16_t of_rcp32(std::uint32_t b) {
  constexpr std::uint32_t large = 0x7e000000, infinite = 0x7f800000;
  constexpr std::uint16_t special = 18, to_denormal = 45;
  if (((b + 0x1800000) & infinite) > 0x1ffffff) return 0;
  const std::uint32_t size = b & kMagnitude;
  return size >= large && size < infinite ? to_denormal : special;
}

std::uint16_t of_sqrt32(std::uint32_t b) {
  constexpr std::uint16_t special = 12, scaled = 24;
  if (b - 0xd000000 <= 0x727fffff) return 0;
  return (b & kMagnitude) == 0 || b > 0x7f800000 ? special : scaled;
}

/// The upper halves are looked at as floats.
std::uint16_t of_div64(double a, double b) {
  constexpr std::uint32_t least_a = 0x03600000, infinite = 0x7f800000, least_quotient = 0x00100000;
  constexpr std::uint16_t taken = 62, to_denormal = 89;
  const std::uint32_t quotient = high_of(a / b) & kMagnitude;
  if ((high_of(a) & kMagnitude) >= least_a && (high_of(b) & kMagnitude) < infinite && quotient > least_quotient &&
      quotient <= infinite && b != 0)
    return 0;
  return a != 0 && quotient < least_quotient && !std::isinf(b) ? to_denormal : taken;
}

std::uint16_t of_rcp64(double b) {
  constexpr std::uint32_t estimate = 0x300402, least = 0x00400000;
  constexpr std::uint16_t special = 22, scaled = 37;
  if (((high_of(b) + estimate) & kMagnitude) >= least) return 0;
  return b == 0 || !std::isfinite(b) ? special : scaled;
}

std::uint16_t of_sqrt64(double b) {
  constexpr std::uint16_t special = 20, tiny = 25, of_denormal = 44;
  if (high_of(b) + 0xfcb00000 < 0x7ca00000) return 0;
  if (!(b > 0) || std::isinf(b)) return special;
  return std::isnormal(b) ? tiny : of_denormal;
}

}  // namespace

Quotient quotient_of(std::string_view opcode) {
  const bool is_double = opcode.ends_with(".f64");
  if (!is_double && !opcode.ends_with(".f32")) return Quotient::none;
  if (opcode.starts_with("div.rn.")) return is_double ? Quotient::div64 : Quotient::div32;
  if (opcode.starts_with("rcp.rn.")) return is_double ? Quotient::rcp64 : Quotient::rcp32;
  if (opcode.starts_with("sqrt.rn.")) return is_double ? Quotient::sqrt64 : Quotient::sqrt32;
  return Quotient::none;
}

std::uint16_t slow_instructions(const Warp& w, const MicroOp* op, Quotient quotient) {
  std::uint16_t most = 0;
  for (std::uint32_t left = w.mask; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto word = [&](std::size_t i) { return value_of<std::uint32_t>(w, op->r[i], lane); };
    const auto real = [&](std::size_t i) { return value_of<double>(w, op->r[i], lane); };
    switch (quotient) {
      case Quotient::none:
        return 0;
      case Quotient::div32:
        most = std::max(most, of_div32(word(1), word(2)));
        break;
      case Quotient::rcp32:
        most = std::max(most, of_rcp32(word(1)));
        break;
      case Quotient::sqrt32:
        most = std::max(most, of_sqrt32(word(1)));
        break;
      case Quotient::div64:
        most = std::max(most, of_div64(real(1), real(2)));
        break;
      case Quotient::rcp64:
        most = std::max(most, of_rcp64(real(1)));
        break;
      case Quotient::sqrt64:
        most = std::max(most, of_sqrt64(real(1)));
        break;
    }
  }
  return most;
}

/// Of lanes that ask for different times the first one's: which one a GPU takes has not been measured.
std::uint32_t nap_ns(const Warp& w, const MicroOp* op) {
  constexpr std::uint32_t least = 32, most = 1'000'000;  // PTX ISA, nanosleep: a millisecond at most
  return std::bit_ceil(std::clamp(value_of<std::uint32_t>(w, op->r[0], std::countr_zero(w.mask)), least, most));
}

}  // namespace gpulab::simt
