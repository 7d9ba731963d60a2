// What the device runtime gives kernels: tests/device/runtime.cu on the simulator.
#include <cstdio>

#include "tests/unit/on_simulator.h"

namespace gpulab::tests {
namespace {

std::unique_ptr<Device> device_runtime(int threads = 2) {
  SimulatorOptions options;
  options.threads = threads;
  return simulator_with(runtime_kernels, options);
}

/// The error of a kernel with one output of 64 integers.
std::string error_of_kernel(std::string_view kernel, const std::vector<int>& values = std::vector<int>(64)) {
  const auto device = device_runtime();
  const auto out = upload(*device, values, "out");
  return launch_error([&] { launch(*device, kernel, one_thread, out); });
}

TEST_CASE("memory that kernels allocate outlives the launch") {
  for (const int threads : {1, 3}) {
    const auto device = device_runtime(threads);
    const auto blocks = upload(*device, std::vector<std::uint64_t>(128), "blocks");
    const auto sums = upload(*device, std::vector<int>(128), "sums");
    launch(*device, "keep", {{2, 1, 1}, {64, 1, 1}}, blocks, 5);
    const auto addresses = read_values<std::uint64_t>(*device, blocks, 128);
    for (std::size_t i = 1; i < 128; ++i) CHECK(addresses[i] > addresses[i - 1] + 20);
    launch(*device, "sum_and_free", {{2, 1, 1}, {64, 1, 1}}, blocks, sums, 5);
    for (int i = 0; i < 128; ++i)
      CHECK(read_values<int>(*device, sums + 4 * static_cast<unsigned>(i), 1)[0] == 5000 * i + 10);
  }
}

TEST_CASE("what is freed can be had again: lists by new and delete fill no heap") {
  const auto device = device_runtime();
  const auto out = upload(*device, std::vector<int>(32), "out");
  launch(*device, "lists", one_warp, out, 3);
  for (int i = 0; i < 32; ++i)
    CHECK(read_values<int>(*device, out + 4 * static_cast<unsigned>(i), 1)[0] == i * (i + 1) / 2);
}

TEST_CASE("malloc returns null once the heap of 8 MiB is used up") {
  const auto device = device_runtime();
  const auto count = upload(*device, std::vector<int>{-1}, "count");
  for (const auto& [bytes, blocks] : {std::pair{1 << 20, 7}, {1 << 10, (8 << 20) / 1040}, {9 << 20, 0}, {8 << 20, 0}}) {
    launch(*device, "fill_heap", one_thread, count, bytes);  // which frees them
    CHECK(read_values<int>(*device, count, 1)[0] == blocks);
  }
  launch(*device, "free_of_nothing", one_thread, count);
  CHECK(read_values<int>(*device, count, 1)[0] == 1);
}

TEST_CASE("what malloc did not return, and what is freed already, cannot be freed") {
  CHECK_THAT(error_of_kernel("free_twice"),
             Matches("fault: free of 0x[0-9a-f]+, which has been freed in free_twice, block \\(0,0,0\\), thread "
                     "\\(0,0,0\\) \\[tests/device/runtime.cu:67\\] free memory once"));
  CHECK_THAT(error_of_kernel("free_of_a_buffer"),
             Matches("fault: free of 0x[0-9a-f]+, which malloc has not returned in free_of_a_buffer, .*runtime.cu:69"
                     "\\] what the host allocated by cudaMalloc, the host frees by cudaFree"));
  CHECK_THAT(error_of_kernel("free_inside"), Matches("fault: free of 0x[0-9a-f]+, which malloc has not returned .* "
                                                     "free what a kernel's malloc or new returned, and that "
                                                     "very address"));
}

TEST_CASE("an access beyond a block of the heap, or after its end, names who allocated it") {
  CHECK_THAT(error_of_kernel("beyond_malloc", std::vector<int>(64, 10)),
             Matches("fault: out-of-bounds store of 4 bytes at 0x[0-9a-f]+, byte 40 of 'malloc of block \\(0,0,0\\), "
                     "thread \\(0,0,0\\)', which has 40 bytes in beyond_malloc, .*runtime.cu:77\\] .*"));
  CHECK_THAT(error_of_kernel("after_free"),
             Matches("fault: out-of-bounds store of 4 bytes at 0x[0-9a-f]+: 'malloc of block \\(0,0,0\\), thread "
                     "\\(0,0,0\\)' has been freed in after_free, .*runtime.cu:82\\] .*"));
}

TEST_CASE("clocks and timers advance, also over nanosleep") {
  const auto device = device_runtime();
  const auto out = upload(*device, std::vector<long long>(4, -1), "out");
  launch(*device, "clocks", one_thread, out);
  const auto got = read_values<long long>(*device, out, 4);
  CHECK(got[0] > 0);
  CHECK(got[1] > 0);
  CHECK(got[2] > 0);
  CHECK(got[3] == 0);
}

TEST_CASE("a breakpoint without a debugger is a fault") {
  CHECK(error_of_kernel("breakpoint") ==
        "fault: brkpt instruction in breakpoint, block (0,0,0), thread (0,0,0) [tests/device/runtime.cu:106] ");
}

TEST_CASE("memset and memcpy reach all spaces") {
  const auto device = device_runtime();
  const auto out = upload(*device, counted(64), "out");
  launch(*device, "copies", one_warp, out, 20);
  std::vector<int> shared(32, 0x11111111);
  for (int i = 0; i < 20; ++i) shared[static_cast<std::size_t>(i) + 1] = 32 + i;
  const auto got = read_values<int>(*device, out, 32);
  for (std::size_t t = 0; t < 32; ++t) CHECK(got[t] == shared[t % 8 + t % 7]);
}

TEST_CASE("virtual functions are called by each lane's own object") {
  const auto device = device_runtime();
  const auto out = upload(*device, std::vector<int>(32), "out");
  launch(*device, "virtual_calls", one_warp, out);
  const auto got = read_values<int>(*device, out, 32);
  for (int t = 0; t < 32; ++t)
    CHECK(got[static_cast<std::size_t>(t)] == (t % 3 == 0 ? 2 * t : t % 3 == 1 ? 2 * t * t : 12 * t * t + 1));
}

TEST_CASE("functions call each other, directly and through a pointer, to each lane's depth") {
  const auto device = device_runtime();
  const auto out = upload(*device, std::vector<int>(64), "out");
  launch(*device, "mutual_recursion", one_warp, out);
  const auto got = read_values<int>(*device, out, 64);
  const auto back_and_forth = [](auto& self, int n) -> int { return n <= 0 ? 5 : 3 * self(self, n - 2) + n; };
  for (int t = 0; t < 32; ++t) {
    const int n = t % 9;
    CHECK(got[static_cast<std::size_t>(t)] == (n + 1) / 2 + n / 2 * 10);
    CHECK(got[static_cast<std::size_t>(32 + t)] == back_and_forth(back_and_forth, t % 6));
  }
}

TEST_CASE("recursion without an end overflows the stack, and says where") {
  CHECK_THAT(error_of_kernel("stack_overflow"),
             Matches("fault: stack overflow: [0-9]+ bytes of local memory are used up in stack_overflow, block "
                     "\\(0,0,0\\), thread \\(0,0,0\\) \\[tests/device/runtime.cu:167\\] recursion this deep needs "
                     "another algorithm"));
}

TEST_CASE("printf in a kernel prints what the host's prints, and returns how many arguments it had") {
  const auto device = device_runtime();
  launch(*device, "say_everything", one_thread);
  std::string expected;
  const auto say = [&](const char* format, auto... values) {
    char line[256];
    std::snprintf(line, sizeof line, format, values...);
    expected += line;
  };
  say("%d|%5i|%-5u|%05d|%+d|% d|%x|%#X|%#o|%c|%s|%p|%%\n", -7, 42, 7u, 42, 42, 42, 255u, 255u, 8u, 'x', "text",
      static_cast<void*>(nullptr));
  say("%lld|%llu|%lx|%hd|%hhu|%zu|%*d|%-*d|%.*f\n", -1LL, ~0ull, 255l, 70000, 300, sizeof(int), 6, 1, 6, 2, 2, 3.14159);
  say("%f|%.3e|%G|%g|%a|%10.4f|%F|%E\n", 1.5, 12345.678, 1e-10, 100000.0, 1.0, 2.5F, std::stod("nan"), -0.0);
  expected += "none\n12 0\n";
  CHECK(device->take_output() == expected);
}

}  // namespace
}  // namespace gpulab::tests
