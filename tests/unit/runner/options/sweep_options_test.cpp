#include "runner/options/sweep_options.h"

#include <memory>

#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

SweepOptions parsed(const Given& given) {
  return parse_sweep_options(std::make_shared<const Lab>(doubling_lab()), given);
}
std::string refusal_of(const std::string& name, const std::string& value) {
  return error_of([&] { return parsed({{name, {value}}}); });
}

}  // namespace

TEST_CASE("nothing given: the headline and the declared defaults") {
  const auto options = parsed({});
  REQUIRE(options.variants.size() == 1);
  CHECK(options.variants[0]->name == "plain");
  CHECK_FALSE(options.all_variants);
  CHECK(options.params[0] == std::pair<std::string, std::vector<ParamValue>>{"n", {std::int64_t{1000}}});
  CHECK(options.params[1] == std::pair<std::string, std::vector<ParamValue>>{"type", {std::string("int")}});
  CHECK(options.launch.blocks.empty());
  CHECK_FALSE(options.launch.grid);
  CHECK(options.launch.seed == 42);
}

TEST_CASE("everything given is taken") {
  const auto options =
      parsed({{"variant", {"slow,tree"}}, {"n", {"1:4"}}, {"block", {"64,128"}}, {"grid", {"1000"}}, {"seed", {"7"}}});
  CHECK(options.variants.size() == 2);
  CHECK(options.params[0].second.size() == 3);
  CHECK(options.launch.blocks.size() == 2);
  CHECK(options.launch.grid == Dim3{1000, 1, 1});
  CHECK(options.launch.seed == 7);
}

TEST_CASE("options keep the lab alive that they are of") {
  auto lab = std::make_shared<const Lab>(doubling_lab());
  const auto options = parse_sweep_options(lab, {});
  const std::weak_ptr<const Lab> watched = lab;
  lab.reset();
  REQUIRE_FALSE(watched.expired());
  CHECK(options.variants[0]->name == "plain");
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

TEST_CASE("an option given twice is refused instead of one being dropped") {
  CHECK(error_of([] {
          return parsed({{"n", {"1", "2"}}});
        }) == "--n is given 2 times | give it once; lists are separated by commas");
}
