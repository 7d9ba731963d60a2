#include "tests/instructions/instruction_case.h"

#include <stdexcept>
#include <string>

#include "tests/catch.h"

TEST_CASE("a malformed instruction case is refused with its reason") {
  using namespace gpulab::simt;
  const auto refusal = [](const char* line) -> std::string {
    try {
      (void)parse_case(line, "x", instruction_set());
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal("add.s32  1 2 = 3") == "accepted");
  CHECK(refusal("add.s32  1 2 3") == "no ' = '");
  CHECK(refusal("adds.s32  1 2 = 3") == "unknown instruction adds.s32");
  CHECK(refusal("add.s32  1 = 3") == "operands do not fit add.s32");
  CHECK(refusal("add.s32  1 2 = 3|1") == "operands do not fit add.s32");
  CHECK(refusal("mov.b64  {1, 2, 3} = 4") == "operands do not fit mov.b64");
  CHECK(refusal("add.u16  65536 2 = 3") == "65536 does not fit its operand");
  CHECK(refusal("add.s32  1x 2 = 3") == "malformed value 1x");
}
