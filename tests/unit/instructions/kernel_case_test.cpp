#include "tests/instructions/kernel_case.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/catch.h"

using namespace gpulab::simt;

TEST_CASE("lists of kernel cases have ranges and repetitions") {
  using List = std::vector<std::string>;
  CHECK(expanded("1 2, 3") == List{"1", "2", "3"});
  CHECK(expanded("0..3 2..0") == List{"0", "1", "2", "3", "2", "1", "0"});
  CHECK(expanded("7*3 (1 2)*2") == List{"7", "7", "7", "1", "2", "1", "2"});
  CHECK(expanded("0.5*2 -1") == List{"0.5", "0.5", "-1"});
  CHECK_THROWS_AS(expanded("(1 2"), std::runtime_error);
}
