// The causes in tests/data/fidelity_residuals.csv, as far as they can be worked out: what the H200 counted where the
// simulator counts something else.
#include <algorithm>
#include <set>
#include <string>

#include "tests/catch.h"
#include "tests/fidelity/agreement.h"
#include "tests/fidelity/model.h"
#include "tests/fidelity/suite.h"
#include "tests/folder.h"

using namespace gpulab;
using namespace gpulab::fidelity;

TEST_CASE("where ptxas makes a loop of an addition to shared memory, an H200 counts that loop") {
  const HardwareData data = read_hardware(tests::tests_folder().string() + "/data/fidelity_h200.csv");
  std::set<std::string> explained;
  for (const Case& one : all_cases()) {
    if (std::none_of(one.steps.begin(), one.steps.end(), has_swap_loop)) continue;
    explained.insert(one.name());
    auto loop = expected_of_swap_loops(one).counters;
    loop["shared_load_wavefronts - conflicts"] = loop["shared_load_wavefronts"] - loop["shared_load_bank_conflicts"];
    const bool two_warps_meet = std::get<int>(one.arguments[1]) > 32;
    for (const Judged& measured : judged({}, data.cases.at(one.name()))) {
      if (!measured.counter.starts_with("shared_load") && measured.counter != "shared_atomic_requests") continue;
      INFO(one.name() << ": " << measured.counter);
      const auto least = static_cast<double>(loop[measured.counter]);
      // Two warps in turns, each of which finds what it loaded changed by the other's success.
      CHECK(measured.hardware >= least);
      if (!two_warps_meet) CHECK(measured.hardware == least);
    }
  }
  CHECK(explained.size() == 14);
  for (const Residual& residual : read_residuals(tests::tests_folder().string() + "/data/fidelity_residuals.csv")) {
    INFO(residual.difference.name);
    CHECK(explained.contains(residual.difference.name));
  }
}
