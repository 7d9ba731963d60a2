// The GPU device against the stand-in driver of fake_cuda.h, which ctest puts on LD_LIBRARY_PATH.
#include <dlfcn.h>

#include "common/device/clocked.h"
#include "common/device/gpu/gpu.h"
#include "common/launch_error.h"
#include "runner/case/device_buffers.h"
#include "tests/device_contract.h"
#include "tests/driver/fake_cuda.h"

namespace gpulab::tests {
namespace {

FakeCuda& books() {
  static auto* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto find = reinterpret_cast<FakeCuda* (*)()>(dlsym(library, "fake_cuda"));
  REQUIRE(find != nullptr);  // else this is a real driver: run by ctest
  return *find();
}

std::unique_ptr<Device> fake_gpu() {
  books() = {};
  auto device = make_gpu(0);
  device->load(device_kernels);
  return device;
}

TEST_CASE("the driver is loaded at run time and describes its GPU") {
  (void)books();
  REQUIRE(gpu_available());
  CHECK(gpu_problem().empty());
  CHECK(driver_cuda_version() == "13.0");
  const auto info = gpus().at(0);
  CHECK(info.name == "Fake GPU");
  CHECK(info.sm_count == 130);
  CHECK(info.profile.substr(0, 2) == "h1");  // compute capability 9.0, 132 SMs: the first of two
  CHECK_THROWS_WITH(make_gpu(1), "no GPU 1: this machine has 1");
}

TEST_CASE("the GPU device keeps the clauses of the device contract that need no hardware") {
  for (const auto check :
       {bytes_come_back, no_bytes_are_legal, fill_and_copy_reach_exactly_their_bytes, launches_run_in_order,
        kernels_are_found_by_name, arguments_that_do_not_fit_are_refused_before_the_launch,
        too_much_memory_is_refused_and_nothing_is_lost, what_kernels_print_is_captured, time_is_positive,
        queued_copies_arrive, the_default_stream_waits_and_is_waited_for, recorded_work_runs_when_it_is_replayed})
    check(*fake_gpu());
}

TEST_CASE("a device gives back all that it took") {
  {
    const auto device = fake_gpu();
    (void)upload(*device, std::vector<int>(100, 1));
    (void)device->time([&] { launch(*device, "say", {{1, 1, 1}, {1, 1, 1}}, 1); }, true);
    const auto locked = device->host_memory("locked", 64, true), ordinary = device->host_memory("ordinary", 64, false);
    device->queue_read({locked.get(), 64}, upload(*device, std::vector<int>(16)), 7);
    const auto graph = device->record([] {});
    CHECK(books().allocations == 4);  // and the buffer that flushes L2, and the timer's own
    CHECK(books().modules == 2);      // and the timer's
    CHECK(books().locked == 1);
    CHECK(books().streams == 2);  // and the one that records
    CHECK(books().executables == 1);
  }
  CHECK(books().locked == 0);
  CHECK(books().streams == 0);
  CHECK(books().graphs == 0);
  CHECK(books().executables == 0);
  CHECK(books().allocations == 0);
  CHECK(books().modules == 0);
  CHECK(books().events == 0);
  CHECK(books().contexts == 0);
}

TEST_CASE("the driver compiles the kernels asked for, once, and no others") {
  const auto device = fake_gpu();
  CHECK(books().compiled.empty());
  (void)device->kernel("iota");
  (void)device->kernel("iota");
  (void)device->kernel("scale<int, 3>");
  REQUIRE(books().compiled.size() == 2);
  CHECK(books().compiled[0].find(".entry iota(") != std::string::npos);
  CHECK(books().compiled[0].find(".entry _Z5scale") == std::string::npos);
}

TEST_CASE("kernels that share a variable are compiled together") {
  const auto device = fake_gpu();
  device->load(variable_kernels);
  (void)device->kernel("count_call");
  (void)device->kernel("calls_so_far");
  CHECK(books().compiled.size() == 1);
}

TEST_CASE("shared memory beyond 48 KiB is opted into, less is not") {
  const auto device = fake_gpu();
  const auto data = upload(*device, std::vector<int>(4, 1));
  launch(*device, "reverse", {{1, 1, 1}, {4, 1, 1}, 49152}, data, 4);
  CHECK(books().opted_in_shared_bytes == 0);
  launch(*device, "reverse", {{1, 1, 1}, {4, 1, 1}, 49156}, data, 4);
  CHECK(books().opted_in_shared_bytes == 49156);
}

TEST_CASE("copies and launches are queued on the streams that were asked for, each made once") {
  const auto device = fake_gpu();
  const auto data = upload(*device, std::vector<int>(4, 1));
  const auto host = device->host_memory("host", 16, true);
  for (int round = 0; round < 2; ++round) {
    device->queue_write(data, {host.get(), 16}, 3);
    launch(*device, "scale<int, 3>", {{1, 1, 1}, {32, 1, 1}, 0, false, 3}, data, 4);
    device->queue_read({host.get(), 16}, data, 8);
    launch(*device, "scale<int, 3>", {{1, 1, 1}, {32, 1, 1}}, data, 4);
  }
  CHECK(books().streams == 2);
  REQUIRE(books().queued.size() == 8);
  const std::string three = books().queued[0].substr(10), eight = books().queued[2].substr(8);
  CHECK(three != eight);
  CHECK(three != "0");
  for (const std::size_t round : {0U, 4U})
    CHECK(std::vector(books().queued.begin() + static_cast<std::ptrdiff_t>(round),
                      books().queued.begin() + static_cast<std::ptrdiff_t>(round) + 4) ==
          std::vector<std::string>{"to device " + three, "launch " + three, "to host " + eight, "launch 0"});
}

TEST_CASE("a recording is one graph, launched by one call, and takes work of the default stream alone") {
  const auto device = fake_gpu();
  const auto data = upload(*device, std::vector<int>(4, 1));
  (void)device->kernel("scale<int, 3>");
  const auto scale_on = [&](std::uint32_t stream) {
    launch(*device, "scale<int, 3>", {{1, 1, 1}, {32, 1, 1}, 0, false, stream}, data, 4);
  };
  const auto recording = device->record([&] {
    for (int i = 0; i < 100; ++i) scale_on(0);
  });
  CHECK(books().launched.empty());
  recording->replay();
  CHECK(books().launched.size() == 100);
  CHECK(books().replays == 1);
  CHECK_THROWS_WITH((void)device->record([&] { scale_on(1); }), "recorded work belongs on stream 0");
  // What may not happen while a stream records ends the recording in the driver's words, and nothing else.
  const auto disturbed = [&] {
    scale_on(0);
    (void)launch_failure([&] { device->fill(data, std::byte{0}, 16); });
  };
  CHECK_THROWS_WITH((void)device->record(disturbed), ContainsSubstring("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"));
  scale_on(0);
  CHECK(books().launched.size() == 101);
  CHECK(books().graphs == 0);
  CHECK(books().executables == 1);
}

TEST_CASE("beside each time stands the SMs' clock, and why it is held back") {
  const auto device = fake_gpu();
  static auto* const library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  auto& reasons = *reinterpret_cast<unsigned long long* (*)()>(dlsym(library, "fake_nvml_reasons"))();
  (void)device->time([] {}, false);
  CHECK(clock_of(*device).sm_mhz == 1755);
  CHECK(clock_of(*device).throttled.empty());
  CHECK(throttling_unseen(*device).empty());
  books().sm_mhz = 1200;
  reasons = 0x1 | 0x4 | 0x20;  // idle, too, which takes nothing from anybody
  (void)device->time([] {}, false);
  CHECK(clock_of(*device).sm_mhz == 1200);
  CHECK(clock_of(*device).throttled == "power cap, thermal slowdown by the driver");
  reasons = 0;
}

TEST_CASE("what does not fit into the GPU's memory is refused before anything of it is allocated") {
  const auto device = fake_gpu();
  const Buffer small{"small", Scalar::f32, 1 << 20, BufferRole::input},
      large{"large", Scalar::f32, 1 << 28, BufferRole::output};
  const std::array buffers{small, large};
  check_room(*device, std::span(&small, 1), {}, true);
  try {
    check_room(*device, buffers, {}, true);
    FAIL("a gibibyte beside eight megabytes");
  } catch (const LaunchError& error) {
    CHECK(error.kind == LaunchFailure::out_of_memory);
    CHECK(std::string(error.what()) == "the case needs 1.01 GiB of the GPU's memory, 1 GiB of 1 GiB are free");
    CHECK(error.hint == "choose a smaller size");
  }
  CHECK(books().allocations == 0);
}

TEST_CASE("page-locked memory that is not to be had is out of memory") {
  const auto device = fake_gpu();
  try {
    (void)device->host_memory("host", std::size_t{1} << 40, true);
    FAIL("locked a tebibyte");
  } catch (const LaunchError& error) {
    CHECK(error.kind == LaunchFailure::out_of_memory);
    CHECK(error.where == "host");
    CHECK(error.hint == "page-locked memory cannot be swapped out: choose a smaller size");
  }
  CHECK(books().locked == 0);
}

TEST_CASE("a cooperative launch is one") {
  const auto device = fake_gpu();
  const auto data = upload(*device, std::vector<unsigned>{0});
  launch(*device, "meet", {{2, 1, 1}, {32, 1, 1}, 0, true}, data);
  CHECK(books().cooperative_launches == 1);
  CHECK_THROWS_WITH(launch(*device, "meet", {{261, 1, 1}, {1024, 1, 1}, 0, true}, data),
                    "a cooperative grid is resident at once: at most 260 blocks of 1024x1x1, not 261");
}

TEST_CASE("kernels that launch kernels are linked with the device runtime, once for all of them") {
  const auto device = fake_gpu();
  device->load(nested_kernels);
  CHECK(device->kernel("streams").parameter_sizes == std::vector<std::size_t>{8, 8});
  (void)device->kernel("tree");
  CHECK(books().compiled.empty());
  CHECK(books().linked == std::vector<std::string>{"kernels.ptx: //\n// G", "libcudadevrt.a: !<arch>"});
  CHECK(books().linkers == 0);
  CHECK(books().modules == 2);  // and the timer's
}

TEST_CASE("what the driver's compiler says is the hint") {
  const auto device = fake_gpu();
  device->load({"broken.ptx",
                ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry broken()\n{ frobnicate.u32 %r1; }",
                {}});
  try {
    (void)device->kernel("broken");
    FAIL("compiled nonsense");
  } catch (const Error& error) {
    CHECK(std::string(error.what()) == "CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed");
    CHECK(error.where == "broken.ptx");
    CHECK(error.hint == "the driver's compiler says: unknown frobnicate");
  }
}

// Last: as on hardware, nothing works in this process afterwards.
TEST_CASE("a fault is named after its kernel, and is no trouble for what must be released") {
  const auto device = fake_gpu();
  const auto data = upload(*device, std::vector<int>(4, 1), "data");
  launch(*device, "store_at", {{1, 1, 1}, {1, 1, 1}}, data, std::int64_t{1} << 30);
  try {
    device->synchronize();
    FAIL("a fault went unnoticed");
  } catch (const LaunchError& error) {
    CHECK(error.kind == LaunchFailure::fault);
    CHECK(std::string(error.what()) == "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered");
    CHECK(error.where == "store_at");
    CHECK(error.hint == "'--device sim --sanitize memcheck' names the line, the thread and the address");
  }
  CHECK(launch_failure([&] { (void)read_values<int>(*device, data, 4); }) == LaunchFailure::fault);
  CHECK(launch_failure([&] { (void)device->time([] {}, true); }) == LaunchFailure::fault);
  CHECK(launch_failure([&] { device->queue_write(data, std::as_bytes(std::span("four", 4)), 1); }) ==
        LaunchFailure::fault);
  CHECK(launch_failure([&] { (void)device->record([] {}); }) == LaunchFailure::fault);
  CHECK(launch_failure([&] { (void)device->host_memory("host", 64, true); }) == LaunchFailure::fault);
}

}  // namespace
}  // namespace gpulab::tests
