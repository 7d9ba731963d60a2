#include "runner/options/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "common/device/launch_limits.h"
#include "common/error.h"
#include "common/text.h"
#include "runner/options/sizes.h"

namespace gpulab {
namespace {

Dim3 parse_dim(std::string_view text, std::string_view option, std::string_view forms) {
  const auto parts = split(text, 'x');
  std::uint32_t extents[3] = {1, 1, 1};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto extent = parse_integer(parts[i]);
    if (i >= 3 || !extent) {
      throw usage_error(fmt::format("{}: malformed value '{}'", option, text), std::string(forms));
    }
    // Saturated: whatever does not fit 32 bits is beyond the hardware too, and is refused as that.
    extents[i] = static_cast<std::uint32_t>(std::min<std::int64_t>(*extent, std::numeric_limits<std::uint32_t>::max()));
  }
  return {extents[0], extents[1], extents[2]};
}

}  // namespace

std::vector<Dim3> parse_blocks(std::string_view text) {
  std::vector<Dim3> blocks;
  const auto add = [&](const Dim3& block) {
    check_block(block, "--block");
    if (std::find(blocks.begin(), blocks.end(), block) != blocks.end()) {
      throw usage_error(fmt::format("--block: {} appears twice in '{}'", dim_text(block), text));
    }
    blocks.push_back(block);
  };
  for (const auto& item : split(text, ',')) {
    if (item.find(':') == std::string::npos) {
      add(parse_dim(item, "--block", "a block is 256, 32x8 or 8x8x4"));
      continue;
    }
    for (const auto threads : parse_sizes(item, "--block"))
      add({static_cast<std::uint32_t>(std::min<std::int64_t>(threads, std::numeric_limits<std::uint32_t>::max())), 1,
           1});
  }
  return blocks;
}

std::optional<Dim3> parse_grid(std::string_view text) {
  if (text == "auto") return std::nullopt;
  const auto grid = parse_dim(text, "--grid", "a grid is auto, 1024, 64x64 or 16x16x16 blocks");
  check_grid(grid, "--grid");
  return grid;
}

}  // namespace gpulab
