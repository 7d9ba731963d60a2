#include "runner/compare/kernels/line_differences.h"

#include "tests/catch.h"

using namespace gpulab;

namespace {

/// A launch whose line i has the instructions and the time given.
LaunchLines launch(std::string_view text, const std::vector<std::pair<std::uint64_t, double>>& lines) {
  LaunchLines made;
  made.kernel = "k";
  made.file = "k.cu";
  made.text = text;
  made.grid = {64};
  made.block = {256};
  made.phases = 1;
  made.time = LaunchTime{};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    LineCounts counts{
        .line = static_cast<std::uint32_t>(i + 1), .phase = 0, .executions = lines[i].first, .counters = {}};
    counts.counters["warp_instructions"] = lines[i].first;
    made.counters["warp_instructions"] += lines[i].first;
    made.lines.push_back(counts);
    LineTime time;
    time.line = counts.line;
    time.memory = lines[i].second;
    made.time->lines.push_back(time);
  }
  return made;
}

}  // namespace

TEST_CASE("lines of the same text are one, others stand on one side; the dearest difference first") {
  const auto a = launch("int i = id();\n  y[i] = x[32 * i];\nend();\n", {{100, 1}, {100, 80}, {10, 1}});
  const auto b = launch("int i = id();\ny[i] = x[i];\nmore();\nend();\n", {{100, 1}, {100, 10}, {50, 5}, {10, 1}});
  const auto found = line_differences({a}, {b}, 132);
  REQUIRE(found.size() == 3);
  CHECK(found[0].text == "y[i] = x[32 * i];");
  CHECK(*found[0].a == 2);
  CHECK_FALSE(found[0].b);
  CHECK(found[0].a_share == Catch::Detail::Approx(80.0 / 82));
  CHECK(found[1].text == "y[i] = x[i];");
  CHECK(*found[1].b == 2);
  CHECK(found[2].text == "more();");
  CHECK(found[2].b_instructions == 50);
}

TEST_CASE("lines that cost the same are not told, and a line that moved is the same line") {
  const auto a = launch("a();\nb();\n", {{100, 50}, {100, 50}});
  const auto b = launch("// new\na();\nb();\n", {{0, 0}, {100, 50}, {100, 90}});
  const auto found = line_differences({a}, {b}, 132);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "b();");
  CHECK(*found[0].a == 2);
  CHECK(*found[0].b == 3);
}

TEST_CASE("lines without modelled times are compared by their instructions, of the launch that executes most") {
  auto a = launch("a();\n", {{100, 0}}), b = launch("a();\n", {{300, 0}}), little = launch("z();\n", {{1, 0}});
  a.time.reset();
  b.time.reset();
  const auto found = line_differences({little, a}, {b, little}, 132);
  REQUIRE(found.size() == 1);
  CHECK(found[0].a_instructions == 100);
  CHECK(found[0].b_instructions == 300);
  CHECK(line_differences({}, {b}, 132).empty());
}
