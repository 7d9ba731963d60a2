#include "runner/student_file/second_attempt.h"

#include "runner/student_file/host_code.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

const std::string source = "__global__ void k() { }\nint main() { wrong; }\n";

CompileRequest request(const std::string& file = "/nowhere/k.cu") {
  CompileRequest made;
  made.file = file;
  made.source = source;
  return made;
}

TEST_CASE("kernels that launch kernels are compiled again with separate compilation, once") {
  const std::string log = "k.cu(2): error: kernel launch from … requires separate compilation mode\n";
  auto next = next_attempt(request(), log, {{"/nowhere/k.cu", "kernel launch", 1}}, 1);
  REQUIRE(next);
  CHECK(next->options.relocatable);
  CHECK(next->amended.empty());
  CHECK(!next_attempt(*next, log, {{"/nowhere/k.cu", "kernel launch", 1}}, 2));
}

TEST_CASE("a wrong line of host code is left out, one of device code is the user's to mend") {
  const auto next = next_attempt(request(), "", {{"/nowhere/k.cu", "wrong", 2}}, 1);
  REQUIRE(next);
  CHECK(next->amended.at("/nowhere/k.cu").starts_with("__global__ void k() { }\nint main() { asm"));
  CHECK(next->source == source);
  CHECK(!next_attempt(request(), "", {{"/nowhere/k.cu", "wrong", 1}}, 1));
  CHECK(!next_attempt(request(), "", {{"/nowhere/k.cu", "wrong", 2}, {"/nowhere/k.cu", "wrong", 1}}, 1));
}

TEST_CASE("an error in somebody else's header takes out all host bodies, and ends where none is left") {
  const std::vector<CompileError> errors{{"/usr/include/vector", "no instance", 40}};
  const auto next = next_attempt(request(), "", errors, 1);
  REQUIRE(next);
  CHECK(next->amended.at("/nowhere/k.cu").find("wrong") == std::string::npos);
  CHECK(!next_attempt(*next, "", errors, 2));
  CHECK(!next_attempt(request(), "", errors, 6));
  CHECK(!next_attempt(request(), "", {}, 1));
}

TEST_CASE("PTX shows a body that was taken out and was device code after all") {
  CHECK(lacks_device_code("\t// begin inline asm\n\t// " + std::string(host_body_mark) + "\n"));
  CHECK(!lacks_device_code("ret;"));
}

}  // namespace
}  // namespace gpulab
