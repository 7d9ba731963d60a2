// Cooperative launches on the simulator: tests/device/cooperative.cu.
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr LaunchConfig cooperative(std::uint32_t blocks, std::uint32_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}, 0, true};
}

TEST_CASE("a grid-wide barrier holds every block until all have come") {
  for (const std::uint64_t schedule : {0, 1, 2}) {
    SimulatorOptions options;
    options.schedule = schedule;
    const auto device = simulator_with(cooperative_kernels, options);
    const int n = 40 * 96;
    const auto a = upload(*device, counted(n), "a"), b = upload(*device, std::vector<int>(n), "b");
    launch(*device, "rounds", cooperative(40, 96), a, b, 6);
    const auto got = read_values<int>(*device, a, n);
    for (int i = 0; i < n; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == (i + 6 * 96) % n + 6);
    launch(*device, "rounds", cooperative(40, 96), a, b, 1);  // the barrier is ready again
    CHECK(read_values<int>(*device, b, 1)[0] == (0 + 7 * 96) % n + 7);
  }
}

TEST_CASE("a cooperative grid is as large as what the modelled GPU holds at once, and no larger") {
  const auto device = simulator_with(cooperative_kernels);  // an H200: 132 SMs of 2048 threads
  const auto a = upload(*device, std::vector<int>(265 * 1024), "a"),
             b = upload(*device, std::vector<int>(265 * 1024), "b");
  launch(*device, "rounds", cooperative(264, 1024), a, b, 2);
  CHECK(read_values<int>(*device, a, 1)[0] == 2);
  CHECK_THROWS_WITH(launch(*device, "rounds", cooperative(265, 1024), a, b, 2),
                    "a cooperative grid is resident at once: at most 264 blocks of 1024x1x1, not 265");
}

TEST_CASE("a grid that was not launched cooperatively is not valid, and its barrier traps") {
  const auto device = simulator_with(cooperative_kernels);
  const auto out = upload(*device, std::vector<int>{-1}, "out");
  launch(*device, "is_valid", cooperative(2, 32), out);
  CHECK(read_values<int>(*device, out, 1)[0] == 1);
  launch(*device, "is_valid", one_warp, out);
  CHECK(read_values<int>(*device, out, 1)[0] == 0);
  CHECK(launch_error([&] { launch(*device, "sync_grid", one_warp, out); }) ==
        "fault: grid.sync() in a launch that is not cooperative in sync_grid, block (0,0,0), thread (0,0,0) "
        "[tests/device/cooperative.cu:22] launch the kernel by cudaLaunchCooperativeKernel, not by <<<>>>");
}

TEST_CASE("a grid whose blocks do not all come to its barrier hangs, and the line is named") {
  SimulatorOptions options;
  options.budget = 1'000'000;
  const auto device = simulator_with(cooperative_kernels, options);
  const auto out = upload(*device, std::vector<int>{-1}, "out");
  CHECK_THAT(launch_error([&] { launch(*device, "grid_misses_one", cooperative(3, 32), out); }),
             StartsWith("hung: grid_misses_one never ends: 2 threads wait at tests/device/cooperative.cu:29, 62 at "
                        "tests/device/cooperative.cu:29 (barrier 0), and no thread of the launch will "
                        "change what they wait "
                        "for [tests/device/cooperative.cu:29] all threads of all blocks have to call grid.sync(), "
                        "equally often"));
}

TEST_CASE("tiles of a block, from 4 threads to 128, coalesced and labelled groups work together") {
  const auto device = simulator_with(cooperative_kernels);
  const auto out = upload(*device, std::vector<int>(5 * 256), "out");
  launch(*device, "tiles", {{1, 1, 1}, {256, 1, 1}}, out);
  const auto got = read_values<int>(*device, out, 5 * 256);
  for (int t = 0; t < 256; ++t) {
    const auto at = [&](int k) { return got[256 * static_cast<std::size_t>(k) + static_cast<std::size_t>(t)]; };
    const int lane = t % 32, first = t - lane;
    CHECK(at(0) == 4 * (t / 4 * 4) + 6);
    CHECK(at(1) == first + 3 + (first == 32));
    CHECK(at(2) == t / 128 * 128 + (t + 64) % 128);
    int size = 0, rank = 0;
    for (int k = first; k < first + 32; ++k) {
      size += k % 3 == 1;
      rank += k % 3 == 1 && k < t;
    }
    CHECK(at(3) == (t % 3 == 1 ? 100 * size + rank : 0));
    CHECK(at(4) == 16);
  }
}

}  // namespace
}  // namespace gpulab::tests
