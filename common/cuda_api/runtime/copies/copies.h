#pragma once
// The one copy that all functions call that copy memory or arrays.

#include <driver_types.h>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// Each side is the device's or the host's, as `kind` says. What is wrong is told (Session::find).
cudaError_t copy(Session& session, const char* function, const void* to, const void* from, const Rows& rows,
                 cudaMemcpyKind kind, cudaStream_t stream, void* caller);

}  // namespace gpulab::cuda_api
