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

TEST_CASE("text hangs behind its label, below a label that comes too near") {
  CHECK(hanging("  warp", 8, "threads side by side", 20) == "  warp  threads side\n        by side\n");
  CHECK(hanging("  warps", 8, "side by side", 20) == "  warps\n        side by side\n");
  CHECK(hanging("hint: ", 6, "side by side", 12) == "hint: side\n      by\n      side\n");
  CHECK(hanging("", 2, "side", 12) == "  side\n");
}

TEST_CASE("long lines of a text go on below themselves, further in") {
  CHECK(within("one\n  two three four\nfive\n", 12) == "one\n  two\n    three\n    four\nfive\n");
  CHECK(within("", 12).empty());
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
