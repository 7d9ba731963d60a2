#pragma once
// Contexts of the driver's API. There is one device and one address space: a context is who allocated and loaded what,
// which ends with it. All under the session's lock, but for what a thread knows itself.

#include <cuda.h>

#include <cstdint>

namespace gpulab::cuda_api {

[[nodiscard]] bool is_initialized();
/// This thread has a current one: its own, or the primary one, where it has used the runtime.
[[nodiscard]] bool has_context();
/// 0: the primary one, or none.
[[nodiscard]] std::uint64_t current_context_number();
/// Null: none.
[[nodiscard]] CUcontext current_context();

}  // namespace gpulab::cuda_api
