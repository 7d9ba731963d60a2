#pragma once
// The inverse of the complementary error function as a CPU has it in NVIDIA's library, for numbers of generators of the
// host.

namespace gpulab::curand {

/// For x in (1e-100, 1]. In double, by the approximations of Blair, Edwards and Johnson, bit by bit.
[[nodiscard]] double inverse_erfc(double x);

}  // namespace gpulab::curand
