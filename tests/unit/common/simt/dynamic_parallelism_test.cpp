// Kernels that launch kernels, on the simulator: tests/device/nested_rdc.cu.
#include "tests/all_tools.h"
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

/// A kernel whose first argument is a log: what it says after the launch.
template <typename... T>
std::vector<int> log_of(Device& device, std::string_view kernel, const LaunchConfig& config, T... more) {
  const auto log = upload(device, std::vector<int>(4096), "log");
  launch(device, kernel, config, log, more...);
  const auto all = read_values<int>(device, log, 4096);
  return {all.begin() + 1, all.begin() + 1 + all[0]};
}

TEST_CASE("children run after their parent, stream by stream in order, and tail launches after all of them") {
  const auto device = simulator_with(nested_kernels);
  const auto errors = upload(*device, std::vector<int>(11, -1), "errors");
  CHECK(log_of(*device, "streams", one_thread, errors) == std::vector{1, 10, 20, 20, 30, 11, 90, 91});
  CHECK(read_values<int>(*device, errors, 11) == std::vector{0, 0, 0, 0, 0, 0, 400, 400, 1, 1, 0});
}

TEST_CASE("grids launch grids, each with all of its own before the next") {
  const auto device = simulator_with(nested_kernels);
  CHECK(log_of(*device, "tree", {{2, 1, 1}, {32, 1, 1}}, 2, 1) == std::vector{1, 11, 111, 112, 12, 121, 122});
}

TEST_CASE("tail launches loop without nesting") {
  const auto device = simulator_with(nested_kernels);
  const auto log = log_of(*device, "countdown", one_thread, 100);
  REQUIRE(log.size() == 101);
  CHECK(log.front() == 100);
  CHECK(log.back() == 0);
}

TEST_CASE("a reduction by tail launches sums, with any number of CPU threads and any schedule") {
  for (const int threads : {1, 4})
    for (const std::uint64_t schedule : {0, 7}) {
      SimulatorOptions options;
      options.threads = threads;
      options.schedule = schedule;
      const auto device = simulator_with(nested_kernels, options);
      const auto data = upload(*device, counted(1024), "data");
      launch(*device, "nested_sum", {{1, 1, 1}, {512, 1, 1}}, data, 1024);
      CHECK(read_values<int>(*device, data, 1)[0] == 1023 * 512);
      CHECK((*device->take_counters())["warps"] > 16);  // all grids count
    }
}

TEST_CASE("24 levels may be nested, the host's grid included") {
  const auto device = simulator_with(nested_kernels);
  const auto errors = upload(*device, std::vector<int>(26, -1), "errors");
  launch(*device, "descend", one_thread, errors, 1);
  std::vector<int> expected(26, 0);
  expected[0] = expected[25] = -1;
  expected[24] = 65;  // cudaErrorLaunchMaxDepthExceeded
  CHECK(read_values<int>(*device, errors, 26) == expected);
}

TEST_CASE("2048 launches may be pending, and the next is refused") {
  const auto device = simulator_with(nested_kernels);
  const auto errors = upload(*device, std::vector<int>(2, -1), "errors");
  CHECK(log_of(*device, "many", one_thread, errors, 3000).size() == 2048);
  CHECK(read_values<int>(*device, errors, 2) == std::vector{2048, 69});     // cudaErrorLaunchPendingCountExceeded
  CHECK(log_of(*device, "many", one_thread, errors, 2000).size() == 2000);  // none is pending any more
}

TEST_CASE("parameters of every size reach a child") {
  const auto device = simulator_with(nested_kernels);
  const auto out = upload(*device, std::vector<double>(20, 0.25), "out");
  launch(*device, "passes_all", one_thread, out);
  const auto got = read_values<double>(*device, out, 20);
  for (int i = 0; i < 20; ++i) CHECK(got[static_cast<std::size_t>(i)] == 100 * i + 0.25 + 1 - 5 + 0.5 + 2);
}

TEST_CASE("launches that cannot be are refused with the runtime's errors, and do not hinder the next") {
  const auto device = simulator_with(nested_kernels);
  const auto out = upload(*device, std::vector<int>(32, -1), "out");
  const auto errors = upload(*device, std::vector<int>(6, -1), "errors");
  launch(*device, "refused", one_thread, out, errors);
  CHECK(read_values<int>(*device, errors, 6) == std::vector{9, 9, 9, 9, 400, 0});
  CHECK(read_values<int>(*device, out, 32)[0] == 31);
}

TEST_CASE("copies and fills keep their place among a stream's kernels") {
  const auto device = simulator_with(nested_kernels);
  const auto data = upload(*device, std::vector<int>(16, 5), "data");
  const auto errors = upload(*device, std::vector<int>(4, -1), "errors");
  device->fill(data + 32, std::byte{0}, 4);
  launch(*device, "moves", one_thread, data, errors);
  CHECK(read_values<int>(*device, errors, 4) == std::vector{0, 0, 1, 1});  // local memory is not seen by others
  CHECK(read_values<int>(*device, data, 10) == std::vector{0x01010101, 0x01010101, 0x01010101, 0x01010101, 0x01010101,
                                                           0x01010101, 0x01010101, 0x01010101, 1, 7});
}

TEST_CASE("a kernel may ask about its device, the limits and its children") {
  const auto device = simulator_with(nested_kernels);
  const auto out = upload(*device, std::vector<int>(13, -1), "out");
  launch(*device, "queries", one_thread, out, std::uint64_t{0});
  CHECK(read_values<int>(*device, out, 13) == std::vector{0, 0, 1, 132, 1024, 8192, 0, 0, 1, 0, 1024, 0, 2});
  CHECK(device->take_output() == "cudaErrorInvalidValue: invalid argument\n");
}

TEST_CASE("a fault of a child is the launch's, and names the child's line") {
  const auto device = simulator_with(nested_kernels);
  const auto data = upload(*device, std::vector<int>(4), "data");
  CHECK_THAT(launch_error([&] { launch(*device, "launches_a_fault", one_thread, data); }),
             Matches("fault: out-of-bounds store of 4 bytes at 0x[0-9a-f]+, byte 4096 of 'data', which has 16 bytes "
                     "in faulty, block \\(0,0,0\\), thread \\(0,0,0\\) \\[tests/device/nested_rdc.cu:[0-9]+\\] .*"));
}

TEST_CASE("the sanitizer's tools follow children, cooperative grids and what kernels allocate") {
  SimulatorOptions options;
  options.sanitize = tests::all_tools();
  const auto device = make_simulator(gpu_profile("h200"), options);
  for (const auto& image : {nested_kernels, cooperative_kernels, runtime_kernels}) device->load(image);
  const auto data = upload(*device, counted(1024), "data"), more = upload(*device, std::vector<int>(1024), "more");
  launch(*device, "nested_sum", {{1, 1, 1}, {512, 1, 1}}, data, 1024);
  CHECK(read_values<int>(*device, data, 1)[0] == 1023 * 512);
  launch(*device, "rounds", {{4, 1, 1}, {64, 1, 1}, 0, true}, data, more, 3);
  launch(*device, "lists", one_warp, data, 2);
  std::string findings;
  for (const auto& finding : device->take_findings()) findings += finding.message + "\n";
  CHECK(findings == "");
}

TEST_CASE("what calls of the device runtime write for a kernel counts as written") {
  SimulatorOptions options;
  options.sanitize = {"initcheck"};
  const auto device = simulator_with(nested_kernels, options);
  const auto errors = upload(*device, std::vector<int>(16, -1), "errors");
  log_of(*device, "streams", one_thread, errors);  // cudaStreamCreateWithFlags, cudaEventCreateWithFlags
  const auto out = device->allocate("out", 64);
  launch(*device, "queries", one_thread, out, std::uint64_t{0});  // cudaMalloc, attributes, limits
  const auto data = upload(*device, std::vector<int>(16), "data");
  device->forget(data, 32);
  launch(*device, "moves", one_thread, data, errors);  // cudaMemsetAsync and cudaMemcpyAsync write these 32 bytes
  launch(*device, "nested_sum", {{1, 1, 1}, {4, 1, 1}}, data, 8);
  std::string findings;
  for (const auto& finding : device->take_findings()) findings += finding.tool + ": " + finding.message + "\n";
  CHECK(findings == "");
}

TEST_CASE("a chain of launches without an end is stopped by the budget") {
  SimulatorOptions options;
  options.budget = 1'000'000;
  const auto device = simulator_with(nested_kernels, options);
  const auto log = upload(*device, std::vector<int>(1 << 16), "log");
  CHECK_THAT(launch_error([&] { launch(*device, "countdown", one_thread, log, 1 << 30); }),
             StartsWith("hung: countdown did not end within 1000000 warp instructions"));
}

}  // namespace
}  // namespace gpulab::tests
