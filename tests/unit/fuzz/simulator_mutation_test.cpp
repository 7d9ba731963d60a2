// Deterministic mutants of kernels are decoded and run. tests/fuzz/ptx_mutants.cpp and the fuzzer go much further.

#include "tests/catch.h"
#include "tests/fuzz/hostile_run.h"
#include "tests/fuzz/mutants.h"

namespace gpulab::tests {
namespace {

TEST_CASE("what mutants come from runs") {
  for (const auto& seed : mutant_seeds()) {
    if (seed.name.find(' ') != std::string::npos)
      continue;  // kernels of tests/ptx have arguments and faults of their own
    CAPTURE(seed.name);
    CHECK(run_hostile(seed.text, 0) == (seed.name == "printf.ptx" ? Outcome::failed : Outcome::ran));  // it asserts
  }
}

void run_mutants(int count) {
  const auto seeds = mutant_seeds();
  int outcomes[3] = {0, 0, 0};
  for (int number = 0; number < count; ++number)
    ++outcomes[static_cast<int>(run_hostile(mutant(seeds, number), number))];
  // Most of them get as far as the decoder, and many to their end.
  CHECK(outcomes[static_cast<int>(Outcome::refused)] < count / 2);
  CHECK(outcomes[static_cast<int>(Outcome::failed)] > count * 15 / 100);
  CHECK(outcomes[static_cast<int>(Outcome::ran)] > count / 10);
}

TEST_CASE("a mutated kernel is refused, fails or runs") { run_mutants(800); }

TEST_CASE("2000 mutated kernels are refused, fail or run", "[.][slow]") { run_mutants(2000); }

}  // namespace
}  // namespace gpulab::tests
