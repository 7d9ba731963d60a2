#pragma once
// What an instruction takes by its operands' values. Divisions and roots to the last bit branch to a subroutine for
// operands that their short way cannot take: zero and tiny dividends, divisors near the ends of the range, infinities.
// A warp goes there if one of its lanes does. A nap is as long as its operand says.

#include <cstdint>
#include <string_view>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct MicroOp;

enum class Quotient : std::uint8_t { none, div32, rcp32, sqrt32, div64, rcp64, sqrt64 };

[[nodiscard]] Quotient quotient_of(std::string_view opcode);

/// The GPU's instructions that a warp executes more, for the operands of its active lanes; 0: all take the short way.
[[nodiscard]] std::uint16_t slow_instructions(const Warp& w, const MicroOp* op, Quotient quotient);

/// For how many nanoseconds a warp naps. An H100 rounds what it is asked for up to a power of two: 33 ns to 64, 130 to
/// 262, 700 to 1020, 3000 to 4092, 50 000 to 65 952, a million and more to 1 059 000; 30 and less to 32.
[[nodiscard]] std::uint32_t nap_ns(const Warp& w, const MicroOp* op);

}  // namespace gpulab::simt
