#include "labs/atomics/contention.h"

#include <algorithm>

namespace gpulab::labs::atomics {

Queues of_elements(std::span<const int> in, std::size_t bins) {
  std::vector<std::int64_t> updates(bins);
  for (const int bin : in) ++updates[static_cast<std::size_t>(bin)];
  return {.global = std::ranges::max(updates)};
}

Queues of_private(std::span<const int> in, std::size_t bins, std::uint32_t block, std::uint32_t grid, bool aggregated) {
  std::vector<std::int64_t> global(bins), own(bins);
  std::vector<std::size_t> seen_by_warp(bins);  // number of the last warp's worth of elements that had the bin
  const std::size_t stride = std::size_t{grid} * block;
  Queues queues;
  std::size_t warps = 0;
  for (std::size_t first = 0; first < std::min(stride, in.size()); first += block) {
    std::ranges::fill(own, 0);
    for (std::size_t start = first; start < in.size(); start += stride) {
      for (std::size_t i = start; i < std::min(start + block, in.size()); ++i) {
        const auto bin = static_cast<std::size_t>(in[i]);
        warps += (i - start) % 32 == 0;
        if (!aggregated || seen_by_warp[bin] != warps) ++own[bin];
        seen_by_warp[bin] = warps;
      }
    }
    for (std::size_t bin = 0; bin < bins; ++bin) global[bin] += own[bin] > 0;
    queues.shared = std::max(queues.shared, std::ranges::max(own));
  }
  queues.global = std::ranges::max(global);
  return queues;
}

Picture picture_of(std::span<const float> image, std::span<const float> out, std::size_t side) {
  constexpr std::size_t edge = 256, gap = 16;  // pixels: of each half at least, and between them
  const std::size_t zoom = std::max<std::size_t>(1, edge / side), half = zoom * side;
  Picture picture{static_cast<std::uint32_t>(2 * half + gap), static_cast<std::uint32_t>(half), {}};
  picture.rgb.assign(std::size_t{3} * picture.width * picture.height, 255);
  const auto draw = [&](std::span<const float> values, std::size_t left) {
    const float brightest = std::max(1.0F, std::ranges::max(values));
    for (std::size_t y = 0; y < half; ++y) {
      for (std::size_t x = 0; x < half; ++x) {
        const float gray = 255 * values[y / zoom * side + x / zoom] / brightest;
        const auto at = picture.rgb.begin() + static_cast<std::ptrdiff_t>(3 * (y * picture.width + left + x));
        std::fill_n(at, 3, static_cast<std::uint8_t>(gray));
      }
    }
  };
  draw(image, 0);
  draw(out, half + gap);
  return picture;
}

}  // namespace gpulab::labs::atomics
