#include <algorithm>

#include "labs/lab.h"

namespace gpulab {

std::uint32_t blocks_for(std::int64_t elements, std::int64_t per_block) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, (elements + per_block - 1) / per_block));
}

std::function<Dim3(const Case&)> resident_grid(std::uint32_t per_thread) {
  return [=](const Case& c) {
    const std::uint32_t held = static_cast<std::uint32_t>(c.sm_count * c.max_threads_per_sm) / 2 / c.block.x;
    return Dim3{std::clamp(held, 1U, blocks_for(c.n(), std::int64_t{per_thread} * c.block.x))};
  };
}

}  // namespace gpulab
