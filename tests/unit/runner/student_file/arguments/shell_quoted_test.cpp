#include "runner/student_file/arguments/shell_quoted.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("a word that a shell would read otherwise is quoted, another is not") {
  CHECK(shell_quoted("homework/total.cu") == "homework/total.cu");
  CHECK(shell_quoted("total<float>") == "'total<float>'");
  CHECK(shell_quoted("it's") == "'it'\\''s'");
  CHECK(shell_quoted("") == "''");
}
