#include "runner/compare/measured.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

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

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

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
    median.ms = middle_of(samples);
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

/// Beyond this, averages of all pairs take longer than a reader waits; the first ones tell as much.
constexpr std::size_t most_pairs = 1000;

/// Of samples taken in turn: the ratios of their pairs.
RatioEstimate in_turn(const MeasuredTime& a, const MeasuredTime& b) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(most_pairs, a.raw_ms.size()); ++i)
    ratios.push_back(std::log(b.raw_ms[i] / a.raw_ms[i]));
  std::vector<double> averages;
  for (std::size_t i = 0; i < ratios.size(); ++i)
    for (std::size_t j = i; j < ratios.size(); ++j) averages.push_back((ratios[i] + ratios[j]) / 2);
  std::sort(averages.begin(), averages.end());
  // Wilcoxon's statistic is nearly normal: of n pairs its mean is n(n+1)/4, its variance n(n+1)(2n+1)/24.
  const auto n = static_cast<double>(ratios.size());
  const double z = normal_quantile(0.975), reach = z * std::sqrt(n * (n + 1) * (2 * n + 1) / 24);
  const double middle = n * (n + 1) / 4;
  const auto rank = static_cast<std::size_t>(std::clamp(std::floor(middle - reach), 0.0, middle));
  const double width = averages[averages.size() - 1 - rank] - averages[rank];
  const double resolution = step_ms / middle_of(a.raw_ms) / std::sqrt(6 * n);
  return {middle_of(std::move(averages)), std::hypot(width / (2 * z), resolution), true, kDriftInTurn};
}

/// The samples beside which the clock was near `mhz`.
MeasuredTime at_clock(const MeasuredTime& time, double mhz) {
  auto some = time;
  some.raw_ms.clear();
  for (std::size_t i = 0; i < time.raw_ms.size(); ++i)
    if (std::abs(time.sm_mhz[i] / mhz - 1) <= kOneClock) some.raw_ms.push_back(time.raw_ms[i]);
  some.samples = some.raw_ms.size();
  return some;
}

/// Of two runs: those samples of both that the GPU took at one clock, as many as possible; and of clocks that they do
/// not have in common the ratio.
std::pair<std::array<MeasuredTime, 2>, double> at_one_clock(const MeasuredTime& a, const MeasuredTime& b) {
  std::pair<std::array<MeasuredTime, 2>, double> all{{a, b}, 1};
  if (a.sm_mhz.empty() || b.sm_mhz.empty()) return all;
  std::vector<double> sorted = a.sm_mhz;
  std::sort(sorted.begin(), sorted.end());
  std::size_t most = 0;
  std::array<MeasuredTime, 2> best;
  constexpr int clocks = 16;  // that are tried, between A's slowest and fastest
  for (int i = 0; i < clocks; ++i) {
    const double mhz = sorted[(sorted.size() - 1) * static_cast<std::size_t>(i) / (clocks - 1)];
    std::array both{at_clock(a, mhz), at_clock(b, mhz)};
    const auto count = std::min(both[0].raw_ms.size(), both[1].raw_ms.size());
    if (count > most) most = count, best = std::move(both);
  }
  if (2 * most >= std::min(a.raw_ms.size(), b.raw_ms.size()) && most >= kFewestSamples) return {std::move(best), 1};
  all.second = middle_of(b.sm_mhz) / middle_of(a.sm_mhz);
  return all;
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
  if (a.in_turn && b.in_turn && a.raw_ms.size() == b.raw_ms.size() && !a.raw_ms.empty()) return in_turn(a, b);
  const auto [both, clock_ratio] = at_one_clock(a, b);
  const auto first = median_of(both[0]), second = median_of(both[1]);
  RatioEstimate estimate{std::log(second.ms / first.ms), std::hypot(first.error, second.error),
                         first.from_samples && second.from_samples};
  estimate.clock_ratio = clock_ratio;
  estimate.drift = std::log1p(kDrift) + std::abs(std::log(clock_ratio));
  return estimate;
}

std::vector<JudgedRatio> judged_ratios(const std::vector<RatioEstimate>& all) {
  std::vector<double> chance;  // of a ratio so far from 1 where times are equal
  for (const auto& one : all) {
    const double beyond = std::max(0.0, std::abs(one.log_ratio) - one.drift);
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
    const double half = normal_quantile(1 - std::max(allowed / 2, 1e-15)) * all[i].error + all[i].drift;
    judged[i] = {std::exp(all[i].log_ratio - half), std::exp(all[i].log_ratio + half), still};
  }
  return judged;
}

}  // namespace gpulab
