#pragma once
// What every device must do, written once and run on both. Each clause gets a device with the test kernels loaded.

#include <fmt/format.h>

#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "common/device/device.h"
#include "common/launch_error.h"
#include "tests/catch.h"
#include "tests/device_kernels.h"

namespace gpulab::tests {

template <typename T>
std::vector<T> read_values(Device& device, DevicePointer from, std::size_t count) {
  std::vector<T> values(count);
  device.read(std::as_writable_bytes(std::span(values)), from);
  return values;
}

template <typename T>
DevicePointer upload(Device& device, const std::vector<T>& values, std::string_view name = "data") {
  const DevicePointer pointer = device.allocate(name, values.size() * sizeof(T));
  device.write(pointer, std::as_bytes(std::span(values)));
  return pointer;
}

inline std::vector<int> counted(int n, int first = 0) {
  std::vector<int> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), first);
  return values;
}

template <typename... T>
void launch(Device& device, std::string_view kernel, LaunchConfig config, T... arguments) {
  const std::vector<KernelArgument> values = {KernelArgument::of(arguments)...};
  device.launch(device.kernel(kernel), config, values);
}

/// The kind of the LaunchError that `work` ends with, or nothing.
template <typename F>
std::optional<LaunchFailure> launch_failure(const F& work) {
  try {
    work();
  } catch (const LaunchError& error) {
    return error.kind;
  }
  return std::nullopt;
}

inline void bytes_come_back(Device& device) {
  const auto sent = counted(1000, -500);
  const auto pointer = upload(device, sent);
  CHECK(read_values<int>(device, pointer, 1000) == sent);
  CHECK(read_values<int>(device, pointer + 40, 3) == std::vector<int>{-490, -489, -488});
  device.release(pointer);
}

inline void no_bytes_are_legal(Device& device) {
  const auto empty = device.allocate("empty", 0);
  device.write(empty, {});
  device.read({}, empty);
  device.fill(empty, std::byte{1}, 0);
  device.copy(empty, empty, 0);
  launch(device, "iota", {{1, 1, 1}, {32, 1, 1}}, empty, 0, 7);
  device.synchronize();
  device.release(empty);
}

inline void fill_and_copy_reach_exactly_their_bytes(Device& device) {
  const auto a = upload(device, std::vector<std::uint8_t>(16, 0), "a");
  const auto b = upload(device, std::vector<std::uint8_t>(16, 9), "b");
  device.fill(a + 3, std::byte{0xA5}, 5);
  device.copy(b + 1, a + 2, 7);
  const std::vector<std::uint8_t> filled{0, 0, 0, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<std::uint8_t> copied{9, 0, 0xA5, 0xA5, 0xA5, 0xA5, 0xA5, 0, 9, 9, 9, 9, 9, 9, 9, 9};
  CHECK(read_values<std::uint8_t>(device, a, 16) == filled);
  CHECK(read_values<std::uint8_t>(device, b, 16) == copied);
}

inline void launches_run_in_order(Device& device) {
  const auto data = upload(device, std::vector<int>(1000, -1));
  launch(device, "iota", {{4, 1, 1}, {256, 1, 1}}, data, 999, 10);
  launch(device, "scale<int, 3>", {{4, 1, 1}, {256, 1, 1}}, data, 500);
  device.synchronize();
  const auto values = read_values<int>(device, data, 1000);
  CHECK(values[0] == 30);
  CHECK(values[499] == 3 * 509);
  CHECK(values[500] == 510);
  CHECK(values[998] == 1008);
  CHECK(values[999] == -1);
}

inline void arguments_of_every_size_arrive(Device& device) {
  const auto out = upload(device, std::vector<double>(6, 0));
  launch(device, "parameters", {{1, 1, 1}, {32, 1, 1}}, out, std::int8_t{-3}, std::int16_t{-300}, 70000,
         std::int64_t{1} << 40, 0.5F, -0.125);
  device.synchronize();
  CHECK(read_values<double>(device, out, 6) == std::vector<double>{-3, -300, 70000, 1099511627776.0, 0.5, -0.125});
}

inline void kernels_are_found_by_name(Device& device) {
  CHECK(device.kernel("iota").entry == "iota");
  const Kernel scale = device.kernel("scale<float,3>");
  CHECK(scale.cpp_name == "scale<float, 3>");
  CHECK(scale.parameter_sizes == std::vector<std::size_t>{8, 4});
  CHECK(device.kernel(scale.entry).cpp_name == scale.cpp_name);
  CHECK(device.kernel("parameters").parameter_sizes == std::vector<std::size_t>{8, 1, 2, 4, 8, 4, 8});
  try {
    (void)device.kernel("scale<float, 7>");
    FAIL("found a kernel that is not there");
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::usage);
    CHECK(std::string(error.what()) == "no kernel 'scale<float, 7>'");
    CHECK(error.hint.find("'scale<float, 3>'") != std::string::npos);
  }
}

inline void attributes_are_true_or_absent(Device& device) {
  const auto shared = device.kernel("static_shared").attributes.static_shared_bytes;
  CHECK(shared.value_or(1024) == 1024);
  const auto registers = device.kernel("iota").attributes.registers;
  CHECK((!registers || (*registers > 0 && *registers <= 255)));
  CHECK(device.kernel("bounded").attributes.max_threads_per_block.value_or(128) == 128);
}

inline void arguments_that_do_not_fit_are_refused_before_the_launch(Device& device) {
  const auto data = upload(device, std::vector<int>(4, -1));
  const LaunchConfig one{{1, 1, 1}, {4, 1, 1}};
  CHECK_THROWS_WITH(launch(device, "iota", one, data, 4), "the kernel takes 3 arguments, not 2");
  CHECK_THROWS_WITH(launch(device, "iota", one, data, 4, 0, 0), "the kernel takes 3 arguments, not 4");
  CHECK_THROWS_WITH(launch(device, "iota", one, data, std::int64_t{4}, 0),
                    "argument 2 of the kernel has 4 bytes, not 8");
  device.synchronize();
  CHECK(read_values<int>(device, data, 4) == std::vector<int>(4, -1));
}

inline void shapes_beyond_the_hardware_are_refused(Device& device) {
  const auto data = upload(device, std::vector<int>(4, -1));
  const auto shaped = [&](Dim3 grid, Dim3 block) { launch(device, "iota", {grid, block}, data, 4, 0); };
  CHECK_THROWS_WITH(shaped({1, 1, 1}, {1025, 1, 1}), "a block has at most 1024 threads, not 1025 (1025x1x1)");
  CHECK_THROWS_WITH(shaped({1, 1, 1}, {1, 1, 65}), "a block is at most 1024x1024x64, not 1x1x65");
  CHECK_THROWS_WITH(shaped({1, 1, 1}, {0, 1, 1}), "a block has at least 1 thread, not 0x1x1");
  CHECK_THROWS_WITH(shaped({0, 1, 1}, {1, 1, 1}), "a grid has at least 1 block, not 0x1x1");
  CHECK_THROWS_WITH(shaped({1, 65536, 1}, {1, 1, 1}), "a grid is at most 2147483647x65535x65535 blocks, not 1x65536x1");
  CHECK_THROWS_WITH(launch(device, "bounded", {{1, 1, 1}, {256, 1, 1}}, data),
                    "this kernel runs with at most 128 threads per block, not 256");
  device.synchronize();
}

inline void dynamic_shared_memory_reaches_beyond_48_kib(Device& device) {
  const int n = 15000;  // 60,000 bytes
  const auto data = upload(device, counted(n));
  launch(device, "reverse", {{1, 1, 1}, {256, 1, 1}, n * 4}, data, n);
  device.synchronize();
  const auto values = read_values<int>(device, data, n);
  CHECK(values.front() == n - 1);
  CHECK(values.back() == 0);
  CHECK_THROWS_WITH(launch(device, "reverse", {{1, 1, 1}, {256, 1, 1}, 1U << 30}, data, n),
                    ContainsSubstring("bytes of shared memory, not 1073741824"));
}

inline void static_shared_memory_works(Device& device) {
  const auto out = upload(device, std::vector<int>(256, -1));
  launch(device, "static_shared", {{1, 1, 1}, {256, 1, 1}}, out);
  device.synchronize();
  CHECK(read_values<int>(device, out, 256)[3] == 252);
}

inline void too_much_memory_is_refused_and_nothing_is_lost(Device& device) {
  const auto data = upload(device, std::vector<int>{1, 2, 3});
  CHECK(launch_failure([&] { (void)device.allocate("huge", std::size_t{1} << 60); }) == LaunchFailure::out_of_memory);
  launch(device, "scale<int, 3>", {{1, 1, 1}, {32, 1, 1}}, data, 3);
  device.synchronize();
  CHECK(read_values<int>(device, data, 3) == std::vector<int>{3, 6, 9});
}

inline void what_kernels_print_is_captured(Device& device) {
  (void)device.take_output();
  launch(device, "say", {{1, 1, 1}, {2, 1, 1}}, 42);
  device.synchronize();
  CHECK(device.take_output() == "value 42 of thread 0\nvalue 42 of thread 1\n");
  CHECK(device.take_output().empty());
}

inline void whoever_listens_hears_what_kernels_print(Device& device) {
  (void)device.take_output();
  std::string heard;
  device.print_to([&](std::string_view text) { heard += text; });
  for (const int value : {1, 2}) {
    launch(device, "say", {{1, 1, 1}, {1, 1, 1}}, value);
    device.synchronize();
    CHECK(heard == (value == 1 ? "value 1 of thread 0\n" : "value 1 of thread 0\nvalue 2 of thread 0\n"));
  }
  device.print_to({});
  launch(device, "say", {{1, 1, 1}, {1, 1, 1}}, 3);
  device.synchronize();
  CHECK(heard == "value 1 of thread 0\nvalue 2 of thread 0\n");
  CHECK(device.take_output() == heard + "value 3 of thread 0\n");
}

inline void time_is_positive(Device& device) {
  const auto data = upload(device, counted(1 << 16));
  for (const bool cold : {true, false}) {
    const double ms = device.time(
        [&] {
          launch(device, "scale<int, 3>", {{256, 1, 1}, {256, 1, 1}}, data, 1 << 16);
        },
        cold);
    CHECK(ms > 0);
    CHECK(ms < 60'000);
  }
}

inline void counters_are_there_where_they_are_promised(Device& device) {
  const auto data = upload(device, std::vector<int>(64, 0));
  (void)device.take_counters();
  launch(device, "iota", {{1, 1, 1}, {64, 1, 1}}, data, 64, 0);
  device.synchronize();
  const auto counters = device.take_counters();
  CHECK(counters.has_value() == device.capabilities().counts);
  if (!counters) return;
  CHECK((*counters)["warps"] == 2);
  CHECK((*counters)["global_store_requests"] == 2);
  CHECK((*counters)["global_store_sectors"] == 8);
}

inline void kernels_of_one_module_share_its_variables(Device& device) {
  device.load(variable_kernels);
  const auto out = upload(device, std::vector<int>{-1});
  launch(device, "count_call", {{2, 1, 1}, {32, 1, 1}});
  launch(device, "count_call", {{1, 1, 1}, {1, 1, 1}});
  launch(device, "calls_so_far", {{1, 1, 1}, {1, 1, 1}}, out);
  device.synchronize();
  CHECK(read_values<int>(device, out, 1)[0] == 65);
  CHECK(device.kernel("iota").cpp_name == "iota");  // of the other module
}

inline void kernels_allocate_memory(Device& device) {
  device.load(runtime_kernels);
  const auto blocks = upload(device, std::vector<std::uint64_t>(128));
  const auto sums = upload(device, std::vector<int>(128));
  launch(device, "keep", {{2, 1, 1}, {64, 1, 1}}, blocks, 5);
  launch(device, "sum_and_free", {{2, 1, 1}, {64, 1, 1}}, blocks, sums, 5);
  launch(device, "lists", {{1, 1, 1}, {32, 1, 1}}, blocks, 3);
  device.synchronize();
  const auto got = read_values<int>(device, sums, 128);
  for (int i = 0; i < 128; ++i) CHECK(got[static_cast<std::size_t>(i)] == 5000 * i + 10);
  CHECK(read_values<int>(device, blocks, 32)[31] == 31 * 32 / 2);
}

inline void virtual_functions_are_called(Device& device) {
  device.load(runtime_kernels);
  const auto out = upload(device, std::vector<int>(64));
  launch(device, "virtual_calls", {{1, 1, 1}, {32, 1, 1}}, out);
  device.synchronize();
  auto got = read_values<int>(device, out, 32);
  for (int t = 0; t < 32; ++t)
    CHECK(got[static_cast<std::size_t>(t)] == (t % 3 == 0 ? 2 * t : t % 3 == 1 ? 2 * t * t : 12 * t * t + 1));
  launch(device, "mutual_recursion", {{1, 1, 1}, {32, 1, 1}}, out);
  device.synchronize();
  got = read_values<int>(device, out, 64);
  CHECK(got[8] == 44);
  CHECK(got[32 + 5] == 3 * (3 * (3 * 5 + 1) + 3) + 5);
}

inline void grids_meet_at_a_barrier(Device& device) {
  device.load(cooperative_kernels);
  const int n = 40 * 96;
  const auto a = upload(device, counted(n)), b = upload(device, std::vector<int>(static_cast<std::size_t>(n)));
  launch(device, "rounds", {{40, 1, 1}, {96, 1, 1}, 0, true}, a, b, 6);
  device.synchronize();
  const auto got = read_values<int>(device, a, static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == (i + 6 * 96) % n + 6);
  CHECK_THROWS_WITH(launch(device, "rounds", {{1 << 20, 1, 1}, {96, 1, 1}, 0, true}, a, b, 6),
                    ContainsSubstring("a cooperative grid is resident at once: at most"));
}

inline void kernels_launch_kernels(Device& device) {
  device.load(nested_kernels);
  const auto data = upload(device, counted(1024));
  launch(device, "nested_sum", {{1, 1, 1}, {512, 1, 1}}, data, 1024);
  const auto errors = upload(device, std::vector<int>(11, -1));
  const auto log = upload(device, std::vector<int>(4096));
  launch(device, "streams", {{1, 1, 1}, {1, 1, 1}}, log, errors);
  const auto steps = upload(device, std::vector<int>(4096));
  launch(device, "countdown", {{1, 1, 1}, {1, 1, 1}}, steps, 100);
  const auto out = upload(device, std::vector<double>(20, 0.25));
  launch(device, "passes_all", {{1, 1, 1}, {1, 1, 1}}, out);
  device.synchronize();
  CHECK(read_values<int>(device, data, 1)[0] == 1023 * 512);
  CHECK(read_values<int>(device, errors, 6) == std::vector<int>(6, 0));
  const auto order = read_values<int>(device, log, 9);
  CHECK(order[0] == 8);
  CHECK(order[7] == 90);  // whatever else runs at the same time: the tail is last, and in order
  CHECK(order[8] == 91);
  CHECK(read_values<int>(device, steps, 1)[0] == 101);
  CHECK(read_values<double>(device, out, 20)[19] == 100 * 19 + 0.25 + 1 - 5 + 0.5 + 2);
}

inline void queued_copies_arrive(Device& device) {
  for (const bool pinned : {false, true}) {
    const auto from = device.host_memory("from", 4000, pinned), to = device.host_memory("to", 4000, pinned);
    const auto sent = counted(1000, -500);
    std::memcpy(from.get(), sent.data(), 4000);
    const auto data = device.allocate("data", 4000);
    const auto none = device.host_memory("none", 0, pinned);
    device.queue_write(data, {none.get(), 0}, 1);
    // Two halves, each with a stream of its own from the host to the device and back.
    for (const std::size_t half : {0U, 1U}) {
      const auto stream = static_cast<std::uint32_t>(1 + half);
      const std::size_t offset = 2000 * half;
      device.queue_write(data + offset, {from.get() + offset, 2000}, stream);
      launch(device, "scale<int, 3>", {{2, 1, 1}, {256, 1, 1}, 0, false, stream}, data + offset, 500);
      device.queue_read({to.get() + offset, 2000}, data + offset, stream);
    }
    device.synchronize();
    std::vector<int> got(1000);
    std::memcpy(got.data(), to.get(), 4000);
    for (int i = 0; i < 1000; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == 3 * (i - 500));
    device.release(data);
  }
}

inline void the_default_stream_waits_and_is_waited_for(Device& device) {
  constexpr int n = 1 << 20;
  const auto host = device.host_memory("host", n * sizeof(int), true);
  const auto sent = counted(n);
  std::memcpy(host.get(), sent.data(), n * sizeof(int));
  const auto data = upload(device, std::vector<int>(n, -1));
  const std::span<std::byte> bytes(host.get(), n * sizeof(int));
  device.queue_write(data, bytes, 1);
  launch(device, "scale<int, 3>", {{n / 256, 1, 1}, {256, 1, 1}}, data, n);
  device.queue_read(bytes, data, 2);
  device.synchronize();
  std::vector<int> got(n);
  std::memcpy(got.data(), host.get(), n * sizeof(int));
  for (int i = 0; i < n; ++i) REQUIRE(got[static_cast<std::size_t>(i)] == 3 * i);
}

inline void recorded_work_runs_when_it_is_replayed(Device& device) {
  const auto data = upload(device, std::vector<int>{1, 2, 3});
  const Kernel scale = device.kernel("scale<int, 3>");
  const std::vector<KernelArgument> two{KernelArgument::of(data), KernelArgument::of(2)},
      three{KernelArgument::of(data), KernelArgument::of(3)}, too_few{KernelArgument::of(data)};
  const LaunchConfig one{{1, 1, 1}, {32, 1, 1}};
  {
    const auto recording = device.record([&] {
      device.launch(scale, one, two);
      device.launch(scale, one, three);
    });
    device.synchronize();
    CHECK(read_values<int>(device, data, 3) == std::vector<int>{1, 2, 3});
    recording->replay();
    recording->replay();
  }
  CHECK(read_values<int>(device, data, 3) == std::vector<int>{81, 162, 27});
  const auto nothing = device.record([] {});
  nothing->replay();
  // Work that the device refuses is refused when it is recorded or when it is replayed, and later launches still run.
  CHECK_THROWS_AS(device.record([&] { device.launch(scale, one, too_few); })->replay(), Error);
  device.launch(scale, one, three);
  device.synchronize();
  CHECK(read_values<int>(device, data, 3) == std::vector<int>{243, 486, 81});
}

struct Clause {
  const char* sentence;
  void (*check)(Device&);
};

inline const std::vector<Clause>& device_contract() {
  static const std::vector<Clause> clauses = {
      {"bytes come back as they were written", bytes_come_back},
      {"buffers and transfers of no bytes are legal", no_bytes_are_legal},
      {"fill and copy reach exactly their bytes", fill_and_copy_reach_exactly_their_bytes},
      {"launches run in order", launches_run_in_order},
      {"arguments of every size arrive", arguments_of_every_size_arrive},
      {"kernels are found by C++ name and by entry", kernels_are_found_by_name},
      {"attributes are true or absent", attributes_are_true_or_absent},
      {"arguments that do not fit are refused before the launch",
       arguments_that_do_not_fit_are_refused_before_the_launch},
      {"shapes beyond the hardware are refused", shapes_beyond_the_hardware_are_refused},
      {"dynamic shared memory reaches beyond 48 KiB", dynamic_shared_memory_reaches_beyond_48_kib},
      {"static shared memory works", static_shared_memory_works},
      {"too much memory is refused and nothing is lost", too_much_memory_is_refused_and_nothing_is_lost},
      {"what kernels print is captured, and taken once", what_kernels_print_is_captured},
      {"whoever listens hears what kernels print when the host has waited for it",
       whoever_listens_hears_what_kernels_print},
      {"time is positive", time_is_positive},
      {"counters are there where they are promised", counters_are_there_where_they_are_promised},
      {"kernels of one module share its variables", kernels_of_one_module_share_its_variables},
      {"kernels allocate memory, which outlives them", kernels_allocate_memory},
      {"virtual and recursive functions are called", virtual_functions_are_called},
      {"the blocks of a cooperative grid meet at a barrier", grids_meet_at_a_barrier},
      {"kernels launch kernels", kernels_launch_kernels},
      {"queued copies arrive, from memory that is pinned or not, on any stream", queued_copies_arrive},
      {"the default stream waits for the others, and they for it", the_default_stream_waits_and_is_waited_for},
      {"recorded work runs when it is replayed", recorded_work_runs_when_it_is_replayed},
  };
  return clauses;
}

}  // namespace gpulab::tests
