#include "runner/export/pages/student_page.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

Grade some() {
  Grade grade;
  grade.submission = "ada";
  grade.file = "total.cu";
  grade.assignment = "Sums <of> blocks";
  grade.score = 55;
  grade.max = 100;
  grade.items = {{.name = "correct",
                  .points = 50,
                  .earned = 25,
                  .status = "partial",
                  .reason = "1 of 2 classes of inputs is wrong: odd",
                  .description = "What `sum` means",
                  .hint = "<script>look</script>",
                  .parts = {{.name = "odd", .about = "no power", .status = "failed", .reason = "n = 7\nout[0] got 1"},
                            {.name = "key", .about = {}, .status = "passed", .reason = "n = 4099", .hidden = true}}},
                 {.name = "fine", .points = 30, .earned = 30, .status = "passed", .reason = "as asked for"},
                 {.name = "secret",
                  .points = 20,
                  .earned = 0,
                  .status = "failed",
                  .reason = "SECRET",
                  .hidden = true,
                  .hint = "SECRET"}};
  grade.printed = "<b>printed</b>";
  return grade;
}

}  // namespace

TEST_CASE("a student's page says what is earned and what is left to do, and nothing on it is markup of others") {
  const auto page = student_page(some());
  for (const char* text :
       {"<h1>Sums &lt;of&gt; blocks</h1>", "ada: 55 of 100 points", "25 of 50", "What <code>sum</code> means",
        "1 of 2 classes of inputs is wrong: odd", "<h5>odd (no power)</h5>", "n = 7<br>\nout[0] got 1",
        "&lt;script&gt;look&lt;/script&gt;", "hidden tests", "0 of 20", "&lt;b&gt;printed&lt;/b&gt;", "total.cu"})
    CHECK_THAT(page, ContainsSubstring(text));
  CHECK(page.find("<script>look") == std::string::npos);
}

TEST_CASE("of hidden items and classes a student's page says what they come to, and nothing else") {
  const auto page = student_page(some());
  CHECK(page.find("SECRET") == std::string::npos);
  CHECK(page.find("secret") == std::string::npos);
  CHECK(page.find("4099") == std::string::npos);
}

TEST_CASE("a page without a grade says why") {
  Grade grade;
  grade.submission = "ada";
  grade.assignment = "Sums";
  grade.status = GradeStatus::attention;
  grade.reason = "there is no .cu file";
  CHECK(outcome_text(grade) == "not graded: there is nothing that could be judged (there is no .cu file)");
  const RosterRow person{.submission = "ada", .name = "Ada Lovelace", .id = {}, .email = {}};
  CHECK_THAT(student_page(grade, &person),
             ContainsSubstring("Ada Lovelace: not graded: there is nothing that could be judged"));
  grade.status = GradeStatus::tried;
  grade.reason = {};
  CHECK(outcome_text(grade) == "no grade: what is hidden is judged when it is handed in");
}

TEST_CASE("what does not compile has the compiler's words, and not the same reason at each item") {
  auto grade = some();
  grade.compile_problem = "k.cu:4: expected a ;";
  grade.compiler_messages = "k.cu(4): error";
  const auto section = student_section(grade);
  CHECK_THAT(section, ContainsSubstring("does not compile: k.cu:4: expected a ;"));
  CHECK_THAT(section, ContainsSubstring("<pre>k.cu(4): error</pre>"));
  CHECK(section.find("What is left to do") == std::string::npos);
}
