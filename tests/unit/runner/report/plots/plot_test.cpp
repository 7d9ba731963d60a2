#include "runner/report/plots/plot.h"

#include "common/text.h"
#include "runner/report/plots/panels.h"
#include "tests/catch.h"

using namespace gpulab;

TEST_CASE("a curve is drawn in eighths of a line, its axis in percent where it ends at 1, the case marked") {
  const Curve curve{"occupancy", "threads per block", "resident warps", {32, 64, 96, 128}, {0.25, 0.5, 1, 0.0625}, 1,
                    96};
  CHECK(plot(curve, 100) == std::vector<std::string>{" occupancy: resident warps over threads per block",
                                                     "   100% ┤    █", "        │    █", "        │    █",
                                                     "        │    █", "    50% ┤  █ █", "        │  █ █",
                                                     "        │█ █ █", "        │█ █ █ ▄", "        └────────",
                                                     "             ▲ 96: 100%", "         32    128"});
}

TEST_CASE("an axis of sizes has large powers of two as they are typed") {
  CHECK(typed_size(8192) == "8192");
  CHECK(typed_size(16384) == "16Ki");
  CHECK(typed_size(1 << 20) == "1Mi");
  CHECK(typed_size(3.0 * (1 << 30)) == "3.22 G");
  CHECK(typed_size(1e6) == "1 M");
}

TEST_CASE("no plot is wider than the page, however many points it has, and the marked one is among those drawn") {
  Curve curve{"many", "x", "y", {}, {}, 0, 777};
  for (int i = 1; i <= 1000; ++i) {
    curve.x.push_back(i);
    curve.y.push_back(i % 10);
  }
  for (const std::size_t width : {60, 80, 200}) {
    bool marked = false;
    for (const auto& line : plot(curve, width)) {
      CHECK(columns(line) <= std::min<std::size_t>(width, 96));
      marked |= line.find("▲ 777: 7") != std::string::npos;
    }
    CHECK(marked);
  }
}

TEST_CASE("a curve without points is not drawn") { CHECK(plot({}, 100).empty()); }
