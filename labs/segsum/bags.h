#pragma once
// The bags of a case, and how evenly a rung spreads their rows over warps.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "labs/lab.h"
#include "labs/segsum/features.h"

namespace gpulab::labs::segsum {

/// Rows and ends of bags that a warp of the rung `balanced` takes (kernels.cu).
constexpr std::size_t items_per_warp = 32;

/// Rows of each bag. Of 1110 bags 1000 have 1 to 10 rows, 100 have 11 to 100, 10 have 101 to 1000.
[[nodiscard]] std::vector<int> lengths(const Case& c);
/// The first row of each bag, and behind the last bag the number of rows.
[[nodiscard]] std::vector<int> first_rows(const std::vector<int>& lengths);

/// out[b] = sum of the rows of bag b, or `fallback`: a loop.
void sum_bags(std::span<const float> x, std::span<const int> first_row, std::span<const float> fallback,
              std::span<float> out);

/// Rows that each warp walks through, one after the other.
struct Rows {
  std::vector<int> of_warp;
  double lanes_busy = 1;  ///< of the lanes of a warp, as long as the warp works
};
[[nodiscard]] Rows thread_per_bag(const std::vector<int>& lengths, std::uint32_t block);
[[nodiscard]] Rows warp_per_bag(const std::vector<int>& lengths);
[[nodiscard]] Rows balanced(const std::vector<int>& lengths);

/// Metrics busiest_warp_rows, load_imbalance (busiest ÷ mean), lanes_busy; lines: how many warps walk how many rows.
[[nodiscard]] Commentary spread(const Rows& rows);

}  // namespace gpulab::labs::segsum
