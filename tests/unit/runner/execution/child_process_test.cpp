#include "runner/execution/child_process.h"

#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

using std::chrono::milliseconds;
using Outcome = ChildProcess::Outcome;

/// A child whose socket is the shell's descriptor 3.
ChildPlan shell(const std::string& script) { return {.command = {"/bin/sh", "-c", script}}; }

constexpr milliseconds patient{20'000};

TEST_CASE("a child answers line for line") {
  ChildProcess child(shell("while read -r line <&3; do echo \"got $line\" >&3; done"));
  for (const auto* line : {"one", "two", "three"}) {
    const auto answer = child.ask(line, patient);
    CHECK(answer.outcome == Outcome::answered);
    CHECK(answer.line == std::string("got ") + line);
  }
}

TEST_CASE("a long answer arrives whole") {
  ChildProcess child(shell("read -r line <&3; head -c 3000000 /dev/zero | tr '\\0' x >&3; echo >&3"));
  const auto answer = child.ask("go", patient);
  CHECK(answer.outcome == Outcome::answered);
  CHECK(answer.line == std::string(3'000'000, 'x'));
}

TEST_CASE("what a child prints on stdout is no answer") {
  ChildProcess child(shell("read -r line <&3; echo garbage 2>/dev/null 1>&2; echo answer >&3"));
  CHECK(child.ask("go", patient).line == "answer");
}

TEST_CASE("a child that exits says with what code") {
  ChildProcess child(shell("read -r line <&3; exit 3"));
  CHECK(child.ask("go", patient).outcome == Outcome::ended);
  CHECK(child.end() == "exited with code 3");
  CHECK(child.ask("go", patient).outcome == Outcome::ended);
}

TEST_CASE("a child that aborts says by what signal") {
  ChildProcess child(shell("read -r line <&3; kill -ABRT $$"));
  CHECK(child.ask("go", patient).outcome == Outcome::ended);
  CHECK(child.end() == "was killed by SIGABRT (Aborted)");
}

TEST_CASE("a child that ends in the middle of an answer has not answered") {
  ChildProcess child(shell("read -r line <&3; printf 'half an ans' >&3; kill -SEGV $$"));
  CHECK(child.ask("go", patient).outcome == Outcome::ended);
  CHECK(child.end() == "was killed by SIGSEGV (Segmentation fault)");
}

TEST_CASE("a child that hangs is late, and gone with its object") {
  const auto start = std::chrono::steady_clock::now();
  {
    ChildProcess child(shell("read -r line <&3; exec sleep 1000"));
    CHECK(child.ask("go", milliseconds(50)).outcome == Outcome::late);
  }
  CHECK(std::chrono::steady_clock::now() - start < patient);
}

TEST_CASE("waiting for an answer can be interrupted") {
  ChildProcess child(shell("exec sleep 1000"));
  CHECK(child.ask("go", patient, [] { return true; }).outcome == Outcome::interrupted);
}

TEST_CASE("a program that is not there cannot be started") {
  try {
    ChildProcess child(ChildPlan{.command = {"/no/such/program"}});
    FAIL("started a program that is not there");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::missing);
    CHECK(std::string(error.what()) == "cannot start a worker process: No such file or directory");
    CHECK(error.where == "/no/such/program");
  }
}

}  // namespace
}  // namespace gpulab
