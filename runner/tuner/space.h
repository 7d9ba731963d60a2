#pragma once
// What a tuner tries: variants, blocks, grids, and the lab's knobs.

#include <optional>
#include <vector>

#include "runner/options/sweep.h"

namespace gpulab {

struct TunedCase {
  SweepCase swept;
  std::optional<Dim3> grid{};  ///< absent: automatic
};

/// More is not tried: a tuner that takes an hour is none.
constexpr std::size_t kMostTuned = 512;

/// Every case of the variants named, of one problem: each block that is named, else those of one to 1024 threads that
/// the variant allows; of a variant for which any grid is right the automatic one and one to 32 blocks an SM, but where
/// a grid is named, that alone; each value of the knobs that are given as lists. Those that cannot run here are left
/// out. Throws usage_error: several sizes, types or operations, for they are other problems; more than kMostTuned
/// cases.
[[nodiscard]] std::vector<TunedCase> tuned_space(SweepOptions options, const Host& host);

}  // namespace gpulab
