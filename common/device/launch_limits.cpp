#include "common/device/launch_limits.h"

#include <fmt/format.h>

#include <string>

#include "common/error.h"
#include "common/text.h"

namespace gpulab {
namespace {

void check_extents(const Dim3& dim, const Dim3& limit, std::string_view of, std::string_view what) {
  const auto check = [&](char axis, std::uint32_t value, std::uint32_t most) {
    if (value == 0) throw usage_error(fmt::format("{}: a {} of {} is empty", of, what, dim_text(dim)));
    if (value <= most) return;
    throw usage_error(fmt::format("{}: {} {} is beyond the hardware: {} = {}, at most {}", of, what, dim_text(dim),
                                  axis, value, most));
  };
  check('x', dim.x, limit.x);
  check('y', dim.y, limit.y);
  check('z', dim.z, limit.z);
}

}  // namespace

void check_block(const Dim3& block, std::string_view of) {
  if (block.x != 0 && block.y != 0 && block.z != 0 && block.volume() > max_threads_per_block && block.x <= 65535 &&
      block.y <= 65535 && block.z <= max_block.z) {
    const std::string shape = block.y == 1 && block.z == 1 ? "" : fmt::format(" ({})", dim_text(block));
    throw usage_error(fmt::format("{}: a block of {} threads{} is beyond the hardware: at most {}", of, block.volume(),
                                  shape, max_threads_per_block),
                      "use a smaller block and more of them; 256 is a good start");
  }
  check_extents(block, max_block, of, "block");
}

void check_grid(const Dim3& grid, std::string_view of) { check_extents(grid, max_grid, of, "grid"); }

}  // namespace gpulab
