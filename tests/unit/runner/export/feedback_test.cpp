#include "runner/export/feedback.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

GradeItem item() {
  return {.name = "correct",
          .points = 10,
          .earned = 5,
          .status = "partial",
          .reason = "2 of 4 classes of inputs are wrong: odd, key (hidden)",
          .description = "The sum of all elements.",
          .hint = "Who sums the last, shorter part?",
          .parts = {{.name = "usual", .about = "some size", .status = "passed", .reason = {}},
                    {.name = "odd",
                     .about = "no power of two",
                     .status = "failed",
                     .reason = "n = 7: wrong\nout[0] got 1, expected 2"},
                    {.name = "large", .about = {}, .status = "failed", .reason = "n = 9: hung"},
                    {.name = "key", .about = {}, .status = "failed", .reason = {}, .hidden = true}}};
}

}  // namespace

TEST_CASE("feedback is what an item asks, what is wrong, on which inputs, and the hint") {
  CHECK(feedback_of(item(), 10000) ==
        "The sum of all elements.\n"
        "2 of 4 classes of inputs are wrong: odd, key (hidden)\n\n"
        "odd (no power of two)\nn = 7: wrong\nout[0] got 1, expected 2\n\n"
        "large\nn = 9: hung\n\n"
        "Hint: Who sums the last, shorter part?");
  auto expression = item();
  expression.parts = {{.name = "barriers<=1", .about = {}, .status = "failed", .reason = "barriers is 2"}};
  expression.reason = "barriers is 2";  // the item's reason says it already
  CHECK(wrong_parts(expression).empty());
}

TEST_CASE("classes of which the same is said are told of once") {
  auto hung = item();
  hung.parts[1].reason = hung.parts[2].reason = "not run: launches before it did not end";
  CHECK_THAT(feedback_of(hung, 10000),
             ContainsSubstring("odd (no power of two), large\nnot run: launches before it did not end"));
}

TEST_CASE("feedback never tells of hidden classes more than that they are wrong, whatever the document holds") {
  auto leaky = item();
  leaky.parts.back().reason = "n = 4099";
  CHECK(feedback_of(leaky, 10000).find("4099") == std::string::npos);
}

TEST_CASE("where a service has less room, the last classes give way and are named, the hint stays") {
  auto long_one = item();
  long_one.parts[1].reason = std::string(3000, 'x');
  const auto text = feedback_of(long_one, 1000);
  CHECK(text.size() <= 1000);
  CHECK_THAT(text, ContainsSubstring("There is no room here for odd (no power of two), large\n\nHint: Who sums"));
  CHECK(feedback_of(long_one, 60).size() <= 60);
  CHECK(feedback_of(long_one, 5000).find("n = 9: hung") != std::string::npos);
}

TEST_CASE("findings that an item tells of are not told twice") {
  Grade grade;
  grade.items = {item()};
  grade.findings = {"racecheck: a race\nk.cu:7 write", "memcheck: beyond"};
  CHECK(further_findings(grade).size() == 2);
  grade.items[0].reason += "\nracecheck: a race\nk.cu:7 write of it";
  CHECK(further_findings(grade) == std::vector<std::string>{"memcheck: beyond"});
  grade.items[0].hidden = true;  // nobody reads that one
  CHECK(further_findings(grade).size() == 2);
}
