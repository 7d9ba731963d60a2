#pragma once
// How wide values are.

#include <cstdint>

#include "common/simt/isa/op.h"

namespace gpulab::simt {

/// Bytes of one value in memory. Predicates have none: 4, as a register part.
constexpr std::uint32_t bytes_of(Kind kind) {
  switch (kind) {
    case Kind::u8:
    case Kind::s8:
      return 1;
    case Kind::u16:
    case Kind::s16:
    case Kind::f16:
    case Kind::bf16:
      return 2;
    default:
      return register_class(kind) == 1 ? 8 : 4;
  }
}

}  // namespace gpulab::simt
