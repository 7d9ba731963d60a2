#include "runner/options/launch_options.h"

#include <limits>

#include "runner/options/blocks.h"

namespace gpulab {

OptionList launch_options() {
  using heading::what_runs;
  return {
      {"block", "B[,B...]", "threads per block: 256, 32x8, 8x8x4, 32:1024", what_runs},
      {"grid", "G|auto", "blocks; auto covers the problem", what_runs},
      {"seed", "N", "of the inputs [42]", what_runs},
  };
}

LaunchOptions parse_launch_options(const Given& given) {
  LaunchOptions options;
  if (const auto* text = single_value(given, "block")) options.blocks = parse_blocks(*text);
  if (const auto* text = single_value(given, "grid")) options.grid = parse_grid(*text);
  if (const auto* text = single_value(given, "seed")) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    options.seed = static_cast<std::uint64_t>(whole_number("seed", *text, 0, most));
  }
  return options;
}

}  // namespace gpulab
