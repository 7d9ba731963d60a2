#pragma once
// Literals and constant expressions (PTX ISA, Constant Expressions): evaluated while parsing, in 64 bits.

#include <cstdint>

#include "common/ptx/parse/token_stream.h"

namespace gpulab::ptx {

struct Constant {
  enum class Kind { integer, f32, f64 };
  Kind kind = Kind::integer;
  bool is_unsigned = false;  ///< integer: .u64 instead of .s64
  std::uint64_t bits = 0;    ///< two's complement, or the bit pattern

  [[nodiscard]] std::int64_t as_signed() const { return static_cast<std::int64_t>(bits); }
  [[nodiscard]] double as_double() const;  ///< the value, whatever the kind
};

/// Whether the current token opens a constant expression: a literal, `-`, `+`, `!`, `~`, `(` or WARP_SZ.
[[nodiscard]] bool at_constant(const TokenStream& tokens);
/// Parses as much as forms an expression. Fails with a message where there is none.
[[nodiscard]] Constant parse_constant(TokenStream& tokens);
/// The same, but an expression that must be an integer.
[[nodiscard]] Constant parse_integer_constant(TokenStream& tokens);

}  // namespace gpulab::ptx
