#pragma once
// How sure one may be of two modelled times: what the errors of such pairs were, as measured (configs/odds.json).

#include <string>

namespace gpulab {

/// Which pairs the two resemble. foreign: kernels that nobody of us wrote; rungs: of one of our labs, of which the
/// model's errors are nearly the same.
enum class PairKind { foreign, rungs };

/// Errors of ln(B / A), measured less modelled: Student's distribution of two degrees of freedom around 0.
struct RatioErrors {
  /// Its width where both are modelled as equally fast, and where not. Kernels that are modelled alike mostly are
  /// alike.
  double near = 0, far = 0;
  double few = 0;             ///< how many times as wide a kernel counts that has fewer blocks than the GPU has SMs
  double sure = 0;            ///< a direction that is less likely is not called
  int pairs = 0, groups = 0;  ///< that were measured; of how many programs, or labs and sizes
  std::string gpu{};          ///< where
};
[[nodiscard]] const RatioErrors& ratio_errors(PairKind kind);

/// Of the GPUs that pairs were measured on, an H100 and an H200.
constexpr int kMeasuredSms = 132;
/// What is less likely the same is not called so.
constexpr double kSureSame = 0.5;

struct Odds {
  double faster = 0, same = 0, slower = 0;  ///< of B, as measured; they add up to 1
  double low = 0, high = 0;                 ///< nine of ten measured ratios lie there
};
/// `few`: how many of the two have fewer blocks than the GPU has SMs. `threshold`: what is nearer than 1 + threshold is
/// the same.
[[nodiscard]] Odds odds_of(const RatioErrors& errors, double modelled_ratio, int few, double threshold);

}  // namespace gpulab
