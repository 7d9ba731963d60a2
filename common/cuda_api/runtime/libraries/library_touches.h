#pragma once
// What a library's operation has touched.

#include <cstdint>
#include <vector>

#include "common/simt/observers/touched/touched_bytes.h"

namespace gpulab::cuda_api {

struct LibraryTouches {
  simt::TouchedBytes bytes;
  std::uint64_t read = 0, written = 0;        ///< bytes
  std::vector<std::uint64_t> written_memory;  ///< addresses of allocations
};

}  // namespace gpulab::cuda_api
