#include "runner/export/pages/class_page.h"

#include "runner/export/pages/student_page.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

Grade of(const std::string& name, double earned) {
  Grade grade;
  grade.submission = name;
  grade.assignment = "Sums";
  grade.score = earned;
  grade.max = 10;
  grade.items = {{.name = "correct",
                  .points = 10,
                  .earned = earned,
                  .status = earned == 10 ? "passed" : "failed",
                  .reason = "why not",
                  .parts = {{.name = "odd", .about = {}, .status = "failed", .reason = {}}}}};
  return grade;
}

}  // namespace

TEST_CASE("a class's page has everybody's points, how many passed what, and what each student reads") {
  GradedClass graded{{of("ada", 10), of("<b>", 0)}, {{.submission = "ada", .name = "Ada L.", .id = {}, .email = {}}}};
  const auto page = class_page(graded);
  for (const char* text : {"<h1>Sums</h1>", "2 of 2 submissions graded; mean 5 of 10 points", "<a href=\"#s1\">ada</a>",
                           "Ada L.", "<a href=\"#s2\">&lt;b&gt;</a>", "How many have passed what", "<td>odd</td>",
                           "<summary>&lt;b&gt;: 0 of 10 points</summary>\n<div id=\"s2\">", "why not"})
    CHECK_THAT(page, ContainsSubstring(text));
}

TEST_CASE("the page of a class of one is the student's") {
  const GradedClass graded{{of("ada", 10)}, {}};
  CHECK(class_page(graded) == student_page(of("ada", 10)));
}
