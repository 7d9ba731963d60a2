#pragma once
// How sure the ratio of two measured medians is.
//
// The logarithm of a median of n samples has a standard error that the samples themselves tell, whatever their
// distribution: two of them, some sqrt(n) ranks around the middle, lie as far apart as the median is unsure (Price and
// Bonett, 2002). Where the samples were not kept, the quartiles tell it as for a normal distribution. Many ratios
// compared at once are corrected by Holm's method: of all comparisons of equal times, in one of twenty any is called
// different.
//
// Of samples that were taken in turn (A B B A) each pair has a ratio of its own, which a clock that drifts does not
// touch. Their median is that of all averages of two of them, and how far such averages reach says how unsure it is
// (Hodges and Lehmann, 1963: the interval that belongs to Wilcoxon's signed ranks).
//
// Samples of two runs are compared at one clock where both have enough of it; where they have none in common, the
// clocks may be all that differs, and the interval is as much wider.

#include <optional>
#include <string>
#include <vector>

#include "runner/report/comparison.h"

namespace gpulab {

/// Fewer samples say nothing of how they spread.
constexpr std::uint64_t kFewestSamples = 5;
/// Two runs of one program differ by this for clocks and temperature alone, however many samples each has; and where
/// the two were taken in turn, for where their memory lies.
constexpr double kDrift = 0.01, kDriftInTurn = 0.005;
/// Clocks that are nearer to each other are one.
constexpr double kOneClock = 0.01;

struct RatioEstimate {
  double log_ratio = 0, error = 0;  ///< of ln(B / A); its standard error
  bool from_samples = false;        ///< else from quartiles
  double drift = kDrift;            ///< what no number of samples takes away
  double clock_ratio = 1;           ///< of B's clock to A's, where they have none in common
};

/// Nothing where one has fewer than kFewestSamples.
[[nodiscard]] std::optional<RatioEstimate> ratio_estimate(const MeasuredTime& a, const MeasuredTime& b);

struct JudgedRatio {
  double low = 0, high = 0;  ///< of the ratio, with room for the drift
  bool differs = false;
};
/// All at once: Holm's correction at 5 %.
[[nodiscard]] std::vector<JudgedRatio> judged_ratios(const std::vector<RatioEstimate>& all);

/// The share of a normal distribution that lies below x; and its inverse, for shares from 1e-15 to 1 - 1e-15.
[[nodiscard]] double normal_share(double x);
[[nodiscard]] double normal_quantile(double share);

}  // namespace gpulab
