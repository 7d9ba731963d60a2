#include "runner/compare/measured.h"

#include <cmath>
#include <random>

#include "tests/catch.h"

using namespace gpulab;

namespace {

/// `count` times around `ms`, of a skewed distribution as timers have it.
MeasuredTime timed(double ms, double spread, int count, std::uint32_t seed, bool keeps_samples = true) {
  std::mt19937 random(seed);
  std::vector<double> samples;
  for (int i = 0; i < count; ++i) {
    const double uniform = (double(random()) + 1) / 4294967297.0;
    samples.push_back(ms * (1 + spread * (-std::log(uniform) - std::log(2.0))));
  }
  std::sort(samples.begin(), samples.end());
  MeasuredTime time{.gpu = "g", .mode = "cold", .median_ms = samples[samples.size() / 2]};
  time.q1_ms = samples[samples.size() / 4];
  time.q3_ms = samples[3 * samples.size() / 4];
  time.samples = static_cast<std::uint64_t>(count);
  if (keeps_samples) time.raw_ms = samples;
  return time;
}

JudgedRatio alone(const MeasuredTime& a, const MeasuredTime& b) { return judged_ratios({*ratio_estimate(a, b)}).at(0); }

}  // namespace

TEST_CASE("the inverse of a normal distribution's share") {
  CHECK(normal_quantile(0.975) == Catch::Detail::Approx(1.959964));
  CHECK(normal_quantile(0.5) == Catch::Detail::Approx(0).margin(1e-9));
  CHECK(normal_share(normal_quantile(1e-9)) == Catch::Detail::Approx(1e-9));
}

TEST_CASE("of equal times nearly none are called different, and a slowdown of 3% is nearly always found") {
  for (const bool keeps_samples : {true, false}) {
    int different = 0, found = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto a = timed(0.02, 0.01, 31, 2 * i, keeps_samples);
      different += alone(a, timed(0.02, 0.01, 31, 2 * i + 1, keeps_samples)).differs ? 1 : 0;
      found += alone(a, timed(0.0206, 0.01, 31, 2 * i + 1, keeps_samples)).differs ? 1 : 0;
    }
    CHECK(different <= 2);
    CHECK(found >= 195);
  }
}

TEST_CASE("an interval holds the true ratio nineteen times of twenty and more") {
  int inside = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const auto judged = alone(timed(0.1, 0.05, 31, 3 * i), timed(0.13, 0.05, 31, 3 * i + 1));
    inside += judged.low <= 1.3 && judged.high >= 1.3 ? 1 : 0;
  }
  CHECK(inside >= 285);
}

TEST_CASE("many comparisons at once are corrected: what one alone would show among many does not") {
  const RatioEstimate weak{std::log1p(kDrift) + 0.021, 0.01, true};  // 2.1 standard errors beyond the drift
  CHECK(judged_ratios({weak}).at(0).differs);
  std::vector<RatioEstimate> many(20, RatioEstimate{0, 0.01, true});
  many.push_back(weak);
  CHECK_FALSE(judged_ratios(many).back().differs);
  CHECK(judged_ratios(many).back().low < 1);
  many.back().log_ratio = 0.1;
  CHECK(judged_ratios(many).back().differs);
}

TEST_CASE("clocks that drift are no difference, however many samples there are") {
  auto a = timed(0.02, 0.0001, 1000, 1), b = timed(0.02016, 0.0001, 1000, 2);
  CHECK_FALSE(alone(a, b).differs);  // 0.8 % with an error of nothing
}

TEST_CASE("fewer than five samples say nothing") {
  auto few = timed(0.02, 0.01, 4, 1);
  CHECK_FALSE(ratio_estimate(few, timed(0.02, 0.01, 31, 2)));
  few.samples = 0;
  few.raw_ms.clear();
  CHECK_FALSE(ratio_estimate(timed(0.02, 0.01, 31, 2), few));
}

TEST_CASE("samples that are all alike are as unsure as the clock's step") {
  MeasuredTime alike{.gpu = "g", .mode = "cold", .median_ms = 0.005, .q1_ms = 0.005, .q3_ms = 0.005, .samples = 31};
  alike.raw_ms.assign(31, 0.005);
  const auto estimate = ratio_estimate(alike, alike);
  REQUIRE(estimate);
  CHECK(estimate->error > 0.001);
  CHECK(std::isfinite(alone(alike, alike).low));
}
