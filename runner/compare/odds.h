#pragma once
// How sure one may be of two modelled times: what the errors of such pairs were, as measured (configs/odds.json).

#include <string>

namespace gpulab {

/// Which pairs the two resemble. foreign: kernels that nobody of us wrote; rungs: of one of our labs, of which the
/// model's errors are nearly the same.
enum class PairKind { foreign, rungs };

/// Errors of ln(B / A), measured less modelled: three normal distributions around 0.
struct RatioErrors {
  /// Width of most: core where both are modelled as equally fast, core + growth where not. Kernels that are modelled
  /// alike mostly are alike.
  double core = 0, growth = 0;
  double near_share = 0, wide_share = 0, wide = 0;  ///< of the unsure ones: where modelled as equally fast, where not
  double blunder_share = 0, blunder = 0;
  int pairs = 0, groups = 0;  ///< that were measured; of how many programs, or labs and sizes
  std::string gpu{};          ///< where
};
[[nodiscard]] const RatioErrors& ratio_errors(PairKind kind);

/// A direction that is less likely is not called: of foreign pairs that are called 94 % are right, and a third stays
/// undecided (tests/timing/README.md).
constexpr double kSureDirection = 0.86;
/// The same of "same".
constexpr double kSureSame = 0.5;

struct Odds {
  double faster = 0, same = 0, slower = 0;  ///< of B, as measured; they add up to 1
  double low = 0, high = 0;                 ///< nine of ten measured ratios lie there
};
/// `threshold`: what is nearer than 1 + threshold is the same.
[[nodiscard]] Odds odds_of(const RatioErrors& errors, double modelled_ratio, double threshold);

}  // namespace gpulab
