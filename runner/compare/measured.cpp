#include "runner/compare/measured.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gpulab {
namespace {

constexpr double level = 0.05;
/// A GPU's events count in steps of half a microsecond at worst: medians cannot be surer than a part of a step.
constexpr double step_ms = 0.0005;
constexpr double quartiles_of_normal = 1.349;  ///< between them, in standard deviations

struct Median {
  double ms = 0, error = 0;  ///< the median; the standard error of its logarithm
  bool from_samples = false;
};

/// How likely fewer than `rank` of n samples lie below the median.
double fewer_below(std::size_t rank, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < rank; ++i)
    sum += std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(i) + 1) - std::lgamma(double(n - i) + 1) -
                    double(n) * std::log(2.0));
  return sum;
}

Median median_of(const MeasuredTime& time) {
  Median median{.ms = time.median_ms};
  auto samples = time.raw_ms;
  if (samples.size() >= kFewestSamples) {
    std::sort(samples.begin(), samples.end());
    const auto n = samples.size();
    median.ms = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
    const double around = (double(n) + 1) / 2 - std::sqrt(double(n));
    const auto rank = static_cast<std::size_t>(std::max(1.0, std::round(around)));
    const double z = normal_quantile(1 - std::max(1e-15, fewer_below(rank, n)));
    median.error = std::log(samples[n - rank] / samples[rank - 1]) / (2 * z);
    median.from_samples = true;
  } else {
    const double deviation = std::log(std::max(time.q3_ms, time.q1_ms) / time.q1_ms) / quartiles_of_normal;
    constexpr double pi = 3.14159265358979;
    median.error = std::sqrt(pi / 2) * deviation / std::sqrt(double(time.samples));
  }
  const auto n = std::max<double>(double(time.samples), double(samples.size()));
  const double resolution = step_ms / median.ms / std::sqrt(12 * n);
  median.error = std::hypot(median.error, resolution);
  return median;
}

}  // namespace

double normal_share(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

double normal_quantile(double share) {
  double low = -9, high = 9;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (normal_share(middle) < share ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::optional<RatioEstimate> ratio_estimate(const MeasuredTime& a, const MeasuredTime& b) {
  for (const auto* time : {&a, &b})
    if (std::max<std::uint64_t>(time->samples, time->raw_ms.size()) < kFewestSamples) return std::nullopt;
  const auto first = median_of(a), second = median_of(b);
  return RatioEstimate{std::log(second.ms / first.ms), std::hypot(first.error, second.error),
                       first.from_samples && second.from_samples};
}

std::vector<JudgedRatio> judged_ratios(const std::vector<RatioEstimate>& all) {
  const double drift = std::log1p(kDrift);
  std::vector<double> chance;  // of a ratio so far from 1 where times are equal
  for (const auto& one : all) {
    const double beyond = std::max(0.0, std::abs(one.log_ratio) - drift);
    chance.push_back(2 * normal_share(-beyond / std::max(one.error, 1e-12)));
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return chance[a] < chance[b]; });
  std::vector<JudgedRatio> judged(all.size());
  bool still = true;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto i = order[rank];
    const double allowed = level / double(order.size() - rank);
    still = still && chance[i] <= allowed;
    const double half = normal_quantile(1 - std::max(allowed / 2, 1e-15)) * all[i].error + drift;
    judged[i] = {std::exp(all[i].log_ratio - half), std::exp(all[i].log_ratio + half), still};
  }
  return judged;
}

}  // namespace gpulab
