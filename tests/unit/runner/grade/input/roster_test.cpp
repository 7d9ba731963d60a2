#include "runner/grade/input/roster.h"

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_roster(text, "r.csv");
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return "none";
}

}  // namespace

TEST_CASE("a roster has the columns that it has, in any order, and others are nobody's") {
  const auto rows = parse_roster(
      "\xEF\xBB\xBF"
      "Email,Section, Submission \r\na@x,3,ada\r\n,,\"bob, jr\"\r\n",
      "r.csv");
  REQUIRE(rows.size() == 2);
  CHECK((rows[0].submission == "ada" && rows[0].email == "a@x" && rows[0].name.empty()));
  CHECK(rows[1].submission == "bob, jr");
}

TEST_CASE("a roster that names nobody, or one twice, is refused") {
  CHECK(refusal_of("") == "--roster: r.csv has no column 'submission' | the first line names the columns");
  CHECK(refusal_of("name,id\n") == "--roster: r.csv has no column 'submission' | its first line has name, id");
  CHECK(refusal_of("submission,id\n,4\n") == "--roster: r.csv: row 2 names no submission | ");
  CHECK(refusal_of("submission\nada\nada\n") == "--roster: r.csv has the submission 'ada' twice | ");
}
