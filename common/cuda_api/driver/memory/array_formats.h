#pragma once
// Formats of texels, as the one API and the other say them.

#include <cuda.h>
#include <driver_types.h>

#include <optional>

namespace gpulab::cuda_api {

/// Nothing where the runtime has no such.
[[nodiscard]] std::optional<cudaChannelFormatDesc> channels_of(CUarray_format format, unsigned count);
[[nodiscard]] CUarray_format format_of_driver(const cudaChannelFormatDesc& channels);

/// One handle for both.
[[nodiscard]] inline cudaArray_t as_runtime(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
[[nodiscard]] inline CUarray as_driver(cudaArray_t array) { return reinterpret_cast<CUarray>(array); }

}  // namespace gpulab::cuda_api
