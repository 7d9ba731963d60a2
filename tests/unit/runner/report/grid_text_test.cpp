#include "runner/report/grid_text.h"

#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("columns are aligned, headings stand on the rule, lines end where they end") {
  std::vector<std::string> left_out;
  CHECK(aligned({{{"name"}, {"a", "long one"}, false}, {{"two", "lines"}, {"1", "µs"}, true}}, 80, left_out) ==
        "            two\n"
        "name      lines\n"
        "────────  ─────\n"
        "a             1\n"
        "long one     µs\n");
  CHECK(left_out.empty());
}

TEST_CASE("where the width is short, the least important columns go and are named") {
  std::vector<std::string> left_out;
  const auto text = aligned({{{"keep"}, {"x"}, false, 0},
                             {{"first"}, {"x"}, false, 2},
                             {{"last", "two"}, {"x"}, false, 2},
                             {{"stay"}, {"x"}, false, 1}},
                            16, left_out);
  CHECK(left_out == std::vector<std::string>{"last two", "first"});
  CHECK(text.find("stay") != std::string::npos);
  // What must be shown is shown, however narrow.
  left_out.clear();
  CHECK(aligned({{{"a"}, {"wide cell"}, false, 0}, {{"b"}, {"x"}, false, 0}}, 3, left_out).find("wide cell  x") !=
        std::string::npos);
}

TEST_CASE("padding counts columns, not bytes") {
  CHECK(padded("µ", 3, true) == "  µ");
  CHECK(padded("µ", 3, false) == "µ  ");
  CHECK(padded("long", 2, true) == "long");
}

TEST_CASE("a name becomes two lines of about the same width") {
  CHECK(heading_in_two_lines("shared_load_bank_conflicts") ==
        std::vector<std::string>{"shared load", "bank conflicts"});
  CHECK(heading_in_two_lines("barriers") == std::vector<std::string>{"", "barriers"});
}
