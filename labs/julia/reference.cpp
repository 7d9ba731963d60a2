#include "labs/julia/reference.h"

#include <algorithm>
#include <cmath>

namespace gpulab::labs::julia {

// A GPU's fma and std::fma round once; multiplication, addition and division round to nearest on both. The order of
// operations is the kernels': not one pixel may differ.
void iterate(const Params& params, std::span<std::int32_t> counts) {
  const auto width = static_cast<std::int32_t>(params.integer("width"));
  const auto height = static_cast<std::int32_t>(params.integer("height"));
  const auto iterations = static_cast<std::int32_t>(params.integer("iterations"));
  const auto c_re = static_cast<float>(params.real("re")), c_im = static_cast<float>(params.real("im"));
  const float pixel = 4.0F / static_cast<float>(std::min(width, height));  // infinite where there is none
  const auto from_centre = [&](std::int32_t at, std::int32_t extent) {
    return (static_cast<float>(at) + 0.5F - 0.5F * static_cast<float>(extent)) * pixel;
  };
  auto count = counts.begin();
  for (std::int32_t row = 0; row < height; ++row) {
    for (std::int32_t col = 0; col < width; ++col, ++count) {
      float re = from_centre(col, width), im = from_centre(row, height);
      *count = 0;
      while (*count < iterations && std::fma(re, re, im * im) <= 4.0F) {
        const float next_re = std::fma(re, re, std::fma(-im, im, c_re));
        im = std::fma(2.0F * re, im, c_im);
        re = next_re;
        ++*count;
      }
    }
  }
}

double lanes_at_work(std::span<const std::int32_t> counts, std::uint32_t width, std::uint32_t height,
                     const Dim3& block) {
  constexpr std::uint64_t warp_size = 32;
  const std::uint64_t threads = block.x * block.y;
  double useful = 0, issued = 0;
  for (std::uint32_t top = 0; top < height; top += block.y) {
    for (std::uint32_t left = 0; left < width; left += block.x) {
      for (std::uint64_t first = 0; first < threads; first += warp_size) {
        std::int32_t slowest = 0;
        for (std::uint64_t t = first; t < std::min(first + warp_size, threads); ++t) {
          const std::uint64_t col = left + t % block.x, row = top + t / block.x;
          if (col >= width || row >= height) continue;
          const auto count = counts[row * width + col];
          slowest = std::max(slowest, count);
          useful += count;
        }
        issued += static_cast<double>(warp_size) * slowest;
      }
    }
  }
  return issued > 0 ? useful / issued : 0;
}

}  // namespace gpulab::labs::julia
