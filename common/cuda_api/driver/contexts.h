#pragma once
// Contexts of the driver's API, each of a GPU. There is one address space: a context is who allocated and loaded what,
// which ends with it. All under the session's lock, but for what a thread knows itself.

#include <cuda.h>

#include <cstdint>
#include <optional>

namespace gpulab::cuda_api {

[[nodiscard]] bool is_initialized();
/// This thread has a current one: its own, or the primary one, where it has used the runtime.
[[nodiscard]] bool has_context();
/// 0: the primary one, or none.
[[nodiscard]] std::uint64_t current_context_number();
/// Of the context that this thread has by the driver's API; nothing: it has none.
[[nodiscard]] std::optional<int> gpu_of_current_context();
/// cudaSetDevice: where this thread has a context, the GPU's primary one takes its place.
void primary_is_current(int gpu);
/// Null: none.
[[nodiscard]] CUcontext current_context();

}  // namespace gpulab::cuda_api
