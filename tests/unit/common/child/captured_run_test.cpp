#include "common/child/captured_run.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

namespace gpulab {

TEST_CASE("a program's output is taken from both its streams, in order") {
  const auto run = run_captured({"/bin/sh", "-c", "echo one; echo two >&2; cat; exit 3"});
  CHECK(run.output == "one\ntwo\n");
  CHECK(run.exit_code == 3);
}

TEST_CASE("a program's output may be longer than a pipe holds") {
  CHECK(run_captured({"/bin/sh", "-c", "head -c 1000000 /dev/zero"}).output.size() == 1'000'000);
}

TEST_CASE("a program ended by a signal has a shell's exit code") {
  CHECK(run_captured({"/bin/sh", "-c", "kill -TERM $$"}).exit_code == 143);
}

TEST_CASE("a program that is not there is missing") {
  const auto call = [] { return run_captured({"/nowhere/nvcc"}); };
  CHECK(error_of(call) == "cannot start /nowhere/nvcc: No such file or directory");
  CHECK(code_of(call) == ExitCode::missing);
}

}  // namespace gpulab
