// The fidelity suite on the simulator: every kernel does what the table says, and counts what the definitions in
// common/counters.h make of it, worked out by brute force.
#include <algorithm>
#include <set>
#include <string>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "tests/catch.h"
#include "tests/fidelity/model.h"
#include "tests/fidelity/suite.h"

using namespace gpulab;
using namespace gpulab::fidelity;

namespace {

std::unique_ptr<Device> loaded_simulator() {
  auto device = make_simulator(gpu_profile("h200"));
  for (const auto& module : suite_modules()) device->load(module);
  return device;
}

std::uint64_t counted(const Counters& counters, const std::string& name) {
  if (name == "global_distinct_bytes_loaded") return counters["global_distinct_bytes_loaded"];
  if (name == "global_distinct_bytes_stored") return counters["global_distinct_bytes_stored"];
  if (const auto* info = find_counter(name)) return info->count(counters).value();
  FAIL("no counter " << name);
  return 0;
}

constexpr const char* kFromAddresses[] = {
    "global_load_requests",         "global_store_requests",        "global_load_sectors",
    "global_store_sectors",         "global_bytes_loaded",          "global_bytes_stored",
    "global_distinct_bytes_loaded", "global_distinct_bytes_stored", "shared_load_requests",
    "shared_store_requests",        "shared_load_wavefronts",       "shared_store_wavefronts",
    "shared_load_bank_conflicts",   "shared_store_bank_conflicts",  "local_load_sectors",
    "local_store_sectors",          "global_atomic_requests",       "shared_atomic_requests",
    "global_atomic_max_lanes",      "shared_atomic_max_lanes"};

}  // namespace

TEST_CASE("kernels of the fidelity suite do what its table says, and count what its addresses make") {
  const auto device = loaded_simulator();
  for (const Case& one : all_cases()) {
    INFO(one.name());
    const Expected right = expected(one);
    const auto after = launch(*device, one);
    for (std::size_t i = 0; i < after.size(); ++i) CHECK(after[i] == right.buffers[i]);
    const Counters counters = *device->take_counters();
    for (const char* name : kFromAddresses) {
      INFO(name);
      const auto found = right.counters.find(name);
      CHECK(counted(counters, name) == (found == right.counters.end() ? 0 : found->second));
    }
  }
}

TEST_CASE("the fidelity suite has more than 60 kernels, and each of its cases a name of its own") {
  std::set<std::string> kernels, names;
  for (const Case& one : all_cases()) {
    kernels.insert(one.kernel);
    INFO(one.name());
    CHECK(names.insert(one.name()).second);
  }
  CHECK(kernels.size() > 60);
}
