// Launches that an earlier one has made needless: what has changed is known, and nobody can tell that they were not
// run.
#include "common/device/simulator/repeated_launches.h"

#include "common/device/simulator/simulated.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

TEST_CASE("a change is one of the bytes that it reaches, and of no others") {
  MemoryVersions versions;
  versions.changed(100, {32, 64});
  const auto before = versions.now();
  versions.changed(100, {128, 32});
  CHECK(versions.has_changed(100, {0, 129}, before));
  CHECK(versions.has_changed(100, {159, 1}, before));
  CHECK(!versions.has_changed(100, {0, 128}, before));
  CHECK(!versions.has_changed(100, {160, 999}, before));
  CHECK(!versions.has_changed(100, {130, 0}, before));
  CHECK(!versions.has_changed(200, {0, 999}, before));
  CHECK(!versions.has_changed(100, {0, 999}, versions.now()));
  versions.all_changed();
  CHECK(versions.has_changed(200, {0, 1}, before));
}

TEST_CASE("of many changes of one allocation none is forgotten") {
  MemoryVersions versions;
  for (std::uint64_t k = 0; k < 1000; ++k) versions.changed(1, {64 * k, 32});
  std::uint32_t missed = 0;
  for (std::uint64_t k = 0; k < 1000; ++k) missed += versions.has_changed(1, {64 * k + 31, 1}, 0) ? 0u : 1u;
  CHECK(missed == 0);
  CHECK(!versions.has_changed(1, {64 * 999 + 32, 32}, 0));
  for (std::uint64_t k = 2; k < 100'000; ++k) versions.changed(k, {0, 1});
  CHECK(versions.has_changed(1, {0, 1}, 1));
}

RepeatedLaunches::Launch launch_of(std::uintptr_t kernel, std::uint32_t blocks, char parameter) {
  return {kernel, {.grid = {blocks, 1, 1}, .block = {32, 1, 1}}, {std::byte(parameter)}};
}

TEST_CASE("a launch is known again by kernel, shape and arguments, as long as its memory is as it left it") {
  MemoryVersions versions;
  RepeatedLaunches repeated(versions);
  simt::UsedMemory used;
  used.allocations = {{1000, {0, 64}, {}}, {2000, {}, {0, 32}}};
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
  versions.changed(2000, {0, 32});
  REQUIRE(repeated.ran(launch_of(1, 1, 'a'), used));
  CHECK(repeated.find(launch_of(1, 1, 'a')) != nullptr);
  CHECK(repeated.find(launch_of(2, 1, 'a')) == nullptr);
  CHECK(repeated.find(launch_of(1, 2, 'a')) == nullptr);
  CHECK(repeated.find(launch_of(1, 1, 'b')) == nullptr);
  versions.changed(1000, {64, 32});
  CHECK(repeated.find(launch_of(1, 1, 'a')) != nullptr);
  versions.changed(1000, {0, 4});
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
  REQUIRE(repeated.ran(launch_of(1, 1, 'a'), used));
  versions.changed(2000, {16, 4});
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
}

TEST_CASE("a launch that stores what it loads, or uses memory that the host sees, is none to be left out") {
  MemoryVersions versions;
  RepeatedLaunches repeated(versions);
  simt::UsedMemory used;
  REQUIRE(repeated.ran(launch_of(1, 1, 'a'), used));
  used.meets = true;
  CHECK(repeated.ran(launch_of(1, 1, 'a'), used) == nullptr);
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
  used.meets = false, used.of_host = true;
  CHECK(repeated.ran(launch_of(1, 1, 'a'), used) == nullptr);
}

TEST_CASE("counters, modelled time and memory are the same whether a repeated launch is run or not") {
  struct Left {
    std::vector<Counters> counters;
    std::vector<double> times;
    std::vector<int> out;
    std::uint64_t repeats = 0;
  };
  const auto run = [](bool repeats) {
    SimulatorOptions options;
    options.model = true;
    options.repeats = repeats;
    const auto device = make_simulator(gpu_profile("h200"), options);
    device->load(device_kernels);
    const auto out = upload(*device, std::vector<int>(100), "out");
    Left left;
    for (const int first : {7, 7, 8, 8, 7}) {
      (void)device->time([&] { launch(*device, "iota", {{4, 1, 1}, {32, 1, 1}}, out, 100, first); }, true);
      left.counters.push_back(device->take_counters().value());
      std::string why;
      left.times.push_back(device->take_model(why).value().ms);
      left.repeats += device->take_repeats();
    }
    left.out = read_values<int>(*device, out, 100);
    return left;
  };
  const Left with = run(true), without = run(false);
  CHECK(with.repeats == 2);
  CHECK(without.repeats == 0);
  CHECK(with.counters == without.counters);
  CHECK(with.times == without.times);
  CHECK(with.out == without.out);
  CHECK(with.out[99] == 7 + 99);
}

}  // namespace
}  // namespace gpulab::tests
