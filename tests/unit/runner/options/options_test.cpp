#include "runner/options/options.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

LabOptions parsed(const Given& given) {
  static const Lab lab = doubling_lab();
  return parse_lab_options(lab, given);
}
std::string refusal_of(const std::string& name, const std::string& value) {
  return error_of([&] { return parsed({{name, {value}}}); });
}

}  // namespace

TEST_CASE("nothing given: the headline, the declared defaults, a table on standard output") {
  const auto options = parsed({});
  REQUIRE(options.variants.size() == 1);
  CHECK(options.variants[0]->name == "plain");
  CHECK_FALSE(options.all_variants);
  CHECK(options.blocks.empty());
  CHECK_FALSE(options.grid);
  CHECK(options.params[0] == std::pair<std::string, std::vector<ParamValue>>{"n", {std::int64_t{1000}}});
  CHECK(options.params[1] == std::pair<std::string, std::vector<ParamValue>>{"type", {std::string("int")}});
  CHECK(options.device == DeviceKind::automatic);
  CHECK(options.seed == 42);
  CHECK_FALSE(options.counters.has_value());
  CHECK(options.format->name == "table");
  CHECK(options.output.empty());
}

TEST_CASE("everything given is taken") {
  const auto options = parsed({{"variant", {"slow,tree"}},
                               {"block", {"64,128"}},
                               {"grid", {"1000"}},
                               {"n", {"1:4"}},
                               {"device", {"gpu:2"}},
                               {"profile", {"t4"}},
                               {"threads", {"3"}},
                               {"seed", {"7"}},
                               {"schedule", {"9"}},
                               {"budget", {"2^20"}},
                               {"no-counters", {"true"}},
                               {"baseline", {"slow"}},
                               {"reps", {"5"}},
                               {"warmup", {"0"}},
                               {"min-time", {"0.5"}},
                               {"max-noise", {"2"}},
                               {"warm", {"true"}},
                               {"format", {"csv"}},
                               {"output", {"x"}},
                               {"sanitize", {"none"}}});
  CHECK(options.variants.size() == 2);
  CHECK(options.blocks.size() == 2);
  CHECK(options.grid == Dim3{1000, 1, 1});
  CHECK(options.params[0].second.size() == 3);
  CHECK(options.device == DeviceKind::gpu);
  CHECK(options.gpu_index == 2);
  CHECK(options.profile == "t4");
  CHECK(options.threads == 3);
  CHECK(options.seed == 7);
  CHECK(options.schedule == 9);
  CHECK(options.budget == 1048576);
  CHECK(options.counters == false);
  CHECK(options.baseline->name == "slow");
  CHECK(options.measure.reps == 5);
  CHECK(options.measure.warmup == 0);
  CHECK(options.measure.min_time_s == 0.5);
  CHECK(options.measure.max_noise == 0.02);
  CHECK(options.measure.warm);
  CHECK(options.format->name == "csv");
  CHECK(options.output == "x");
}

TEST_CASE("all means the whole ladder") {
  const auto options = parsed({{"variant", {"all"}}});
  CHECK(options.all_variants);
  CHECK(options.variants.size() == 5);
}

TEST_CASE("what a parameter cannot be is refused") {
  CHECK(refusal_of("n", "2Mi") == "--n: 2097152 is too large: at most 1048576");
  CHECK(refusal_of("type", "float") == "--type: reduce has no type 'float' | choices: int");
  CHECK(refusal_of("variant", "tre") ==
        "reduce has no variant 'tre' | did you mean 'tree'? 'gpulab list reduce' shows all variants");
}

TEST_CASE("what an option cannot be is refused") {
  CHECK(refusal_of("device", "gpu:-1") == "--device: unknown device 'gpu:-1' | devices: auto, gpu, gpu:INDEX, sim");
  CHECK(refusal_of("device", "simm") ==
        "--device: unknown device 'simm' | did you mean 'sim'? devices: auto, gpu, gpu:INDEX, sim");
  CHECK(refusal_of("seed", "-1") == "--seed: '-1' is not a whole number of 0 or more");
  CHECK(refusal_of("seed", "9223372036854775808") ==
        "--seed: '9223372036854775808' is not a whole number of 0 or more");
  CHECK(refusal_of("threads", "5000") == "--threads: '5000' is not a whole number of 1 to 4096");
  CHECK(refusal_of("max-noise", "-1") == "--max-noise: '-1' is not a number of 0 or more");
  CHECK(refusal_of("min-time", "inf") == "--min-time: 'inf' is not a number of 0 or more");
  CHECK(refusal_of("sanitize", "racechek") ==
        "--sanitize: unknown tool 'racechek' | did you mean 'racecheck'? tools: memcheck, racecheck, initcheck, "
        "synccheck, "
        "all, none");
}

TEST_CASE("an option given twice is refused instead of one being dropped") {
  CHECK(error_of([] {
          return parsed({{"n", {"1", "2"}}});
        }) == "--n is given 2 times | give it once; lists are separated by commas");
}
