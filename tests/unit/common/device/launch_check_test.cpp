#include "common/device/launch_check.h"

#include <vector>

#include "common/error.h"
#include "tests/catch.h"

namespace gpulab {
namespace {

Kernel saxpy() {
  Kernel kernel;
  kernel.cpp_name = "saxpy";
  kernel.parameter_sizes = {4, 8, 8, 4};
  kernel.attributes.static_shared_bytes = 1024;
  kernel.attributes.max_threads_per_block = 512;
  return kernel;
}

/// The message of the refusal, or "accepted".
template <typename F>
std::string refusal(const F& check) {
  try {
    check();
  } catch (const Error& error) {
    CHECK(error.code == ExitCode::usage);
    CHECK(error.where == "saxpy");
    return error.what();
  }
  return "accepted";
}

std::string arguments(const std::vector<KernelArgument>& values) {
  return refusal([&] { check_arguments(saxpy(), values); });
}

std::string shape(const LaunchConfig& config) {
  return refusal([&] { check_shape(saxpy(), config, LaunchLimits{}); });
}

TEST_CASE("arguments that fit the parameter list are accepted") {
  CHECK(arguments({KernelArgument::of(1.0F), KernelArgument::of(DevicePointer{1}), KernelArgument::of(DevicePointer{2}),
                   KernelArgument::of(7)}) == "accepted");
}

TEST_CASE("too few and too many arguments are refused") {
  CHECK(arguments({}) == "the kernel takes 4 arguments, not 0");
  CHECK(arguments(std::vector<KernelArgument>(5)) == "the kernel takes 4 arguments, not 5");
}

TEST_CASE("an argument of the wrong size is refused") {
  CHECK(arguments({KernelArgument::of(1.0F), KernelArgument::of(DevicePointer{1}), KernelArgument::of(DevicePointer{2}),
                   KernelArgument::of(std::int64_t{7})}) == "argument 4 of the kernel has 4 bytes, not 8");
}

TEST_CASE("a block of 1025 threads, of none, and of too many planes is refused") {
  CHECK(shape({{1, 1, 1}, {1025, 1, 1}}) == "a block has at most 1024 threads, not 1025 (1025x1x1)");
  CHECK(shape({{1, 1, 1}, {33, 33, 1}}) == "a block has at most 1024 threads, not 1089 (33x33x1)");
  CHECK(shape({{1, 1, 1}, {0, 1, 1}}) == "a block has at least 1 thread, not 0x1x1");
  CHECK(shape({{1, 1, 1}, {1, 1, 65}}) == "a block is at most 1024x1024x64, not 1x1x65");
}

TEST_CASE("a block beyond the kernel's own bound is refused") {
  CHECK(shape({{1, 1, 1}, {1024, 1, 1}}) == "this kernel runs with at most 512 threads per block, not 1024");
}

TEST_CASE("a grid without blocks or beyond the hardware is refused") {
  CHECK(shape({{0, 1, 1}, {32, 1, 1}}) == "a grid has at least 1 block, not 0x1x1");
  CHECK(shape({{1, 65536, 1}, {32, 1, 1}}) == "a grid is at most 2147483647x65535x65535 blocks, not 1x65536x1");
  CHECK(shape({{2147483647, 65535, 65535}, {32, 1, 1}}) == "accepted");
}

TEST_CASE("static and dynamic shared memory count together") {
  CHECK(shape({{1, 1, 1}, {32, 1, 1}, 49152 - 1024}) == "accepted");
  CHECK(shape({{1, 1, 1}, {32, 1, 1}, 49152 - 1023}) == "a block has at most 49152 bytes of shared memory, not 49153");
}

}  // namespace
}  // namespace gpulab
