#pragma once
// How sure the ratio of two measured medians is.
//
// The logarithm of a median of n samples has a standard error that the samples themselves tell, whatever their
// distribution: two of them, some sqrt(n) ranks around the middle, lie as far apart as the median is unsure (Price and
// Bonett, 2002). Where the samples were not kept, the quartiles tell it as for a normal distribution. Many ratios
// compared at once are corrected by Holm's method: of all comparisons of equal times, in one of twenty any is called
// different.

#include <optional>
#include <string>
#include <vector>

#include "runner/report/comparison.h"

namespace gpulab {

/// Fewer samples say nothing of how they spread.
constexpr std::uint64_t kFewestSamples = 5;
/// Two runs of one program differ by this for clocks and temperature alone, however many samples each has.
constexpr double kDrift = 0.01;

struct RatioEstimate {
  double log_ratio = 0, error = 0;  ///< of ln(B / A); its standard error
  bool from_samples = false;        ///< else from quartiles
};

/// Nothing where one has fewer than kFewestSamples.
[[nodiscard]] std::optional<RatioEstimate> ratio_estimate(const MeasuredTime& a, const MeasuredTime& b);

struct JudgedRatio {
  double low = 0, high = 0;  ///< of the ratio, with room for kDrift
  bool differs = false;
};
/// All at once: Holm's correction at 5 %.
[[nodiscard]] std::vector<JudgedRatio> judged_ratios(const std::vector<RatioEstimate>& all);

/// The share of a normal distribution that lies below x; and its inverse, for shares from 1e-15 to 1 - 1e-15.
[[nodiscard]] double normal_share(double x);
[[nodiscard]] double normal_quantile(double share);

}  // namespace gpulab
