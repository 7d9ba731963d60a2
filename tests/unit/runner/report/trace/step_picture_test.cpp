#include "runner/report/trace/pictures/step_picture.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "common/child/private_folder.h"
#include "common/error.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

/// A launch of two warps: the first adds, then loads words 0, 32, 64 … of shared memory, then every eighth of global.
struct Traced {
  StepTrace steps;
  Result result;
  TraceView view;

  Traced() {
    result.variant = "strided";
    view.device.profile = "h200";
    view.lab = "reduce";
    view.result = &result;
    view.steps = &steps;
    view.source = "int a;\n  s[i] = s[2 * i];\n";
    steps.warps = {{.block = 0, .warp = 0, .lanes = 32}, {.block = 0, .warp = 1, .lanes = 32}};
    steps.sites = {{.line = 1}, {.line = 2}};
    steps.texts = {"adds", "loads from shared memory: {} wavefronts", "loads from global memory"};
    steps.args = {32};
    steps.arrays = {{.name = "in<", .address = 4096, .bytes = 65536}};
    StepAccess shared{.space = StepAccess::Space::shared,
                      .load = true,
                      .width = 4,
                      .mask = ~0U,
                      .wavefronts = 32,
                      .ideal_wavefronts = 1};
    StepAccess global{.load = true, .width = 4, .mask = ~0U, .sectors = 32, .distinct_bytes = 128};
    for (std::size_t lane = 0; lane < 32; ++lane) {
      shared.relative[lane] = static_cast<std::int64_t>(lane * 128);
      global.relative[lane] = static_cast<std::int64_t>(lane * 32);
    }
    steps.accesses = {shared, global};
    const auto all = ~0U;
    steps.steps = {{.site = 0, .active = all, .live = all, .issued = 10},
                   {.site = 1,
                    .active = all,
                    .live = all,
                    .text = 1,
                    .access = 0,
                    .issued = 20,
                    .waited = 8,
                    .stall = Stall::result},
                   {.site = 1, .warp = 1, .active = all, .live = all, .text = 2, .access = 1, .address = 4096}};
  }

  /// The SVG.
  std::string drawn(StepPicture picture, std::optional<std::uint64_t> step = {}) {
    const PrivateFolder folder;
    const auto file = (folder.path() / "picture.svg").string();
    write_step_picture({file, picture, step}, view);
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }
  std::string refused(StepPicture picture, std::optional<std::uint64_t> step = {}) {
    return error_of([&] { return drawn(picture, step); });
  }
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the picture of a step has its sentence, its line, its lanes, its memory and its cycles") {
  const auto svg = Traced().drawn(StepPicture::step);
  for (const char* words : {"reduce strided, step 1: block 0, warp 0", "2: s[i] = s[2 * i];",
                            "loads from shared memory: 32 wavefronts", "executes", "32 wavefronts, where 1 would do.",
                            "Cycles as modelled for h200, not measured", "for a result", ">+24<"}) {
    INFO(words);
    CHECK(holds(svg, words));
  }
}

TEST_CASE("a picture without a number of a step is of the first at which something of its kind goes wrong") {
  CHECK(holds(Traced().drawn(StepPicture::banks), "step 1: block 0, warp 0"));
  const auto sectors = Traced().drawn(StepPicture::sectors);
  CHECK(holds(sectors, "step 2: block 0, warp 1"));
  CHECK(holds(sectors, "32 sectors: 1024 bytes move, 128 are asked for."));
  CHECK(holds(sectors, ">in&lt;[0]<"));
  CHECK(!holds(sectors, "Cycles"));
  CHECK(holds(Traced().drawn(StepPicture::timeline, 0), "step 0: block 0, warp 0"));
}

TEST_CASE("steps are counted as on the page, from the first of the launch") {
  Traced one;
  one.steps.from = 100;
  CHECK(holds(one.drawn(StepPicture::banks), "step 101:"));
  CHECK(holds(one.drawn(StepPicture::step, 102), "step 102:"));
  CHECK(one.refused(StepPicture::step, 99) ==
        "--step: 99 is none of the steps that are kept, 100 to 102 | --from and --events keep others");
}

TEST_CASE("a picture that a step has nothing for is refused with the step that has it") {
  CHECK(Traced().refused(StepPicture::banks, 2) ==
        "--step: step 2 is none that accesses shared memory | step 1 is the first; --picture step draws any");
  Traced without;
  for (auto& step : without.steps.steps) step.issued = -1;
  without.steps.not_timed = "it prints";
  CHECK(without.refused(StepPicture::timeline) ==
        "--picture: no step that is kept has a modelled cycle | not modelled: it prints");
}
