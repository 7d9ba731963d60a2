#include "runner/compare/floor.h"

#include "labs/registry.h"
#include "runner/compare/verdict.h"
#include "runner/report/compare/compare_words.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

const std::vector<Lab>& registered() {
  static const auto all = all_labs();
  return all;
}

ComparedResult saxpy(double ms, const std::string& n, const std::string& mode = "cold") {
  ComparedResult one{.lab = "saxpy", .name = "naive"};
  one.status = "ok";
  one.params = {{"n", n}, {"type", "float"}};
  one.measured =
      MeasuredTime{.gpu = "NVIDIA H200", .mode = mode, .median_ms = ms, .q1_ms = ms, .q3_ms = ms, .samples = 31};
  return one;
}

ComparedPair judged(const ComparedResult& a, const ComparedResult& b) {
  Comparison comparison{.pairs = {{a, b}}};
  judge_pairs(comparison, PairKind::rungs);
  judge_by_floor(comparison, registered());
  return comparison.pairs.front();
}

}  // namespace

TEST_CASE("a cold time below the floor is refused where the arrays are beyond the cache") {
  // 3 arrays of 2^26 floats, 805 MB: 171 µs at 1.05 x 4497 GB/s.
  const auto pair = judged(saxpy(0.2, "67108864"), saxpy(0.0001, "67108864"));
  CHECK(pair.verdict == CompareVerdict::undecided);
  CHECK(pair.basis == CompareBasis::none);
  CHECK(pair.impossible);
  CHECK(pair.regression);
  CHECK_FALSE(pair.ratio);
  CHECK(verdict_text(pair) == "impossible");
  CHECK(pair.why ==
        "impossible: B took 0.1 µs with a cold L2, and 805.3 MB read and written at 1.05 x 4497 GB/s, what NVIDIA H200 "
        "reaches, take 171 µs at least: it has not done the work, or its clock is wrong");
  const auto before = judged(saxpy(0.0001, "67108864"), saxpy(0.2, "67108864"));
  CHECK(before.impossible);
  CHECK_FALSE(before.regression);
}

TEST_CASE("honest times are not refused, and both are told beside the floor") {
  const auto pair = judged(saxpy(0.2, "67108864"), saxpy(0.18, "67108864"));
  CHECK(pair.verdict == CompareVerdict::faster);
  REQUIRE(pair.floor);
  CHECK(pair.floor->beyond_cache);
  CHECK(
      beside_floor(pair) ==
      "805.3 MB read and written at 1.05 x 4497 GB/s, what NVIDIA H200 reaches, take 171 µs at least: A takes 1.173 x "
      "that, B 1.055 x");
}

TEST_CASE("what fits the cache, or was timed warm, may be below the floor: a warning with the arithmetic") {
  const auto small = judged(saxpy(0.02, "4194304"), saxpy(0.005, "4194304"));
  CHECK_FALSE(small.impossible);
  CHECK(small.verdict == CompareVerdict::faster);
  REQUIRE(small.warnings.size() == 1);
  CHECK(small.warnings[0] ==
        "B took 5 µs, and 50.33 MB read and written at 1.05 x 4497 GB/s, what NVIDIA H200 reaches, take 10.7 µs at "
        "least: "
        "what lies in L2 already comes faster");
  CHECK_FALSE(judged(saxpy(0.2, "67108864", "warm"), saxpy(0.1, "67108864", "warm")).impossible);
}

TEST_CASE("a modelled time below the floor is the model's mistake, and said") {
  auto one = saxpy(1, "67108864");
  one.measured.reset();
  one.modelled =
      ModelTime{.gpu = "h200", .ms = 0.1, .low_ms = 0.1, .high_ms = 0.1, .bound = "dram_bandwidth", .validated = true};
  const auto pair = judged(one, one);
  CHECK_FALSE(pair.impossible);
  REQUIRE(pair.warnings.size() == 2);
  CHECK(pair.warnings[1].ends_with("take 171 µs at least: the model is wrong there"));
}

TEST_CASE("floors know GPUs that were measured, and what does not cross a link") {
  CHECK_FALSE(time_floor({.bytes = 1e9}, "NVIDIA A100", false));
  CHECK_FALSE(time_floor({.bytes = 1e9, .over_link = true}, "h200", false));
  CHECK_FALSE(time_floor({}, "h200", false));
  const auto computing = time_floor({.bytes = 1e6, .flops = 1e12}, "h200", false);
  REQUIRE(computing);
  CHECK(computing->by == "arithmetic");
  CHECK(computing->ms == Catch::Detail::Approx(1e12 / (1.05 * 64.6e12) * 1000));
  CHECK(time_floor({.bytes = 1e6, .flops = 1e12}, "h200", true)->by == "memory");  // tensor cores do more
}

TEST_CASE("what a lab declares is asked with the result's parameters, and not with what is none of them") {
  const auto bytes = [](const std::string& lab, std::vector<std::pair<std::string, std::string>> params) {
    ComparedResult one{.lab = lab, .name = "x"};
    one.params = std::move(params);
    const auto work = declared_work(registered(), one);
    return work ? work->bytes : -1;
  };
  CHECK(bytes("saxpy", {{"n", "1000"}, {"type", "double"}}) == 24000);
  CHECK(bytes("reduce/total", {{"n", "1000"}}) == 4004);
  CHECK(bytes("saxpy", {{"n", "-5"}}) == -1);
  CHECK(bytes("saxpy", {{"n", "99999999999999"}}) == -1);
  CHECK(bytes("saxpy", {{"n", "1000"}, {"type", "quaternion"}}) == -1);
  CHECK(bytes("segsum", {{"bags", "2147483647"}}) == -1);  // each would be walked over
  CHECK(bytes("mine.cu", {{"n", "1000"}}) == -1);
}
