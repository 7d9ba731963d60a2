#include "runner/calibrate/timing_values.h"

#include <fstream>
#include <set>

#include "common/device/simulator/simulated.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/timing/gpu_timing.h"
#include "common/text.h"
#include "runner/calibrate/measuring.h"
#include "runner/calibrate/profile_document.h"
#include "tests/catch.h"
#include "tests/folder.h"

using namespace gpulab;
using namespace gpulab::calibrate;

namespace {

Place place_of(const std::string& gpu) { return {132, static_cast<double>(gpu_profile(gpu).l2_bytes), 8e10, 2}; }

/// The row of tests/data/timing_probes_GPU.csv that is of this probe; launches behind one another have names of their
/// own there.
bool is_of(const std::vector<std::string>& row, const Probe& probe) {
  const auto number = [&](std::size_t i) { return std::stoull(row[i]); };
  if (probe.host) return row[0] == "host_launch" && number(3) == probe.launches;
  if (probe.name == "spin")
    return row[0] == (probe.graph ? "graph" : "launches") && number(3) == probe.launches && number(4) == probe.n;
  return row[0] == probe.name && number(1) == probe.grid && number(2) == probe.block && number(3) == probe.n &&
         number(4) == probe.stride && number(5) == probe.elements && (row[6] == "1") == probe.warm;
}

Readings recorded(const std::string& gpu, const std::vector<Probe>& probes) {
  std::ifstream file(tests::tests_folder() / "data" / ("timing_probes_" + gpu + ".csv"));
  REQUIRE(file);
  Readings readings;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    const auto row = split(line, ',');
    for (const Probe& probe : probes)
      if (is_of(row, probe)) readings[probe.id] = {std::stod(row[8]), std::stod(row[9])};
  }
  return readings;
}

const simt::TimingField& field_of(std::string_view name) {
  for (const auto fields : {simt::timing_fields(), simt::further_timing_fields()})
    for (const auto& field : fields)
      if (field.name == name) return field;
  FAIL(name);
  return simt::timing_fields().front();
}

}  // namespace

TEST_CASE("of what the probes took on an H100 and an H200 calibrate makes the numbers that the model has of them") {
  for (const std::string gpu : {"h100", "h200"}) {
    const auto place = place_of(gpu);
    const auto probes = probes_for(place);
    const auto readings = recorded(gpu, probes);
    const auto at = measured(place, probes, readings);
    std::size_t compared = 0;
    for (const TimingRule& rule : timing_rules()) {
      if (!at.has(rule.probes)) continue;  // two probes are of an H100 alone
      CAPTURE(gpu, rule.field);
      const double known = (*simt::gpu_timing(gpu)).*field_of(rule.field).value;
      CHECK(rule.value(at) == Catch::Detail::Approx(known).epsilon(0.09));
      ++compared;
    }
    CHECK(compared >= timing_rules().size() - 2);
  }
}

TEST_CASE("every number of calibrate is one of the model's, and every probe serves one") {
  std::set<std::string_view> used{"chain_fma_f32"};
  for (const TimingRule& rule : timing_rules()) {
    (void)field_of(rule.field);
    used.insert(rule.probes.begin(), rule.probes.end());
  }
  for (const Probe& probe : probes_for(place_of("h200"))) CHECK(used.contains(probe.id));
}

TEST_CASE("on a small GPU what is to lie in L2 does, and what is not does not") {
  const double l2 = 4 << 20;
  for (const Probe& probe : probes_for({40, l2, 1.6e10, 1})) {
    CAPTURE(probe.id);
    if (probe.id == "gather_4.l2" || probe.id == "read_4x1.more")
      CHECK(static_cast<double>(probe.elements) * 4 <= l2 / 2 + (2 << 20));
    if (probe.id == "gather_4.dram") CHECK(static_cast<double>(probe.elements) * 4 > 100 * l2);
    CHECK(static_cast<double>(probe.elements) * 4 < 1.6e10 / 2);
  }
}

TEST_CASE("the simulator runs the probes, and each stays within its memory") {
  SimulatorOptions options;
  options.sanitize = {"memcheck"};
  const auto device = make_simulator(gpu_profile("h200"), options);
  std::vector<Probe> small;
  for (Probe probe : probes_for({1, 1 << 20, 1e9, 1})) {
    if (probe.elements > 1 << 22 || probe.grid > 64) continue;  // the same kernels by more blocks
    probe.n = std::min(probe.n, 4U);
    probe.launches = 1;
    small.push_back(probe);
  }
  std::vector<std::string> begun;
  const auto all = measure(*device, small, [&](std::size_t, const Probe& probe) { begun.push_back(probe.id); });
  CHECK(begun.size() == small.size());
  for (const auto& problem : all.problems) CHECK_THAT(problem, ContainsSubstring("no time was measured"));
  CHECK(device->take_findings().empty());
}

TEST_CASE("a probe that fails is a problem, and the others are measured") {
  const auto device = make_simulator(gpu_profile("h200"));
  std::vector<Probe> probes{{.id = "large", .name = "empty", .grid = 1, .block = 2048},
                            {.id = "host", .name = "empty", .host = true}};
  const auto all = measure(*device, probes, [](std::size_t, const Probe&) {});
  REQUIRE(all.problems.size() == 1);
  CHECK_THAT(all.problems[0], ContainsSubstring("large: "));
  CHECK(all.readings.contains("host"));
}

TEST_CASE("a profile of what was measured is one that --profile takes, and says of each number where it is from") {
  const auto place = place_of("h200");
  const auto probes = probes_for(place);
  Measurements measurements{recorded("h200", probes), {}};
  const DeviceInfo gpu{"gpu", "NVIDIA Something", "", 9, 0, 132};
  const std::vector<DeviceLimit> limits{{"sm_count", 132}, {"l2", 62914560}, {"max_threads_per_sm", 2048}};
  const auto profile = measured_profile(gpu, limits, 5e10, place, probes, measurements);
  const auto origin = [&](const std::vector<Value>& values, std::string_view field) {
    for (const Value& one : values)
      if (one.field == field) return one.origin;
    return std::string("absent");
  };
  CHECK(origin(profile.fields, "sm_count") == "driver");
  CHECK(origin(profile.fields, "fp32_lanes_per_sm") == "data_sheet");
  CHECK(origin(profile.fields, "fp32") == "measured");
  CHECK(origin(profile.fields, "registers_per_sm") == "family");
  CHECK(origin(profile.fields, "nvlink") == "absent");
  CHECK(origin(profile.timing, "dram_latency") == "measured");
  CHECK(origin(profile.timing, "l2_spread") == "family");
  const auto& added = add_gpu_profile("/somewhere/mine.json", profile_json(profile));
  CHECK(added.id == "mine.json");
  CHECK(added.memory_bytes == 50'000'000'000);
  CHECK(added.memory_bandwidth_gbs == Catch::Detail::Approx(4732).epsilon(0.01));
  const auto* timing = simt::gpu_timing("mine.json");
  REQUIRE(timing != nullptr);
  CHECK_FALSE(timing->validated);
  CHECK(timing->dram_latency == Catch::Detail::Approx(657.6).epsilon(0.001));
  CHECK_THAT(profile_text(profile, 80), ContainsSubstring("36 of 50 numbers were measured here"));
}

TEST_CASE("a GPU that has a profile keeps its data sheet, and a number that nothing can be is another GPU's") {
  const auto place = place_of("h200");
  const auto probes = probes_for(place);
  Measurements measurements{recorded("h200", probes), {}};
  measurements.readings["chain_membar_gl"].cycles = 0;
  const auto profile = measured_profile({"gpu", "NVIDIA H200", "h200", 9, 0, 132}, {}, 0, place, probes, measurements);
  for (const Value& one : profile.fields)
    if (one.field == "memory_bandwidth") CHECK((one.origin == "data_sheet" && one.value == 4800));
  for (const Value& one : profile.timing)
    if (one.field == "fence_latency") CHECK(one.origin == "family");
  REQUIRE(profile.measurements.problems.size() == 1);
  CHECK(profile.measurements.problems[0] == "fence_latency would be 0, which nothing can be");
}

TEST_CASE("an H200 from an H100's numbers and both data sheets has its own memory's bandwidth") {
  const auto profile = estimated_profile(gpu_profile("h200"), "h100");
  for (const Value& one : profile.timing) {
    if (one.field == "dram_bandwidth") CHECK((one.origin == "data_sheet" && one.value == Catch::Detail::Approx(4656)));
    if (one.field == "shared_latency") CHECK((one.origin == "family" && one.value == 23));
  }
  CHECK_THROWS_AS(estimated_profile(gpu_profile("h200"), "t4"), Error);
}
