#pragma once
// One result's facts in words, for whoever shows them to people.

#include <optional>
#include <string>

#include "runner/case/result.h"

namespace gpulab {

/// "grid 16384 × block 256 = 4,194,304 threads; 8 warps per block"
[[nodiscard]] std::string launch_text(const LaunchFacts& facts);
/// "18 registers per thread, 128 B static shared memory"
[[nodiscard]] std::string resources_text(const LaunchFacts& facts);
/// "100% theoretical: 8 blocks per SM, limited by warps"
[[nodiscard]] std::string occupancy_text(const Occupancy& occupancy);
/// "all 132 get blocks; 15.5 waves of 1,056 blocks, the last 48% empty"
[[nodiscard]] std::string spread_text(const Spread& spread, const std::optional<Occupancy>& occupancy);
[[nodiscard]] std::string value_text(const decltype(Mismatch::got)& value);
/// "x i32[4]: 1 2 3 4  fnv1a64 0123456789abcdef"
[[nodiscard]] std::string buffer_text(const BufferFacts& buffer);
/// "x[100:120]: 1 2 3 …"
[[nodiscard]] std::string slice_text(const BufferFacts& buffer, const BufferSlice& slice);
/// `of_file`: the right answer is the user's own, of --expect.
[[nodiscard]] std::string verification_text(const Verification& verification, bool of_file);
[[nodiscard]] std::string timing_text(const Timing& timing);
/// Of measured times: which samples were taken again, beside which the clock was held back, and once that nobody knows;
/// empty: nothing of that.
[[nodiscard]] std::string about_clock(const Run& run);
/// "bandwidth 3.02 k GB/s, resident warps 40": all but the modelled time, which is said apart.
[[nodiscard]] std::string metrics_text(const Result& result);
/// Of which case counters are that were simulated beside a GPU.
[[nodiscard]] std::string counted_case(const decltype(Result::params)& params);
/// The wall time of the simulations, in all; empty where there was none.
[[nodiscard]] std::string simulation_text(const Run& run);
/// Names the variants whose point is time: counters cannot show it.
[[nodiscard]] std::string about_time(const Run& run);

}  // namespace gpulab
