// What the lab `julia` shows: leaving early saves work and wastes lanes, by the shape of a warp's pixels.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/text.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

Result run(std::string_view variant, std::int64_t side, const CaseChanges& changes = {},
           std::map<std::string, ParamValue> params = {}) {
  params["width"] = params["height"] = side;
  auto result = run_lab_case("julia", variant, params, changes);
  INFO(result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

}  // namespace

TEST_CASE("all iterations for all: every lane at work; leaving early: a fraction of the work, lanes wait") {
  const auto fixed = run("pixel_fixed", 256), early = run("pixel_early_exit", 256);
  CHECK(counted(fixed, "warp_execution_efficiency") == 1);
  CHECK(counted(fixed, "divergent_branches") == 0);
  CHECK(counted(early, "divergent_branches") > 0);
  CHECK(counted(early, "warp_instructions") < 0.5 * counted(fixed, "warp_instructions"));
}

TEST_CASE("the picture is that of z and of -z, row for row") {
  for (const std::string variant : {"pixel_fixed", "pixel_early_exit", "cpu"}) {
    const auto picture = run(variant, 129).picture.value();
    CHECK(picture.width == 129);
    CHECK(picture.height == 129);
    REQUIRE(picture.rgb.size() == 3 * 129 * 129);
    auto turned = picture.rgb;
    for (std::size_t i = 0; i < turned.size() / 2; i += 3) {
      if (const auto opposite = turned.size() - 3 - i; i < opposite)
        std::swap_ranges(&turned[i], &turned[i] + 3, &turned[opposite]);
    }
    CHECK(turned == picture.rgb);
  }
}

TEST_CASE("the closer a warp's pixels lie together, the more of its lanes are at work") {
  struct Shape {
    Dim3 block;
    double lanes, efficiency;
  };
  double before = 0;
  for (const auto& [block, lanes, efficiency] : {Shape{{256, 1}, 0.254261, 0.318},
                                                 {{32, 8}, 0.254261, 0.318},
                                                 {{16, 16}, 0.292785, 0.362},
                                                 {{8, 4}, 0.318416, 0.390}}) {
    const auto result = run("pixel_early_exit", 256, {.block = block});
    INFO(dim_text(block));
    CHECK(std::abs(counted(result, "lanes_at_work") - lanes) < 1e-6);
    // Higher, as the instructions before and after the loop run in all lanes. To 0.002: compilers differ by a few.
    CHECK(std::abs(counted(result, "warp_execution_efficiency") - efficiency) < 0.002);
    CHECK(counted(result, "lanes_at_work") >= before);
    before = counted(result, "lanes_at_work");
  }
}

TEST_CASE("of 256 iterations a pixel needs 10.5 on average, and half a percent of them all") {
  for (const std::string variant : {"pixel_fixed", "pixel_early_exit", "cpu"}) {
    const auto result = run(variant, 256);
    CHECK(counted(result, "mean_iterations") == 10.467926025390625);
    CHECK(counted(result, "pixels_inside") == 338.0 / 65536);
  }
  CHECK(counted(run("pixel_fixed", 256), "useful_iterations") == 10.467926025390625 / 256);
}

TEST_CASE("for c = 0 the set is the unit disc") {
  constexpr int side = 512;
  const auto result = run("pixel_early_exit", side, {}, {{"re", 0.0}, {"im", 0.0}});
  // A circle of radius r pixels crosses at most 8 r + 4 of them: what those count for may be wrong.
  const double radius = side / 4.0, crossed = (8 * radius + 4) / (side * side);
  CHECK(std::abs(counted(result, "pixels_inside") - std::numbers::pi / 16) < crossed);
}

TEST_CASE("one bit of c is found out: near the set's edge every rounding counts") {
  Simulation simulation;
  const Lab& lab = lab_named("julia");
  for (const std::string name : {"pixel_fixed", "pixel_early_exit"}) {
    Variant variant = variant_named(lab, name);
    variant.arguments = [](const Case& c) -> std::vector<Argument> {
      const auto integer = [&](const char* of) { return static_cast<std::int32_t>(c.params.integer(of)); };
      return {BufferArgument{"counts"},
              integer("width"),
              integer("height"),
              integer("iterations"),
              std::nextafter(static_cast<float>(c.params.real("re")), 1.0F),
              static_cast<float>(c.params.real("im"))};
    };
    Case c = default_case(lab, variant, simulation.gpu);
    c.params.values["width"] = c.params.values["height"] = std::int64_t{256};
    CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
  }
}
