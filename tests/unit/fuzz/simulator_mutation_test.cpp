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

TEST_CASE("a mutated kernel is refused, fails or runs") {
  const auto seeds = mutant_seeds();
  int outcomes[3] = {0, 0, 0};
  for (std::uint64_t number = 0; number < 2000; ++number)
    ++outcomes[static_cast<int>(run_hostile(mutant(seeds, number), number))];
  // Most of them get as far as the decoder, and many to their end.
  CHECK(outcomes[static_cast<int>(Outcome::refused)] < 1000);
  CHECK(outcomes[static_cast<int>(Outcome::failed)] > 300);
  CHECK(outcomes[static_cast<int>(Outcome::ran)] > 200);
}

}  // namespace
}  // namespace gpulab::tests
