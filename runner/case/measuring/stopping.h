#pragma once
// How many samples are enough.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "common/enum_text.h"
#include "runner/case/result.h"

namespace gpulab {

/// Where nobody asks for a number of samples: until the middle half of them is narrow, or until further ones bring
/// nothing new, which they do of a time that spreads as it spreads (a kernel whose time depends on chance).
enum class StopBy : std::uint8_t { noise, entropy };
constexpr std::array<std::string_view, 2> words_of(StopBy) { return {"noise", "entropy"}; }

struct MeasureOptions {
  int warmup = 3;           ///< untimed runs before the first sample
  int reps = 0;             ///< samples exactly; 0: as many as min_time and what follows ask for
  double min_time_s = 0.1;  ///< summed time of the samples at least
  double max_noise = 0.05;  ///< (q3 - q1) / median that is quiet enough to stop
  StopBy stop = StopBy::noise;
  bool warm = false;  ///< L2 as the sample before left it, instead of flushed
};

/// Why sampling ends with these, in the order in which they were taken; nothing: it goes on.
[[nodiscard]] std::optional<StoppedBy> enough(std::span<const double> milliseconds, const MeasureOptions& options);

/// Shannon's entropy of times, in bits: of their histogram with bins as wide as half a percent of the median, or as a
/// step of the clock where that is wider.
[[nodiscard]] double entropy_of(std::span<const double> milliseconds);

}  // namespace gpulab
