#include "runner/export/statistics.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace gpulab;

namespace {

Grade graded(double earned, const std::string& odd, std::optional<double> fast) {
  Grade grade;
  grade.max = 30;
  grade.items = {{.name = "correct",
                  .points = 10,
                  .earned = earned,
                  .status = earned == 10  ? "passed"
                            : earned == 0 ? "failed"
                                          : "partial",
                  .reason = {},
                  .parts = {{.name = "odd", .about = {}, .status = odd, .reason = {}},
                            {.name = "key", .about = {}, .status = "failed", .reason = {}, .hidden = true}}},
                 {.name = "=fast",
                  .points = 20,
                  .earned = fast,
                  .status = fast ? "failed" : "pending",
                  .reason = {},
                  .hidden = true}};
  grade.status = fast ? GradeStatus::graded : GradeStatus::pending;
  if (fast) grade.score = earned + *fast;
  return grade;
}

std::vector<Grade> some() {
  std::vector<Grade> grades{graded(10, "passed", 4), graded(5, "failed", 0), graded(0, "failed", {}), {}, {}};
  grades[3].status = GradeStatus::attention;
  grades[4].status = GradeStatus::infrastructure;
  return grades;
}

}  // namespace

TEST_CASE("statistics count who passed which item and class, and leave out what nobody judged") {
  const auto made = statistics_of(some());
  CHECK(made.submissions == 5);
  CHECK(made.mean == 9.5);
  REQUIRE(made.items.size() == 2);
  const auto& correct = made.items[0];
  CHECK((correct.passed == 1 && correct.partial == 1 && correct.failed == 1 && correct.pending == 0));
  CHECK(correct.mean == 5);
  CHECK((correct.parts[0].passed == 1 && correct.parts[0].failed == 2));
  CHECK((made.items[1].failed == 2 && made.items[1].pending == 1));
  CHECK(made.items[1].mean == 2);  // of the two that are known
  CHECK_FALSE(statistics_of({}).mean);
}

TEST_CASE("statistics are a summary in JSON and a table whose cells are no formulas") {
  const auto json = statistics_json(statistics_of(some()));
  CHECK((json["submissions"] == 5 && json["graded"] == 2 && json["pending"] == 1 && json["attention"] == 1 &&
         json["infrastructure"] == 1));
  CHECK((json["mean"] == 9.5 && json["max"] == 30));
  CHECK((json["items"][0]["mean"] == 5 && json["items"][0]["parts"][1]["visibility"] == "hidden"));
  CHECK(statistics_json(statistics_of({}))["mean"].is_null());
  CHECK(statistics_csv(statistics_of(some())) ==
        "item,part,visibility,points,passed,partial,failed,pending,mean\n"
        "correct,,visible,10,1,1,1,0,5\n"
        "correct,odd,visible,,1,0,2,0,\n"
        "correct,key,hidden,,0,0,3,0,\n"
        "'=fast,,hidden,20,0,0,2,1,2\n");
}
