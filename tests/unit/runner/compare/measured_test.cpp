#include "runner/compare/measured.h"

#include <array>
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

namespace {

/// Times as a GPU gives them: a clock of two states that it keeps for some dozen samples, drift, noise of half a
/// percent, and an outlier now and then. `ratio` is what B's kernel takes of A's time.
class NoisyGpu {
 public:
  explicit NoisyGpu(std::uint32_t seed) : random_(seed) {}

  double sample(double ms) {
    if (uniform() < 0.03) is_slow_ = !is_slow_;
    drift_ += 0.0002 * normal();
    mhz = is_slow_ ? 1830 : 1980;
    double time = ms * (1980 / mhz) * std::exp(drift_ + 0.005 * normal());
    if (uniform() < 0.03) time *= 1.2 + 2 * uniform();
    return std::max(1.0, std::round(time / 0.000032)) * 0.000032;  // the events' steps
  }
  double mhz = 0;

 private:
  double uniform() { return (double(random_()) + 1) / 4294967297.0; }
  double normal() { return normal_quantile(std::clamp(uniform(), 1e-12, 1 - 1e-12)); }
  std::mt19937 random_;
  bool is_slow_ = false;
  double drift_ = 0;
};

void add(NoisyGpu& gpu, double ms, MeasuredTime& time) {
  time.raw_ms.push_back(gpu.sample(ms));
  time.sm_mhz.push_back(gpu.mhz);
  time.samples = time.raw_ms.size();
}

std::array<MeasuredTime, 2> taken_in_turn(double ratio, int count, std::uint32_t seed) {
  NoisyGpu gpu(seed);
  MeasuredTime a{.gpu = "g", .mode = "cold", .in_turn = true};
  std::array both{a, a};
  for (int i = 0; i < count; ++i)
    for (const int side : {i % 2, 1 - i % 2}) add(gpu, side == 0 ? 0.02 : 0.02 * ratio, both[std::size_t(side)]);
  return both;
}

/// Two runs, each with the GPU as it stood then.
std::array<MeasuredTime, 2> taken_apart(double ratio, int count, std::uint32_t seed) {
  std::array<MeasuredTime, 2> both;
  for (const std::uint32_t side : {0U, 1U}) {
    NoisyGpu gpu(2 * seed + side);
    for (int i = 0; i < count; ++i) add(gpu, side == 0 ? 0.02 : 0.02 * ratio, both[side]);
  }
  return both;
}

}  // namespace

TEST_CASE("of 200 equal pairs that were taken in turn on a noisy GPU at most 4 are called, and 3% more time is found") {
  for (const int count : {31, 32, 101}) {
    int different = 0, found = 0, wrong = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto equal = taken_in_turn(1, count, i), slower = taken_in_turn(1.03, count, i);
      different += alone(equal[0], equal[1]).differs ? 1 : 0;
      const auto judged = alone(slower[0], slower[1]);
      found += judged.differs ? 1 : 0;
      wrong += judged.differs && judged.high < 1 ? 1 : 0;
    }
    CHECK(different <= 4);
    CHECK(found >= 190);
    CHECK(wrong == 0);
  }
}

TEST_CASE("of 200 equal pairs of two runs at most 4 are called, whatever the clock stood at") {
  int different = 0, far_found = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const auto equal = taken_apart(1, 31, i), slower = taken_apart(1.3, 31, i);
    different += alone(equal[0], equal[1]).differs ? 1 : 0;
    far_found += alone(slower[0], slower[1]).differs ? 1 : 0;
  }
  CHECK(different <= 4);
  CHECK(far_found >= 195);
}

TEST_CASE("two runs are compared at the clock that they have in common, else the interval has room for their clocks") {
  MeasuredTime a{.gpu = "g", .mode = "cold"}, b = a;
  for (int i = 0; i < 40; ++i) {
    a.raw_ms.push_back(i < 20 ? 1.0 : 1.08);
    a.sm_mhz.push_back(i < 20 ? 1980 : 1830);
    b.raw_ms.push_back(1.08);
    b.sm_mhz.push_back(1830);
  }
  a.samples = b.samples = 40;
  CHECK(ratio_estimate(a, b)->log_ratio == Catch::Detail::Approx(0).margin(1e-9));
  CHECK(ratio_estimate(a, b)->clock_ratio == 1);
  a.sm_mhz.assign(40, 1980);
  a.raw_ms.assign(40, 1.0);
  CHECK(ratio_estimate(a, b)->clock_ratio == Catch::Detail::Approx(1830.0 / 1980));
  CHECK_FALSE(alone(a, b).differs);  // 8 % more time at 8 % less clock
  b.raw_ms.assign(40, 1.3);
  CHECK(alone(a, b).differs);
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
