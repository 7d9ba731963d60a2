#pragma once
// Divisions and roots to the last bit branch to a subroutine for operands that their short way cannot take: zero and
// tiny dividends, divisors near the ends of the range, infinities. A warp goes there if one of its lanes does.

#include <cstdint>
#include <string_view>

#include "common/simt/machine/warp.h"

namespace gpulab::simt {

struct MicroOp;

enum class Quotient : std::uint8_t { none, div32, rcp32, sqrt32, div64, rcp64, sqrt64 };

[[nodiscard]] Quotient quotient_of(std::string_view opcode);

/// The GPU's instructions that a warp executes more, for the operands of its active lanes; 0: all take the short way.
[[nodiscard]] std::uint16_t slow_instructions(const Warp& w, const MicroOp* op, Quotient quotient);

}  // namespace gpulab::simt
