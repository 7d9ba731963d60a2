#pragma once
// The device's answer against the CPU's.

#include <functional>
#include <span>
#include <string>

#include "labs/lab.h"
#include "runner/case/result.h"

namespace gpulab {

/// Adds one buffer's comparison to `verification` (passed before the first). Integers and moved data compare
/// by bytes; floating-point answers by |got - expected| <= tolerance. NaN never passes. Errors are over all elements.
void verify(const Expected& expected, Scalar type, std::span<const std::byte> got, Verification& verification);

/// Element `index` of a buffer's bytes.
[[nodiscard]] decltype(Mismatch::got) element_value(Scalar type, std::span<const std::byte> bytes, std::size_t index);

/// "out[5] is 3, not 4 (12 of 4096 elements differ)".
[[nodiscard]] std::string mismatch_text(const std::string& buffer, const Verification& verification,
                                        std::size_t compared);

}  // namespace gpulab
