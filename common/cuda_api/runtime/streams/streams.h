#pragma once
// Handles of streams: the number of one in the Timeline. 0 and 1 are the legacy default stream of the GPU that is
// current, 2 is the thread's own there.

#include <driver_types.h>

#include <cstdint>

#include "common/cuda_api/ordering/stream_numbers.h"
#include "common/cuda_api/runtime/session.h"
#include "common/cuda_api/runtime/timeline.h"

namespace gpulab::cuda_api {

[[nodiscard]] inline std::uint64_t stream_number(cudaStream_t stream) {
  const auto number = reinterpret_cast<std::uint64_t>(stream);
  if (number > Timeline::kPerThread) return number;
  return default_stream_of(current_gpu()) + (number <= 1 ? Timeline::kDefault : number);
}

/// Null where there is no such stream.
[[nodiscard]] StreamState* stream_of(cudaStream_t stream);

}  // namespace gpulab::cuda_api
