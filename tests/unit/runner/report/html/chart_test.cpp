#include "runner/report/html/chart.h"

#include <cmath>

#include "common/text.h"
#include "runner/report/html/grid.h"
#include "runner/report/html/measure.h"
#include "tests/catch.h"

using namespace gpulab;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an axis is linear from 0 with even ticks, or has decades where values lie far apart") {
  const auto linear = html::Axis::over("time", {3, 7.2}, short_count);
  CHECK_FALSE(linear.logarithmic);
  CHECK(linear.ticks == std::vector<double>{0, 2, 4, 6, 8});
  const auto decades = html::Axis::over("time", {0.03, 20, 0}, short_count);
  CHECK(decades.logarithmic);
  REQUIRE(decades.ticks.size() == 5);
  CHECK(std::abs(decades.ticks.front() - 0.01) < 1e-9);
  CHECK(std::abs(decades.high - 100) < 1e-9);
  const auto nothing = html::Axis::over("time", {}, short_count);
  CHECK(nothing.high == 1);
}

TEST_CASE("an axis of a sweep has its values for ticks, each once") {
  const auto axis = html::Axis::of_values("n", {4096, 1024, 65536, 1024}, short_count);
  CHECK(axis.ticks == std::vector<double>{1024, 4096, 65536});
  CHECK(axis.logarithmic);
}

TEST_CASE("a chart says what it shows, and its series differ in more than colour") {
  html::Chart chart(html::Axis::of_values("n", {1, 2}, {}), html::Axis::over("ms", {1, 2}, {}), "Time <over> n",
                    "two rungs");
  chart.curve({{1, 1}, {2, 2}}, 0);
  chart.curve({{1, 2}, {2, 1}}, 8);
  chart.ceiling({{1, 2}, {2, 2}}, "peak & more");
  const auto svg = chart.svg();
  CHECK(has(svg, "role=\"img\">\n<title>Time &lt;over&gt; n</title>\n<desc>two rungs</desc>"));
  CHECK(has(svg, "class=\"curve line s0\" points"));
  CHECK(has(svg, "class=\"curve line s1\" stroke-dasharray"));
  CHECK(has(svg, "peak &amp; more"));
  CHECK(!has(svg, "nan"));
}

TEST_CASE("a bar in a cell stays in it, and is left to the eye") {
  const auto bar = html::measure({.value = 3, .low = -1, .high = -1});
  CHECK(has(bar, "width=\"100.00%\""));
  CHECK(has(bar, "aria-hidden=\"true\""));
  CHECK(!has(bar, "class=\"range\""));
}

TEST_CASE("a table names its columns and rows") {
  const auto text =
      html::table("Ladder", {{"variant", {"a", "b"}, false, true}, {"time", {"1", "2"}, true}}, {"", "off"});
  CHECK(has(text, "<caption>Ladder</caption>"));
  CHECK(has(text, "<th scope=\"col\" class=\"num\">time</th>"));
  CHECK(has(text, "<tr><th scope=\"row\">a</th><td class=\"num\">1</td></tr>\n<tr class=\"off\">"));
  const std::string verdict = "<span class=\"verdict good\">passed</span>";  // short, however long its markup
  const auto prose =
      html::table("Judged", {{"verdict", {verdict}}, {"why", {"a sentence of more than twenty-eight letters"}}});
  CHECK(has(prose, "<td>" + verdict + "</td><td class=\"prose\">"));
}
