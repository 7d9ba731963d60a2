// Labs whose kernels run as machine code (common/simt/compiled): the same results, counters and modelled times as
// interpreted. Where the machine has no LLVM, both are interpreted.

#include <fmt/format.h>

#include <algorithm>

#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

SimulatorOptions options_of(bool compiled) {
  SimulatorOptions options;
  options.threads = 1;
  options.model = true;
  options.compiled = compiled ? simt::compiled::When::always : simt::compiled::When::never;
  return options;
}

/// All that a user sees of a case but for how long it took here.
std::string told(const Result& result) {
  std::string text = fmt::format("status {}, {}; {}\n", static_cast<int>(result.status), result.message, result.output);
  if (result.verification)
    text += fmt::format("verification {}, {} wrong, errors {} and {}\n", static_cast<int>(result.verification->status),
                        result.verification->mismatch_count, result.verification->max_abs_error,
                        result.verification->max_rel_error);
  if (result.model) text += fmt::format("modelled {} ms\n", result.model->ms);
  if (result.counters)
    for (std::size_t i = 0; i < result.counters->counts.size(); ++i)
      text += fmt::format("{} {}\n", counted_rows[i].name, result.counters->counts[i]);
  for (const auto& metric : result.metrics) text += fmt::format("{} {}\n", metric.name, metric.value);
  return text;
}

/// Runs rungs of every lab both ways. step: 1 for all, else one of so many, counted from each lab's last.
void check_that_compiled_is_the_same(std::size_t step) {
  const TestedDevice tested;
  if (tested.is_gpu()) return;
  constexpr std::int64_t size = 1000;
  for (const Lab& lab : tested_labs()) {
    Simulation interpreted(options_of(false)), compiled(options_of(true));
    std::size_t above = 0;  // rungs that can be run both ways, counted from the last
    for (auto rung = lab.variants.rbegin(); rung != lab.variants.rend(); ++rung) {
      const Variant& variant = *rung;
      if (!tested.runs(variant) || variant.racy || above++ % step != 0) continue;
      Case one = default_case(lab, variant, interpreted.gpu);
      const auto sizes = sizes_of(lab);
      for (const auto& name : sizes) {
        const auto& param = *std::ranges::find(lab.params, name, &Param::name);
        one.params.values[name] = std::clamp<std::int64_t>(sizes.size() > 1 ? size / 16 : size, param.min, param.max);
      }
      RunOptions options;
      options.measure = {.warmup = 0, .reps = 1};
      INFO(lab.name << " " << variant.name << ", " << size);
      CHECK(told(interpreted.runner.run(lab, variant, one, options)) ==
            told(compiled.runner.run(lab, variant, one, options)));
    }
  }
}

}  // namespace

// LLVM takes seconds for the kernels of a lab: CI has tests/compiled_tier_test.py, which compares what labs print.
TEST_CASE("a third of every lab's rungs give the same compiled as interpreted", "[.][slow]") {
  check_that_compiled_is_the_same(3);
}

TEST_CASE("every lab gives the same compiled as interpreted", "[.][long]") { check_that_compiled_is_the_same(1); }
