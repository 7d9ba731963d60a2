#pragma once
// The one copy that all functions call that copy memory or arrays.

#include <driver_types.h>

#include <cstddef>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// Rows of bytes.
struct Rows {
  std::size_t bytes = 0, count = 1, pitch_to = 0, pitch_from = 0;
};

/// Each side is the device's or the host's, as `kind` says. What is wrong is told (Session::find).
cudaError_t copy(Session& session, const char* function, const void* to, const void* from, const Rows& rows,
                 cudaMemcpyKind kind, cudaStream_t stream, void* caller);

}  // namespace gpulab::cuda_api
