// Independent thread scheduling as on Volta and later, and deadlocks that name where threads wait:
// tests/device/forward.cu.
#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr LaunchConfig threads(std::uint32_t count) { return {{1, 1, 1}, {count, 1, 1}, 0, false}; }
constexpr LaunchConfig blocks(std::uint32_t count) { return {{count, 1, 1}, {32, 1, 1}, 0, false}; }

std::unique_ptr<Device> device_for(std::uint64_t schedule = 0, std::uint64_t budget = 100'000'000) {
  SimulatorOptions options;
  options.schedule = schedule;
  options.budget = budget;
  return simulator_with(forward_kernels, options);
}

/// What a kernel with one output of `count` zeros wrote.
std::vector<int> output_of(std::string_view kernel, const LaunchConfig& config, std::size_t count) {
  const auto device = device_for();
  const auto out = upload(*device, std::vector<int>(count), "out");
  launch(*device, kernel, config, out);
  return read_values<int>(*device, out, count);
}
std::string error_of_kernel(std::string_view kernel, const LaunchConfig& config, std::uint64_t budget = 1'000'000) {
  const auto device = device_for(0, budget);
  const auto out = upload(*device, std::vector<int>(256), "out");
  return launch_error([&] { launch(*device, kernel, config, out); });
}

TEST_CASE("lanes of one warp wait for their neighbours, one after the other") {
  for (const std::uint64_t schedule : {0, 3}) {
    const auto device = device_for(schedule);
    const auto token = upload(*device, std::vector<int>{0}, "token");
    const auto out = upload(*device, std::vector<int>(32), "out");
    launch(*device, "lanes_in_turn", threads(32), token, out);
    for (int t = 0; t < 32; ++t)
      CHECK(read_values<int>(*device, out + 4 * static_cast<unsigned>(t), 1)[0] == t * (t + 1) / 2);
  }
}

TEST_CASE("a lock that lanes try for excludes the others") {
  const auto device = device_for();
  const auto lock = upload(*device, std::vector<int>{0}, "lock"),
             counter = upload(*device, std::vector<int>{0}, "counter");
  const auto tries = upload(*device, std::vector<int>{0}, "tries");
  launch(*device, "try_lock", {{3, 1, 1}, {64, 1, 1}}, lock, counter, tries);
  CHECK(read_values<int>(*device, counter, 1)[0] == 3 * 3 * 64);
  CHECK(read_values<int>(*device, tries, 1)[0] >= 3 * 3 * 64);
}

TEST_CASE("producers and consumers share a warp") {
  const auto device = device_for();
  const auto box = upload(*device, std::vector<int>(32), "box"), out = upload(*device, std::vector<int>(32), "out");
  launch(*device, "producer_consumer", threads(32), box, out, 5);
  CHECK(read_values<int>(*device, out, 16) == std::vector<int>(16, 1 + 3 + 5 + 7 + 9));
}

TEST_CASE("a barrier in a branch meets one that the other lanes reach later") {
  const auto got = output_of("barrier_or_not", threads(64), 64);
  for (int t = 0; t < 64; ++t) CHECK(got[static_cast<std::size_t>(t)] == t + 100);
}

TEST_CASE("__syncwarp meets itself at three places") {
  const auto got = output_of("syncwarps_apart", threads(32), 32);
  for (int t = 0; t < 32; ++t) {
    const int other = (t + 16) % 32;
    CHECK(got[static_cast<std::size_t>(t)] == (other < 8 ? 1 : other < 20 ? 2 : 3));
  }
}

TEST_CASE("lanes that have left are waited for by no barrier") {
  const auto got = output_of("leave_early", threads(64), 64);
  for (int t = 0; t < 64; ++t) CHECK(got[static_cast<std::size_t>(t)] == (t % 4 == 3 ? 0 : t % 4 == 2 ? 24 : 124));
}

TEST_CASE("warps of a block take turns through shared memory") {
  CHECK(output_of("warps_in_turn", threads(256), 8) == counted(8));
}

TEST_CASE("a barrier counts warps: half of one is one") {
  CHECK(output_of("partial_warp_barrier", threads(48), 48)[0] > 1);
  const auto got = output_of("arrive_and_sync", threads(96), 96);
  for (int t = 32; t < 96; ++t) CHECK(got[static_cast<std::size_t>(t)] == 42);
}

TEST_CASE("blocks look back over their predecessors, also in another schedule") {
  for (const std::uint64_t schedule : {0, 1, 2}) {
    const auto device = device_for(schedule);
    const auto in = upload(*device, counted(3000), "in"), out = upload(*device, std::vector<int>(3000), "out");
    const auto states = upload(*device, std::vector<unsigned>(3000), "states");
    launch(*device, "look_back", blocks(3000), in, states, out);
    const auto got = read_values<int>(*device, out, 3000);
    for (int b = 0; b < 3000; ++b) REQUIRE(got[static_cast<std::size_t>(b)] == b * (b + 1) / 2);
  }
}

TEST_CASE("blocks queue by atomics alone") {
  const auto device = device_for();
  const auto ticket = upload(*device, std::vector<unsigned>(2), "tickets");
  const auto out = upload(*device, std::vector<int>(500, -1), "out");
  launch(*device, "ticket_queue", blocks(500), ticket, ticket + 4, out);
  auto got = read_values<int>(*device, out, 500);
  std::sort(got.begin(), got.end());
  CHECK(got == counted(500));
}

TEST_CASE("a deadlock within a warp names both lines and how many threads wait") {
  CHECK(error_of_kernel("wait_for_lane", threads(32)) ==
        "hung: deadlock in wait_for_lane, block (0,0,0): 5 threads wait at tests/device/forward.cu:156 (warp "
        "synchronisation), 27 at tests/device/forward.cu:158 (barrier 2) [tests/device/forward.cu:158] every thread of "
        "the block, or of the member mask, has to come to the same barrier");
}

TEST_CASE("shuffles and votes that lanes of one warp reach at two places are an error that names both") {
  CHECK(
      error_of_kernel("shuffles_apart", threads(32)) ==
      "fault: lanes of one warp wait for each other at different instructions: tests/device/forward.cu:165 "
      "(shfl.sync.bfly.b32, lanes 0xaaaaaaaa of mask 0xffffffff) and tests/device/forward.cu:167 (shfl.sync.down.b32, "
      "lanes 0x55555555 of mask 0xffffffff), in shuffles_apart, block (0,0,0), warp 0 [tests/device/forward.cu:165] "
      "all "
      "lanes of the mask have to come to the same shuffle or vote: move it out of the branch");
  CHECK(
      error_of_kernel("votes_of_other_masks", threads(32)) ==
      "fault: lanes of one warp wait for each other at different instructions: tests/device/forward.cu:175 "
      "(vote.sync.all.pred, lanes 0xffff0000 of mask 0xffff0001) and tests/device/forward.cu:173 (vote.sync.any.pred, "
      "lanes 0x0000ffff of mask 0xffffffff), in votes_of_other_masks, block (0,0,0), warp 0 "
      "[tests/device/forward.cu:175] lanes that shuffle or vote together have to pass the same mask");
}

TEST_CASE("a deadlock of a block names every line where threads wait, and how many") {
  CHECK(
      error_of_kernel("barriers_apart", threads(96)) ==
      "hung: deadlock in barriers_apart, block (0,0,0): 40 threads wait at tests/device/forward.cu:180 (barrier 4), 56 "
      "at tests/device/forward.cu:182 (barrier 5) [tests/device/forward.cu:180] every thread of the block, or of the "
      "member mask, has to come to the same barrier");
}

TEST_CASE("a block that waits for one that is not resident hangs, and the line is named") {
  // A T4 holds 16 blocks on each of its 40 SMs.
  const auto run = [](std::uint32_t count) {
    SimulatorOptions options;
    options.budget = 20'000'000;
    const auto device = make_simulator(gpu_profile("t4"), options);
    device->load(forward_kernels);
    const auto flag = upload(*device, std::vector<int>(1), "flag");
    return launch_error([&] { launch(*device, "wait_for_last_block", blocks(count), flag); });
  };
  CHECK(run(640) == "none");
  CHECK(run(641) ==
        "hung: wait_for_last_block never ends: 20480 threads wait at tests/device/forward.cu:189, and no thread of the "
        "launch will "
        "change what they wait for; 1 of 641 blocks cannot start while 640 wait "
        "[tests/device/forward.cu:189] a barrier of the whole grid needs all its blocks on the GPU at once: launch at "
        "most 640 of this kind, each working on several pieces, or use cudaLaunchCooperativeKernel and grid.sync(), "
        "which refuse more");
}

TEST_CASE("a spin that cannot end is named as that, with every line where threads are") {
  CHECK(
      error_of_kernel("crossed_locks", threads(64)) ==
      "hung: crossed_locks never ends: 2 threads wait at tests/device/forward.cu:200, and no thread of the launch will "
      "change what they wait for [tests/device/forward.cu:200] a lock has to be given back on every way out (return, "
      "break, continue), and a flag be set by a thread that does not wait itself");
}

TEST_CASE("a spin that counts what it waits is stopped by the budget") {
  CHECK(
      error_of_kernel("waits_and_counts", threads(32)) ==
      "hung: waits_and_counts did not end within 1000000 warp instructions: 32 threads at "
      "tests/device/forward.cu:206 [tests/device/forward.cu:206] look for a loop that cannot end, or waits for a lock "
      "that nobody releases; or raise --budget");
}

TEST_CASE("blocks that wait long for what another one does at last are waited for") {
  CHECK(error_of_kernel("one_looks_at_the_lock_now_and_then", blocks(4)) == "none");
}

}  // namespace
}  // namespace gpulab::tests
