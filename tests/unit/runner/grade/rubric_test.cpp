#include "runner/grade/rubric.h"

#include "labs/registry.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

/// 10 points for times up to 1.5 times the rung's, none from 2.5 on, of a kernel that is right.
GradedItem speed_item(std::vector<TimedRatio> timed, bool is_right = true) {
  static const auto labs = all_labs();
  const auto assignment = parse_assignment(R"({"schema": "gpulab.assignment.v1", "title": "fast", "lab": "reduce",
      "contract": "total", "items": [
        {"name": "right", "kind": "correct", "points": 1, "visible": ["usual"]},
        {"name": "fast", "kind": "speed", "points": 10, "rung": "warp", "full_at": 1.5, "zero_at": 2.5,
         "certificate": false}]})",
                                           "assignment.json", labs);
  Facts facts;
  facts.kernels = {"total"};
  facts.classes.push_back({.name = "usual", .right = is_right});
  facts.hidden.push_back({.name = "usual", .right = is_right});  // the same on inputs of the key
  facts.timed = std::move(timed);
  Questions questions;  // nothing is compared with anything
  questions.trials.hidden.emplace();
  Standard standard(assignment, questions);
  auto item = grade_items(assignment, facts, standard).at(1);
  item.item = nullptr;  // which ends with the assignment
  return item;
}

}  // namespace

TEST_CASE("a speed item gives points between two ratios, is pending without one, and asks for a kernel that is right") {
  CHECK(speed_item({{.ratio = 1.2}}).earned == 10);
  CHECK(speed_item({{.ratio = 1.2}}).status == Graded::passed);
  CHECK(speed_item({{.ratio = 2.0}}).earned == 5);
  CHECK(speed_item({{.ratio = 2.0}}).status == Graded::partial);
  CHECK(speed_item({{.ratio = 3.0}}).earned == 0);
  CHECK(speed_item({{.ratio = 2.0}}).reason == "takes 2 times as long as warp: all points up to 1.5, none from 2.5 on");

  CHECK(speed_item({}).status == Graded::pending);
  CHECK(speed_item({}).reason == "needs a GPU");
  CHECK_FALSE(speed_item({}).earned);
  CHECK(speed_item({{.problem = "warp could not be timed: lost"}}).status == Graded::pending);

  CHECK(speed_item({{.wrong = "out[0] is 3, not 4"}}).status == Graded::failed);
  CHECK(speed_item({{.wrong = "out[0] is 3, not 4"}}).reason == "on the GPU: out[0] is 3, not 4");
  CHECK(speed_item({{.ratio = 1.0}}, false).earned == 0);
}
