#include "runner/options/sweep.h"

#include <memory>

#include "labs/registry.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

const Host simulator{{"sim", "simulator", "h200", 9, 0, 132}, {.counts = true}};
const Host gpu{{"gpu", "NVIDIA H200", "h200", 9, 0, 132}, {.measures_time = true, .runs_vendor_code = true}};

std::vector<std::string> names(const std::vector<SweepCase>& cases) {
  std::vector<std::string> texts;
  for (const auto& p : cases) {
    texts.push_back(p.variant->name + " " + std::to_string(p.settings.n()) + " " + std::to_string(p.settings.block.x));
  }
  return texts;
}

}  // namespace

TEST_CASE("lists multiply: parameters outermost, then blocks, then variants") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto options = parse_sweep_options(lab, {{"n", {"1,2"}}, {"block", {"32,64"}}, {"variant", {"slow,plain"}}});
  CHECK(names(sweep(options, simulator)) == std::vector<std::string>{"slow 1 32", "plain 1 32", "slow 1 64",
                                                                     "plain 1 64", "slow 2 32", "plain 2 32",
                                                                     "slow 2 64", "plain 2 64"});
}

TEST_CASE("without a block each variant gets its default, and every case its seed and device") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto cases = sweep(parse_sweep_options(lab, {{"seed", {"7"}}}), simulator);
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].variant->name == "plain");
  CHECK(cases[0].settings.block == Dim3{256, 1, 1});
  CHECK(cases[0].settings.seed == 7);
  CHECK(cases[0].settings.sm_count == 132);
}

TEST_CASE("all variants: what cannot run here is skipped with a reason") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto cases = sweep(parse_sweep_options(lab, {{"variant", {"all"}}, {"block", {"96"}}}), simulator);
  REQUIRE(cases.size() == 5);
  CHECK(cases[1].skip.empty());
  CHECK(cases[2].skip ==
        "--block: variant 'tree' cannot take 96: its threads must be a power of two, because it halves");
  CHECK(cases[3].skip == "variant 'vendor' calls a vendor library and needs a GPU");
  CHECK(cases[4].skip.empty());
  for (const auto& swept : cases) CHECK_FALSE(swept.named);
}

TEST_CASE("code for one architecture alone is for no older one and for no newer one") {
  const auto all = all_labs();
  const auto lab = std::make_shared<const Lab>(find_lab(all, "matmul"));
  const auto asked = [&](int major) {
    Host host = gpu;
    host.device = {"gpu", "NVIDIA X", "", major, 0, 100};
    const auto cases = sweep(parse_sweep_options(lab, {{"variant", {"hopper,tensor"}}, {"type", {"bf16"}}}), host);
    return cases[0].skip;
  };
  CHECK(asked(9).empty());
  CHECK(asked(8) == "variant 'hopper' is for compute capability 9.0 alone, NVIDIA X has 8.0");
  CHECK(asked(10) == "variant 'hopper' is for compute capability 9.0 alone, NVIDIA X has 10.0");
}

TEST_CASE("a vendor variant runs on a GPU") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  CHECK(sweep(parse_sweep_options(lab, {{"variant", {"vendor"}}}), gpu)[0].skip.empty());
}

TEST_CASE("a vendor variant by name without a GPU is what this machine lacks") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto run = [&] { return sweep(parse_sweep_options(lab, {{"variant", {"vendor"}}}), simulator); };
  CHECK(code_of(run) == ExitCode::missing);
  CHECK_THAT(error_of(run), StartsWith("variant 'vendor' calls a vendor library and needs a GPU"));
  // Beside others that run, it is skipped.
  const auto cases = sweep(parse_sweep_options(lab, {{"variant", {"vendor,plain"}}}), simulator);
  CHECK_FALSE(cases[0].skip.empty());
  CHECK(cases[0].named);
}

TEST_CASE("a variant beyond the device's compute capability is what this machine lacks") {
  const auto lab = std::make_shared<Lab>(doubling_lab());
  lab->variants[1].min_compute_capability = 80;
  const Host old{{"sim", "simulator", "t4", 7, 5, 40}, {.counts = true}};
  const auto run = [&] { return sweep(parse_sweep_options(lab, {}), old); };
  CHECK(code_of(run) == ExitCode::missing);
  CHECK_THAT(error_of(run), StartsWith("variant 'plain' needs compute capability 8.0, t4 has 7.5"));
}

TEST_CASE("a named variant's refusal ends the sweep before it starts") {
  const auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto run = [&] {
    return sweep(parse_sweep_options(lab, {{"variant", {"plain,tree"}}, {"block", {"64,96"}}}), simulator);
  };
  CHECK(code_of(run) == ExitCode::usage);
}

TEST_CASE("all variants refusing is a usage error, not a sweep of skips") {
  const auto lab = std::make_shared<Lab>(doubling_lab());
  lab->variants.resize(3);
  const auto run = [&] { return sweep(parse_sweep_options(lab, {{"variant", {"all"}}, {"grid", {"1"}}}), simulator); };
  CHECK(code_of(run) == ExitCode::usage);
}
