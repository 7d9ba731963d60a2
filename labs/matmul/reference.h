#pragma once
// The right answer of a matrix product, and how far a floating-point one may be from it.

#include "labs/lab.h"

namespace gpulab::labs::matmul {

struct Sizes {
  std::int64_t m, n, k;
};
[[nodiscard]] Sizes sizes(const Params& params);

/// a, b, and c as it should be; the tolerance is that of sums in the type itself, of 16-bit types in float.
[[nodiscard]] Problem problem(const Case& c);

/// Widens the tolerance to that of a tensor core: it rounds float factors to TF32, and cuts off where others round.
void allow_for_tensor_core(const Case& c, Problem& problem);
/// The same where a tensor core is given floats as they are: it cuts them off after 11 bits of significand.
void allow_for_truncation(const Case& c, Problem& problem);

/// Three nested loops in the element type, the innermost along the rows of b and c: what caches like.
void multiply_on_host(const HostCall& call);

}  // namespace gpulab::labs::matmul
