#include "runner/compare/kernels/two_files.h"

#include "runner/compare/kernels/two_rungs.h"
#include "tests/catch.h"

using namespace gpulab;

TEST_CASE(
    "sizes stand in place of {n} in arguments, variables, expectations, shared memory and grid, and nowhere else") {
  const Given given{{"arg", {"x:f32[{n}]=iota", "n:i32={n}"}}, {"shared", {"{n}"}}, {"kernel", {"k{n}"}}};
  const auto sized = with_size(given, 4096);
  CHECK(sized.at("arg") == std::vector<std::string>{"x:f32[4096]=iota", "n:i32=4096"});
  CHECK(sized.at("shared") == std::vector<std::string>{"4096"});
  CHECK(sized.at("kernel") == std::vector<std::string>{"k{n}"});
  CHECK(has_size(given));
  CHECK_FALSE(has_size(sized));
}

TEST_CASE("sizes that nobody names are the lab's n, an eighth and a 64th, and none where there is no n") {
  Lab lab;
  lab.params = {{"n", "elements", std::int64_t{4096}, {}, 128}};
  CHECK(with_a_sweep(lab, {}).at("n") == std::vector<std::string>{"128,512,4096"});
  CHECK(with_a_sweep(lab, {{"n", {"7"}}}).at("n") == std::vector<std::string>{"7"});
  lab.params[0].tested = {std::int64_t{1}};  // a knob
  CHECK(with_a_sweep(lab, {}).empty());
  CHECK(with_a_sweep(Lab{}, {}).empty());
}
