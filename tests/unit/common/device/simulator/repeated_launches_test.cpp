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

struct Memory {
  simt::GlobalMemory global;
  MemoryVersions versions;
  RepeatedLaunches repeated{global, versions};
  std::uint64_t in = global.allocate("in", 256), out = global.allocate("out", 256);
};

TEST_CASE("a launch is known again by kernel, shape and arguments, as long as its memory is as it left it") {
  Memory memory;
  auto& [global, versions, repeated, in, out] = memory;
  simt::UsedMemory used;
  used.allocations = {{in, {0, 64}, {}}, {out, {}, {0, 32}}};
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
  versions.changed(out, {0, 32});
  REQUIRE(repeated.ran(launch_of(1, 1, 'a'), used));
  CHECK(repeated.find(launch_of(1, 1, 'a')) != nullptr);
  CHECK(repeated.find(launch_of(2, 1, 'a')) == nullptr);
  CHECK(repeated.find(launch_of(1, 2, 'a')) == nullptr);
  CHECK(repeated.find(launch_of(1, 1, 'b')) == nullptr);
  versions.changed(in, {64, 32});
  CHECK(repeated.find(launch_of(1, 1, 'a')) != nullptr);
  versions.changed(in, {0, 4});
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
  REQUIRE(repeated.ran(launch_of(1, 1, 'a'), used));
  versions.changed(out, {16, 4});
  CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
}

TEST_CASE("a launch that stores what it loads is known again by the bytes that it finds") {
  Memory memory;
  auto* there = reinterpret_cast<int*>(memory.global.host(memory.in, 4));
  simt::UsedMemory used;
  used.allocations = {{memory.in, {0, 32}, {0, 32}, true}, {memory.out, {}, {0, 32}}};
  const auto launch = launch_of(1, 1, 'a');
  const auto runs = [&](int before, int after) {
    *there = before;
    if (memory.repeated.find(launch)) return false;
    *there = after;
    memory.versions.changed(memory.in, {0, 32});
    memory.versions.changed(memory.out, {0, 32});
    CHECK(memory.repeated.ran(launch, used) != nullptr);
    return true;
  };
  CHECK(runs(0, 64));
  CHECK(runs(0, 64));
  CHECK(!runs(0, 0));
  CHECK(*there == 64);
  const auto since = memory.versions.now();
  CHECK(!runs(0, 0));
  CHECK(memory.versions.has_changed(memory.in, {0, 4}, since));
  memory.versions.changed(memory.out, {0, 4});  // what it stores alone has to be as it left it
  CHECK(runs(0, 64));
  CHECK(!runs(0, 0));
  CHECK(runs(1, 65));
  CHECK(!runs(1, 0));
  CHECK(*there == 65);
}

TEST_CASE(
    "a launch that finds other bytes each time is no longer compared, and memory of the host's is none to rely on") {
  Memory memory;
  auto& [global, versions, repeated, in, out] = memory;
  auto* there = reinterpret_cast<int*>(global.host(in, 4));
  simt::UsedMemory used;
  used.allocations = {{in, {0, 32}, {0, 32}, true}};
  for (const int before : {0, 1, 2, 3, 3, 3}) {
    *there = before;
    CHECK(repeated.find(launch_of(1, 1, 'a')) == nullptr);
    CHECK(repeated.ran(launch_of(1, 1, 'a'), used) != nullptr);
  }
  used.of_host = true;
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
