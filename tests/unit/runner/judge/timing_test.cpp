#include "runner/judge/timing.h"

#include "runner/case/device_buffers.h"
#include "runner/case/measuring/measure.h"
#include "runner/case/timed_trial.h"
#include "runner/judge/trials.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

Timing of(double ms) { return summarize(std::vector<double>(5, ms), TimeSource::cuda_events); }

}  // namespace

TEST_CASE("a kernel that is fast on data that it has seen alone is named, and one whose first launch is slow is not") {
  CHECK(kept_results_text(of(0.002), 0.12) ==
        "it keeps results from launch to launch: 0.002 ms on data that it has seen before, 0.12 ms on new data");
  CHECK(kept_results_text(of(0.1), 0.29).empty());
  CHECK(kept_results_text(of(0.002), 0.025).empty());  // a launch takes microseconds, whatever it does
  CHECK(kept_results_text(of(1), 3.1).find("keeps results") != std::string::npos);
  CHECK(kept_results_text(std::nullopt, 3.1).empty());
  CHECK(kept_results_text(of(1), std::nullopt).empty());
}

TEST_CASE("a kernel that takes long is sampled less often, so that grading it ends") {
  CHECK(samples_of_round(std::nullopt) == 151);
  CHECK(samples_of_round(0.004) == 151);
  CHECK(samples_of_round(1.98) == 151);
  CHECK(samples_of_round(3) == 100);
  CHECK(samples_of_round(70) == 15);
  CHECK(samples_of_round(1e9) == 15);
}

TEST_CASE("a kernel that is right in its first launch and leaves its work undone in those that are timed is wrong") {
  const auto lab = doubling_lab();
  PosedTrial posed;
  posed.first = lab.problem(default_case(lab));
  const auto& in = posed.first.buffers[0].initial;
  const auto& out = posed.first.expected[0].exact;
  Result result;
  result.contents = {{"in", in}, {"out", out}, {"timed in", in}, {"timed out", out}};
  add_first_launch(0.1, result);
  CHECK(judged({}, {}, posed, result).status == CaseStatus::ok);
  result.contents[3].second.assign(out.size(), poison_of(Scalar::i32));
  const auto shape = judged({}, {}, posed, result);
  CHECK(shape.status == CaseStatus::wrong);
  CHECK(shape.message ==
        "right in the launch that is looked at first, but not in the last that is timed: out[0] was never written "
        "(1000 of 1000 elements are not as they must be)");
  CHECK(shape.hint == "does the kernel count its launches, or keep something from one to the next?");
}
