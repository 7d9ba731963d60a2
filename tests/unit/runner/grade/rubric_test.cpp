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

/// Facts of a kernel that is right on all classes but `wrong`, and has so many barriers at both sizes.
Facts facts_with(const std::vector<std::string>& classes, const std::string& wrong, double barriers,
                 double hidden_barriers) {
  Facts facts;
  facts.kernels = {"total"};
  for (const auto& name : classes) {
    facts.classes.push_back({.name = name, .right = name != wrong});
    facts.hidden.push_back({.name = name, .right = name != wrong});
  }
  for (const bool hidden : {false, true}) {
    auto& count = facts.counts.emplace_back(CountFact{.type = {}, .hidden = hidden});
    count.values = {{"barriers", hidden ? hidden_barriers : barriers}, {"waves", 1.0}};
  }
  return facts;
}

/// The item, of 12 points, as graded. Nothing is compared with a rung.
GradedItem graded(const std::string& item, const Facts& facts) {
  static const auto labs = all_labs();
  const auto assignment = parse_assignment(
      R"({"schema": "gpulab.assignment.v1", "title": "T", "lab": "reduce", "contract": "total", "items": [
        {"name": "a", "points": 12, )" +
          item + "}]}",
      "assignment.json", labs);
  Questions questions;
  questions.trials.hidden.emplace();
  Standard standard(assignment, questions);
  auto made = grade_items(assignment, facts, standard).at(0);
  made.item = nullptr;
  return made;
}

}  // namespace

TEST_CASE("classes of inputs earn equal parts, or by weight, or all together") {
  const auto one_wrong = facts_with({"usual", "one", "odd"}, "odd", 0, 0);
  const std::string classes = R"("kind": "correct", "visible": ["usual", "one", "odd"])";
  CHECK(graded(classes, one_wrong).earned == 8);
  CHECK(graded(classes, one_wrong).reason == "1 of 3 classes of inputs is wrong: odd");
  const auto weighed = graded(classes + R"(, "weights": {"odd": 4})", one_wrong);
  CHECK(weighed.earned == 4);
  CHECK(weighed.status == Graded::partial);
  CHECK(weighed.reason == "1 of 3 classes of inputs is wrong: odd (counts 4)");
  const auto together = graded(classes + R"(, "partial": false)", one_wrong);
  CHECK(together.earned == 0);
  CHECK(together.status == Graded::failed);
  CHECK(together.reason == "1 of 3 classes of inputs is wrong, and all must be right: odd");
  CHECK(graded(classes + R"(, "partial": false)", facts_with({"usual", "one", "odd"}, "", 0, 0)).earned == 12);
}

TEST_CASE("a requirement earns all or nothing, a share by nearness, or each its part; a hidden size takes tenths") {
  const std::string asked = R"("kind": "require", "certificate": false, "require": )";
  const auto with = [&](const std::string& item, double barriers, double hidden_barriers) {
    return graded(asked + item, facts_with({"usual"}, "", barriers, hidden_barriers));
  };
  CHECK(with(R"(["barriers<=10"])", 10, 10).status == Graded::passed);
  CHECK(with(R"(["barriers<=10"])", 11, 10).earned == 0);

  const std::string near = R"(["barriers<=10"], "zero_at": 30)";
  CHECK(with(near, 10, 10).earned == 12);
  CHECK(with(near, 15, 15).earned == 9);
  CHECK(with(near, 15, 15).status == Graded::partial);
  CHECK(with(near, 15, 15).reason == "barriers is 15, asked for <= 10: 75 % of the points, none from 30 on");
  CHECK((with(near, 15, 15).parts.at(0).value == 15 && with(near, 15, 15).parts.at(0).bound == 10));
  CHECK(with(near, 30, 30).status == Graded::failed);
  CHECK(with(near, 10, 20.5).earned == 6);  // 47 %, to the next tenth
  CHECK(with(near, 10, 20.5).reason == "50 % of the points at another size: barriers is 10, asked for <= 10");
  CHECK(with(near, 10, 40).reason == "holds at the size that everybody can see, but not at another");

  const std::string two = R"(["barriers<=10", "waves<=4"])";
  CHECK(with(two, 11, 11).earned == 0);
  CHECK(with(two + R"(, "partial": true)", 11, 11).earned == 6);
  CHECK(with(two + R"(, "partial": true)", 11, 11).reason == "barriers is 11, asked for <= 10");
  CHECK(with(two + R"(, "partial": true)", 10, 10).status == Graded::passed);
}

TEST_CASE("a modelled time that is not there leaves an item pending, and one that is not right fails it") {
  auto facts = facts_with({"usual"}, "", 10, 10);
  for (auto& count : facts.counts) count.model_problem = "textures are not modelled";
  const std::string time = R"("kind": "require", "certificate": false, "require": ["model.time_ms<=3")";
  CHECK(graded(time + "]", facts).status == Graded::pending);
  CHECK(graded(time + "]", facts).reason == "there is no modelled time: textures are not modelled");
  CHECK_FALSE(graded(time + "]", facts).earned);
  CHECK(graded(time + R"(, "barriers<=9"])", facts).status == Graded::failed);  // that is decided
  CHECK(graded(time + R"(, "barriers<=9"], "partial": true)", facts).status == Graded::pending);
  facts.counts[1].is_right = false;
  for (auto* one : {&facts.counts[0], &facts.counts[1]})
    one->values = {{"model.time_ms", 2.0}, {"model.low_ms", 1.0}, {"model.high_ms", 4.0}};
  CHECK(graded(time + "]", facts).status == Graded::failed);
  facts.counts[1].is_right = true;
  CHECK(graded(time + "]", facts).status == Graded::passed);
  for (auto& count : facts.counts) count.values["model.low_ms"] = 3.1;
  CHECK(graded(time + "]", facts).reason == "model.time_ms is 2 (modelled: 3.1 to 4), asked for <= 3");
}

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
