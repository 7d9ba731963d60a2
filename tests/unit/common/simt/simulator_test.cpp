// What a SIMT machine must do, seen on the simulator: tests/device/simt.cu holds the kernels.

#include <fmt/format.h>

#include <bit>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "common/simt/isa/instruction_set.h"
#include "tests/device_contract.h"

namespace gpulab::tests {
namespace {

constexpr LaunchConfig one_warp{{1, 1, 1}, {32, 1, 1}, 0, false};

std::unique_ptr<Device> simulator(const SimulatorOptions& options = {}) {
  auto device = make_simulator(gpu_profile("h200"), options);
  device->load(device_kernels);
  device->load(simt_kernels);
  return device;
}

/// Runs a kernel whose one parameter is an output of `count` values; they start as zero.
template <typename T = int>
std::vector<T> output_of(std::string_view kernel, LaunchConfig config, std::size_t count,
                         const SimulatorOptions& options = {}) {
  const auto device = simulator(options);
  const auto out = upload(*device, std::vector<T>(count), "out");
  launch(*device, kernel, config, out);
  return read_values<T>(*device, out, count);
}

/// "what [where]" of the LaunchError that a kernel with one zeroed output ends with.
std::string failure_of(std::string_view kernel, LaunchConfig config, const SimulatorOptions& options = {}) {
  try {
    output_of(kernel, config, 256, options);
  } catch (const LaunchError& error) {
    return fmt::format("{}: {} [{}]", to_text(error.kind), error.what(), error.where);
  }
  return "nothing";
}

template <typename F>
std::vector<int> of_each(int count, F f) {
  std::vector<int> values;
  for (int i = 0; i < count; ++i) values.push_back(f(i));
  return values;
}

TEST_CASE("lanes take their own way through nested branches and loops, on every CPU level") {
  const auto path = [](int t) {
    if (t % 2) return 2 + (t > 16 ? 1000 : 0);
    return 1 + (t % 4 == 0 ? 10 : 20) + 100 * (t % 5);
  };
  const std::string_view natural = simt::cpu_level();
  for (const auto level : simt::cpu_levels()) {
    simt::use_cpu_level(level);
    CHECK(output_of("nested_branches", one_warp, 32) == of_each(32, path));
  }
  simt::use_cpu_level(natural);
}

TEST_CASE("threads that return early are not waited for at a barrier") {
  const auto device = simulator();
  const auto out = upload(*device, std::vector<int>(100), "out");
  launch(*device, "early_return", {{1, 1, 1}, {100, 1, 1}}, out, 50);
  CHECK(read_values<int>(*device, out, 50) == of_each(50, [](int t) { return 49 - t; }));
}

TEST_CASE("both sides of a divergent branch may come to the same barrier") {
  CHECK(output_of("barrier_in_branches", {{1, 1, 1}, {64, 1, 1}}, 64) == of_each(64, [](int t) { return 63 - t; }));
}

TEST_CASE("lanes of one warp take turns at a lock, inside the loop and behind it") {
  for (const auto kernel : {"lane_lock", "lane_lock_behind_loop"}) {
    const auto device = simulator();
    const auto lock = upload(*device, std::vector<int>{0}, "lock");
    const auto counter = upload(*device, std::vector<int>{0}, "counter");
    launch(*device, kernel, {{2, 1, 1}, {64, 1, 1}}, lock, counter);
    CHECK(read_values<int>(*device, counter, 1).front() == 128);
  }
}

TEST_CASE("half of a warp may wait for the other half through memory") {
  const auto device = simulator();
  const auto flag = upload(*device, std::vector<int>{0}, "flag");
  const auto out = upload(*device, std::vector<int>(16), "out");
  launch(*device, "half_waits", one_warp, flag, out);
  CHECK(read_values<int>(*device, out, 16) == std::vector<int>(16, 7));
}

TEST_CASE("blocks may wait for earlier and for later blocks that are resident") {
  const auto device = simulator();
  const auto flags = upload(*device, std::vector<int>(600), "flags");
  const auto out = upload(*device, std::vector<int>(600), "out");
  launch(*device, "chain", {{600, 1, 1}, {32, 1, 1}}, flags, out);
  CHECK(read_values<int>(*device, out, 600) == counted(600, 1));
  device->fill(flags, std::byte{0}, 4);
  launch(*device, "all_wait_for_last", {{600, 1, 1}, {32, 1, 1}}, flags, out);
  CHECK(read_values<int>(*device, out, 600) == std::vector<int>(600, 5));
}

TEST_CASE("a block whose threads wait at different barriers is a deadlock, reported with both lines") {
  CHECK(
      failure_of("half_misses_barrier", {{1, 1, 1}, {64, 1, 1}}) ==
      "hung: deadlock in half_misses_barrier, block (0,0,0): 32 threads wait at tests/device/simt.cu:122 (barrier 0), "
      "32 at tests/device/simt.cu:125 (barrier 1) [tests/device/simt.cu:122]");
}

TEST_CASE("a kernel that does not end is stopped by the budget") {
  SimulatorOptions options;
  options.budget = 1'000'000;
  CHECK(failure_of("forever", one_warp, options) ==
        "hung: forever did not end within 1000000 warp instructions: 32 threads at tests/device/simt.cu:130 "
        "[tests/device/simt.cu:130]");
}

TEST_CASE("where somebody waits, a launch of which no block ends is stopped before its budget") {
  SimulatorOptions options;
  options.patience = 1'024'000;  // and a 512th of it for the one warp that runs
  CHECK(failure_of("forever", one_warp, options) ==
        "hung: no block of forever ended within 1026000 warp instructions, which is long or without end: 32 "
        "threads at tests/device/simt.cu:130 [tests/device/simt.cu:130]");
}

TEST_CASE("recursion keeps each lane's own depth and registers") {
  CHECK(output_of("recursion", one_warp, 32) == of_each(32, [](int t) {
          int product = 1;
          for (int k = 2; k <= t % 11; ++k) product *= k;
          return product;
        }));
  CHECK(output_of("double_recursion", one_warp, 32) == of_each(32, [](int t) {
          int a = 0, b = 1;
          for (int k = 0; k < t % 13; ++k) b = std::exchange(a, b) + b;
          return a;
        }));
}

TEST_CASE("function pointers call each lane's own function") {
  CHECK(output_of("function_pointers", one_warp, 32) == of_each(32, [](int t) {
          return t % 3 == 0 ? t + 1 : t % 3 == 1 ? t * t : -t;
        }));
}

TEST_CASE("structures pass by value through calls") {
  const auto got = output_of<double>("struct_arguments", one_warp, 32);
  for (int t = 0; t < 32; ++t) CHECK(got[static_cast<std::size_t>(t)] == (t + 0.5) * 2 + 1000.0 * (t + 2) + 1e6 * t);
}

TEST_CASE("local arrays are each thread's own") {
  CHECK(output_of("local_array", one_warp, 32) == of_each(32, [](int t) {
          int values[16], sum = 0;
          for (int i = 0; i < 16; ++i) values[(i * 7 + t) % 16] = i;
          for (const int v : values) sum = sum * 3 + v;
          return sum;
        }));
}

TEST_CASE("generic addresses reach global, shared and local memory in one instruction") {
  CHECK(output_of("generic_addresses", one_warp, 32) == of_each(32, [](int t) {
          return t % 3 == 0 ? 41 : t % 3 == 1 ? 21 : t + 1;
        }));
}

TEST_CASE("constant memory and pointers into it hold their initial values") {
  const int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  CHECK(output_of("constants", one_warp, 32) == of_each(32, [&](int t) { return table[t % 8] * 10 + 1; }));
}

TEST_CASE("a switch takes its branch table") {
  const auto got = output_of("switch_table", {{1, 1, 1}, {64, 1, 1}}, 67);
  CHECK(std::vector(got.begin(), got.begin() + 64) == of_each(64, [](int t) { return (t % 8 + 1) * 11; }));
  CHECK(std::vector(got.begin() + 64, got.end()) == std::vector{1, 1, 1});
}

TEST_CASE("shuffles move values within the warp and within segments") {
  const auto got = output_of("shuffles", one_warp, 192);
  const auto part = [&](int k) { return std::vector(got.begin() + 32 * k, got.begin() + 32 * (k + 1)); };
  CHECK(part(0) == of_each(32, [](int t) { return t + 3 < 32 ? t + 3 : t; }));
  CHECK(part(1) == of_each(32, [](int t) { return t >= 5 ? t - 5 : t; }));
  CHECK(part(2) == of_each(32, [](int t) { return t ^ 9; }));
  CHECK(part(3) == of_each(32, [](int t) { return t * 5 % 32; }));
  CHECK(part(4) == of_each(32, [](int t) { return t % 8 + 3 < 8 ? t + 3 : t; }));
  CHECK(part(5) == of_each(32, [](int t) { return t % 16 >= 2 ? t - 2 : t; }));
}

TEST_CASE("votes see the lanes of their member mask") {
  const auto got = output_of<unsigned>("votes", one_warp, 128);
  for (unsigned t = 0; t < 32; ++t) {
    CHECK(got[t] == 0x49249249u);
    CHECK(got[32 + t] == 110);
    CHECK(got[64 + t] == (t < 30 ? 31u << t / 5 * 5 : 3u << 30));
    CHECK(got[96 + t] == (t % 2 ? 0xaaaaaaaau : 0x11111111u));
  }
}

TEST_CASE("__syncwarp meets itself at two places") {
  CHECK(output_of("warp_barriers", one_warp, 32) == of_each(32, [](int t) { return t < 16 ? 2 * (t + 16) : t - 16; }));
}

TEST_CASE("barriers that vote give every thread the block's verdict") {
  const auto got = output_of("block_votes", {{1, 1, 1}, {128, 1, 1}}, 256);
  CHECK(got == of_each(256, [](int t) { return t < 128 ? 26 : 3; }));
}

TEST_CASE("atomics apply every lane of every block") {
  const auto device = simulator();
  const auto ints = upload(*device, std::vector<int>(3), "ints");
  const auto words = upload(*device, std::vector<unsigned>(4), "words");
  const auto wide = upload(*device, std::vector<unsigned long long>(1), "wide");
  const auto single = upload(*device, std::vector<float>(1), "single");
  const auto twice = upload(*device, std::vector<double>(1), "twice");
  launch(*device, "atomics", {{4, 1, 1}, {64, 1, 1}}, ints, words, wide, single, twice);
  CHECK(read_values<int>(*device, ints, 3) == std::vector{32640, -50, 255});
  CHECK(read_values<unsigned>(*device, words, 4) == std::vector{0xffffffffu, 0u, 4u, 3u});
  CHECK(read_values<unsigned long long>(*device, wide, 1).front() == 256 * 0x100000000ull + 32640);
  float f = 0;
  double d = 0;
  for (int t = 0; t < 256; ++t) f += 0.1f * static_cast<float>(t), d += 0.1 * t;
  CHECK(read_values<float>(*device, single, 1).front() == f);  // block order: the serial fold
  CHECK(read_values<double>(*device, twice, 1).front() == d);
}

TEST_CASE("device printf prints what C's would, in block and thread order") {
  const auto device = simulator();
  launch(*device, "say_lines", {{2, 1, 1}, {2, 1, 1}}, 4);
  CHECK(device->take_output() ==
        "0:  0.00 even a 0x100000000 %|0   |\n1:  0.50 odd b 0x200000000 %|1   |\n"
        "2:  1.00 even c 0x400000000 %|2   |\n3:  1.50 odd d 0x800000000 %|3   |\n");
  CHECK(device->take_output().empty());
}

TEST_CASE("what blocks print is heard as they end, in their order, before the launch does") {
  for (const int threads : {1, 3}) {
    SimulatorOptions options;
    options.threads = threads;
    const auto device = make_simulator(gpu_profile("h200"), options);
    device->load(simt_kernels);
    std::vector<std::string> pieces;
    device->print_to([&](std::string_view text) { pieces.emplace_back(text); });
    launch(*device, "say_lines", {{4, 1, 1}, {1, 1, 1}}, 4);
    REQUIRE(pieces.size() == 4);
    for (std::size_t block = 0; block < 4; ++block) CHECK(pieces[block].substr(0, 2) == std::to_string(block) + ":");
    CHECK(device->take_output() == pieces[0] + pieces[1] + pieces[2] + pieces[3]);
  }
}

TEST_CASE("what was printed before a fault is heard") {
  const auto device = simulator();
  std::string heard;
  device->print_to([&](std::string_view text) { heard += text; });
  CHECK(launch_failure([&] { launch(*device, "say_then_trap", {{3, 1, 1}, {1, 1, 1}}, 1); }) == LaunchFailure::fault);
  CHECK(heard == "block 0\nblock 1\n");
}

TEST_CASE("what was printed before a fault is kept") {
  const auto device = simulator();
  CHECK(launch_failure([&] { launch(*device, "say_then_trap", {{3, 1, 1}, {1, 1, 1}}, 1); }) == LaunchFailure::fault);
  CHECK(device->take_output() == "block 0\nblock 1\n");
}

TEST_CASE("an access beyond shared memory names the byte, the thread and the line") {
  CHECK(failure_of("shared_overrun", {{1, 1, 1}, {64, 1, 1}}) ==
        "fault: out-of-bounds store of 4 bytes at byte 128 of shared memory, of which the block has 128 in "
        "shared_overrun, block (0,0,0), thread (32,0,0) [tests/device/simt.cu:282]");
}

TEST_CASE("an access beyond an allocation names it, even where another allocation follows") {
  const auto device = simulator();
  const auto data = upload(*device, counted(10), "numbers");
  const auto next = upload(*device, counted(10), "next");
  try {
    launch(*device, "store_at", {{1, 1, 1}, {1, 1, 1}}, data, 10L);
    FAIL("no fault");
  } catch (const LaunchError& error) {
    CHECK(error.what() ==
          fmt::format("out-of-bounds store of 4 bytes at {:#x}, byte 40 of 'numbers', which has 40 bytes in store_at, "
                      "block (0,0,0), thread (0,0,0)",
                      data + 40));
  }
  CHECK(read_values<int>(*device, next, 10) == counted(10));
}

TEST_CASE("an access in front of an allocation names the one that it is nearer to") {
  const auto device = simulator();
  const auto first = upload(*device, counted(10), "first");
  const auto second = upload(*device, counted(10), "second");
  const auto said = [&](DevicePointer data, long index) {
    try {
      launch(*device, "store_at", {{1, 1, 1}, {1, 1, 1}}, data, index);
    } catch (const LaunchError& error) {
      return fmt::format("{} | {}", error.what(), error.hint);
    }
    return std::string("none");
  };
  CHECK(said(first, -3) ==
        fmt::format(
            "out-of-bounds store of 4 bytes at {:#x}, 12 bytes in front of 'first' in store_at, block (0,0,0), thread "
            "(0,0,0) | compare the index with 0 before the access; a product of ints that overflows is negative: "
            "compute it in 64 bits, or unsigned",
            first - 12));
  CHECK_THAT(said(second, -1), ContainsSubstring("4 bytes in front of 'second'"));
  CHECK_THAT(said(first, 12), ContainsSubstring("byte 48 of 'first'"));
  CHECK_THAT(said(first, -4000000), ContainsSubstring("belongs to no allocation"));
}

TEST_CASE("indices of three-dimensional grids and blocks run x first") {
  CHECK(output_of("indices", {{2, 2, 2}, {2, 2, 2}}, 64) == of_each(64, [](int i) {
          const int b = i / 8, t = i % 8;
          return b % 2 + b / 2 % 2 * 10 + b / 4 * 100 + t % 2 * 1000 + t / 2 % 2 * 100000 + t / 4 * 10000000;
        }));
}

TEST_CASE("results and counters do not depend on the number of CPU threads") {
  const auto run = [](int threads) {
    SimulatorOptions options;
    options.threads = threads;
    const auto device = simulator(options);
    const auto in = upload(*device, of_each(20000, [](int i) { return i * 7919 % 100003; }), "in");
    const auto out = upload(*device, std::vector<int>(20000), "steps");
    launch(*device, "collatz", {{79, 1, 1}, {256, 1, 1}}, in, out, 20000);
    const auto f = upload(*device, std::vector<float>(1), "f");
    const auto scratch = upload(*device, std::vector<double>(64), "scratch");
    launch(*device, "atomics", {{79, 1, 1}, {256, 1, 1}}, scratch, scratch + 64, scratch + 128, f, scratch + 256);
    return std::tuple{read_values<int>(*device, out, 20000), read_values<float>(*device, f, 1).front(),
                      *device->take_counters()};
  };
  const auto one = run(1);
  CHECK(run(2) == one);
  CHECK(run(5) == one);
}

TEST_CASE("a fault reports the lowest block that has one, whatever the number of CPU threads") {
  for (const int threads : {1, 2, 4}) {
    SimulatorOptions options;
    options.threads = threads;
    const auto device = simulator(options);
    const auto out = upload(*device, std::vector<int>(5000), "out");
    try {
      launch(*device, "iota", {{400, 1, 1}, {32, 1, 1}}, out, 1 << 20, 0);
      FAIL("no fault");
    } catch (const LaunchError& error) {
      CHECK(std::string(error.what()).find("block (156,0,0), thread (8,0,0)") != std::string::npos);
    }
  }
}

TEST_CASE("schedules change the interleaving, not the answer of a kernel without races") {
  const auto expected = output_of("barrier_in_branches", {{1, 1, 1}, {64, 1, 1}}, 64);
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    SimulatorOptions options;
    options.schedule = seed;
    CHECK(output_of("barrier_in_branches", {{1, 1, 1}, {64, 1, 1}}, 64, options) == expected);
  }
}

}  // namespace
}  // namespace gpulab::tests
