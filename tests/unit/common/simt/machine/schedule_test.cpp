// `--schedule SEED`: another interleaving of blocks, warps and splits, the same in each run (tests/device/schedule.cu).
#include "common/simt/machine/schedule.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

constexpr LaunchConfig grid(std::uint32_t blocks, std::uint32_t threads) {
  return {{blocks, 1, 1}, {threads, 1, 1}, 0, false};
}

std::unique_ptr<Device> scheduled(std::uint64_t seed, int threads = 1, std::string_view profile = "h200") {
  SimulatorOptions options;
  options.schedule = seed;
  options.threads = threads;
  auto device = make_simulator(gpu_profile(profile), options);
  device->load(schedule_kernels);
  return device;
}

std::vector<int> order_of_blocks(std::uint64_t seed, std::uint32_t blocks, int threads = 1) {
  const auto device = scheduled(seed, threads);
  const auto ticket = upload(*device, std::vector<int>(1), "ticket");
  const auto order = upload(*device, std::vector<int>(blocks, -1), "order");
  launch(*device, "blocks_by_ticket", grid(blocks, 64), ticket, order);
  return read_values<int>(*device, order, blocks);
}

std::vector<int> order_of_warps(std::uint64_t seed, int threads = 1) {
  const auto device = scheduled(seed, threads);
  const auto order = upload(*device, std::vector<int>(2 * 8, -1), "order");
  launch(*device, "warps_by_ticket", grid(2, 256), order);
  return read_values<int>(*device, order, 16);
}

std::vector<int> order_of_splits(std::uint64_t seed) {
  const auto device = scheduled(seed);
  const auto order = upload(*device, std::vector<int>(4, -1), "order");
  launch(*device, "splits_by_ticket", grid(1, 32), order);
  return read_values<int>(*device, order, 4);
}

bool is_permutation_of_counted(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  return order == counted(static_cast<int>(order.size()));
}

TEST_CASE("without a schedule blocks and warps come in their natural order") {
  CHECK(order_of_blocks(0, 100) == counted(100));
  // The warp that comes to the barrier last goes on at once.
  CHECK(order_of_warps(0) == std::vector{7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("blocks start in another order with each seed, with each seed always in the same") {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto order = order_of_blocks(seed, 40);
    CHECK(is_permutation_of_counted(order));
    CHECK(order_of_blocks(seed, 40, 3) == order);
    orders.insert(order);
  }
  CHECK(orders.size() == 20);
}

TEST_CASE("twenty seeds run two blocks both ways round") {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) orders.insert(order_of_blocks(seed, 2));
  CHECK(orders.size() == 2);
}

TEST_CASE("warps of a block go on in another order with each seed, and in each block") {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto order = order_of_warps(seed);
    const std::vector first(order.begin(), order.begin() + 8), second(order.begin() + 8, order.end());
    CHECK(is_permutation_of_counted(first));
    CHECK(is_permutation_of_counted(second));
    CHECK(order_of_warps(seed, 2) == order);
    orders.insert(first);
    orders.insert(second);
  }
  CHECK(orders.size() > 35);
}

TEST_CASE("splits of a diverged warp go on in every order") {
  std::set<int> first;
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 0; seed <= 200; ++seed) {
    const auto order = order_of_splits(seed);
    CHECK(is_permutation_of_counted(order));
    CHECK(order_of_splits(seed) == order);
    first.insert(order[0]);
    orders.insert(order);
  }
  CHECK(first.size() == 4);
  CHECK(orders.size() > 8);
}

TEST_CASE("with some seeds blocks run at the same time, with some one after the other") {
  int overlapping = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto device = scheduled(seed);
    const auto ticket = upload(*device, std::vector<int>(1), "ticket");
    const auto start = upload(*device, std::vector<int>(4), "start"), end = upload(*device, std::vector<int>(4), "end");
    launch(*device, "starts_and_ends", grid(4, 32), ticket, start, end, 200);
    const auto from = read_values<int>(*device, start, 4), to = read_values<int>(*device, end, 4);
    bool overlap = false;
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) overlap |= from[a] < from[b] && from[b] < to[a];
    overlapping += overlap;
  }
  CHECK(overlapping > 4);
  CHECK(overlapping < 20);
}

TEST_CASE("a schedule shows what the order does to a floating-point sum, and to the last plain write") {
  const auto run = [](std::uint64_t seed, int threads) {
    const auto device = scheduled(seed, threads);
    const auto sum = upload(*device, std::vector<float>(1), "sum");
    const auto last = upload(*device, std::vector<int>(1), "last");
    launch(*device, "sum_by_atomics", grid(3000, 32), sum, last);
    return std::pair(read_values<float>(*device, sum, 1)[0], read_values<int>(*device, last, 1)[0]);
  };
  float natural = 0;
  for (int b = 0; b < 3000; ++b) natural += 1.0f / static_cast<float>(3 * b + 1);
  CHECK(run(0, 1) == std::pair(natural, 2999));
  CHECK(run(0, 4).first == natural);
  std::set<float> sums;
  std::set<int> last;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto got = run(seed, 1);
    CHECK(run(seed, 3) == got);
    sums.insert(got.first);
    last.insert(got.second);
  }
  CHECK(sums.size() > 3);
  CHECK(last.size() > 5);
}

TEST_CASE("with some seeds a plain increment is torn: another warp comes between its load and its store") {
  const auto run = [](std::uint64_t seed, LaunchConfig config) {
    const auto device = scheduled(seed);
    const auto count = upload(*device, std::vector<int>(1), "count");
    launch(*device, "plain_increments", config, count);
    return read_values<int>(*device, count, 1)[0];
  };
  for (const LaunchConfig& config : {grid(1, 256), grid(8, 32)}) {
    CHECK(run(0, config) == 8);
    std::set<int> counts;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      counts.insert(run(seed, config));
      CHECK(run(seed, config) == run(seed, config));
    }
    CHECK(*counts.begin() > 0);
    CHECK(*counts.begin() < 8);
  }
}

TEST_CASE("a schedule keeps as many blocks as the modelled GPU holds, where they wait for each other") {
  for (std::uint64_t seed = 0; seed <= 5; ++seed) {
    const auto device = scheduled(seed, 1, "t4");  // 40 SMs, 1024 threads each
    const auto words = upload(*device, std::vector<int>(3), "words");
    launch(*device, "blocks_meet", grid(100, 1024), words, words + 4, words + 8, 40);
    CHECK(read_values<int>(*device, words, 3) == std::vector{100, 0, 40});
  }
}

TEST_CASE("a schedule counts what the natural order counts") {
  const auto run = [](std::uint64_t seed) {
    SimulatorOptions options;
    options.schedule = seed;
    const auto device = simulator_with(simt_kernels, options);
    const auto out = upload(*device, std::vector<int>(1024), "out");
    launch(*device, "barrier_in_branches", grid(16, 64), out);
    return *device->take_counters();
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) CHECK(run(seed) == run(0));
}

TEST_CASE("turns are of every length up to the longest, which may come, too") {
  simt::Schedule choices(7, 0);
  std::set<std::int64_t> lengths;
  for (int i = 0; i < 1000; ++i) lengths.insert(choices.turn(1 << 9));
  CHECK(lengths == std::set<std::int64_t>{1, 2, 4, 8, 16, 32, 64, 128, 256, 512});
}

TEST_CASE("streams of a seed choose differently, seeds do, and none chooses nothing") {
  const auto ten = [](simt::Schedule choices) {
    std::vector<int> order = counted(10);
    choices.shuffle(order);
    return order;
  };
  CHECK(ten({1, 0}) == ten({1, 0}));
  CHECK(ten({1, 0}) != ten({1, 1}));
  CHECK(ten({1, 0}) != ten({2, 0}));
  CHECK(simt::Schedule(1, 0));
  CHECK_FALSE(simt::Schedule(0, 5));
  CHECK_FALSE(simt::Schedule());
}

}  // namespace
}  // namespace gpulab::tests
