#pragma once
// The one copy that all functions call that copy memory or arrays.

#include <driver_types.h>

#include <optional>

#include "common/cuda_api/runtime/session.h"

namespace gpulab::cuda_api {

/// Each side is the device's or the host's, as `kind` says. What is wrong is told (Session::find).
cudaError_t copy(Session& session, const char* function, const void* to, const void* from, const Rows& rows,
                 cudaMemcpyKind kind, cudaStream_t stream, void* caller);

/// Of a function that the host waits in, where another does what it does: what was queued before is done, as far as it
/// can be asked. `function`: of the runtime's, of that kind.
cudaError_t begin_waiting(Session& session, const char* function);

/// The program has GPUs of both numbers.
cudaError_t check_gpus(Session& session, int to, int from);

/// What memory is filled with: a value of 1, 2 or 4 bytes.
struct Pattern {
  unsigned value = 0;
  std::size_t bytes = 1;
};
cudaError_t fill_with(Session& session, void* to, Pattern pattern, const Rows& rows, cudaStream_t stream,
                      bool is_async);

/// One side of a copy in three dimensions: where its first byte lies, and how far it is to the next row and slice.
struct CopySide {
  std::uint64_t address = 0;
  std::size_t row_bytes = 0, slice_bytes = 0;
};

/// A box of an array, in bytes, rows and slices. Nothing where it is not all inside, and the session knows why.
std::optional<CopySide> box_of(Session& session, cudaArray_const_t handle, const cudaPos& at, const cudaExtent& box);
cudaError_t copy_box(Session& session, const char* function, const CopySide& to, const CopySide& from,
                     const cudaExtent& box, cudaMemcpyKind kind, cudaStream_t stream, void* caller);

}  // namespace gpulab::cuda_api
