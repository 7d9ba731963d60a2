#include "runner/tuner/tuner.h"

#include <algorithm>

#include "runner/execution/open_device.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

SweepOptions sweep_of(std::vector<const char*> variants) {
  auto lab = std::make_shared<Lab>(doubling_lab());
  lab->variants[0].strides = true;
  lab->params.push_back({"stride", "a knob", std::int64_t{1}, {}, 1, 8, {std::int64_t{1}, std::int64_t{2}}});
  SweepOptions options;
  options.lab = lab;
  for (const auto* name : variants)
    options.variants.push_back(&*std::ranges::find(options.lab->variants, name, &Variant::name));
  options.params = {{"n", {std::int64_t{1000}}}, {"type", {"int"}}, {"stride", {std::int64_t{1}}}};
  return options;
}

Host host() { return {{"sim", "fake", "h200", 9, 0, 132}, {.counts = true}}; }

std::string refusal(const SweepOptions& options) {
  try {
    (void)tuned_space(options, host());
  } catch (const Error& error) {
    return std::string(error.what()) + " | " + error.hint;
  }
  return {};
}

}  // namespace

TEST_CASE("a tuner tries the blocks that a variant allows, and grids where any is right") {
  const auto tree = tuned_space(sweep_of({"tree"}), host());
  CHECK(tree.size() == 6);  // powers of two from 32 to 1024
  CHECK(std::ranges::all_of(tree, [](const TunedCase& one) { return !one.grid; }));
  auto options = sweep_of({"slow"});
  options.launch.blocks = {{32}};
  options.params[0].second = {std::int64_t{1} << 20};
  const auto striding = tuned_space(options, host());
  CHECK(striding.size() == 7);  // automatic, and 1 to 32 blocks for each of 132 SMs
  CHECK(striding[1].grid == Dim3{132});
  CHECK(striding.back().grid == Dim3{132 * 32});
  options.launch.grid = Dim3{40000};
  CHECK(tuned_space(options, host()).size() == 1);
}

TEST_CASE("a tuner tries listed knobs, and refuses what makes another problem of it") {
  auto options = sweep_of({"plain"});
  options.launch.blocks = {{64}};
  options.params[2].second = {std::int64_t{1}, std::int64_t{2}};
  CHECK(tuned_space(options, host()).size() == 2);
  options.params[0].second = {std::int64_t{10}, std::int64_t{20}};
  CHECK(
      refusal(options) ==
      "--best: --n has 2 values, and the times of several problems say nothing of each other | name one; blocks, grids "
      "and the lab's knobs are what is tuned");
  options = sweep_of({"plain"});
  options.params[2].second.assign(600, std::int64_t{1});
  CHECK(refusal(options) == "--best: 5400 cases are more than 512 | name fewer variants, blocks or values");
  CHECK(refusal(sweep_of({"cpu"})) == "--best: nothing of what was named can run here | '--variant all' tries all");
}

TEST_CASE("the fastest comes first, what has no time last, and best names the command that runs it again") {
  Tuned tuned;
  tuned.run = {{"sim", "simulator", "h200", 9, 0, 132, true}, "reduce", {}};
  for (const double ms : {0.2, 0.0, 0.1}) {
    auto& result = tuned.run.results.emplace_back();
    result.variant = "warp";
    result.params = {{"n", std::int64_t{1024}}, {"seed", std::int64_t{42}}};
    result.launch = LaunchFacts{};
    result.launch->grid = {ms > 0.15 ? 4U : 8U};
    result.launch->block = {ms > 0.15 ? 256U : 128U};
    if (ms > 0) {
      result.model = ModelledTime{};
      result.model->ms = ms;
    } else {
      result.status = CaseStatus::wrong;
      result.message = "out[0] is 1, not 2";
    }
  }
  tuned.automatic_grid = {true, true, false};
  sort_fastest_first(tuned);
  CHECK(tuned.automatic_grid == std::vector<bool>{false, true, true});
  CHECK(command_of(tuned, 0) == "gpulab reduce --variant warp --block 128 --grid 8 --n 1024 --seed 42");
  const auto table = tuned_table(tuned, Style{.width = 80});
  for (const auto* part : {"3 cases tried", "modelled, not measured", "2.00 x", "warp: out[0] is 1, not 2",
                           "best: gpulab reduce --variant warp --block 128 --grid 8 --n 1024 --seed 42"})
    CHECK_THAT(table, ContainsSubstring(part));
  const auto json = tuned_json(tuned);
  CHECK_THAT(json, ContainsSubstring("\"source\": \"modelled\""));
  CHECK_THAT(json, ContainsSubstring("\"block\": [128, 1, 1]"));
}
