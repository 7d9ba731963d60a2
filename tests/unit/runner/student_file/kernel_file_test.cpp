#include "runner/student_file/kernel_file.h"

#include <fstream>

#include "common/device/simulator/simulated.h"
#include "runner/execution/executor.h"
#include "runner/execution/wire.h"
#include "tests/catch.h"
#include "tests/folder.h"

namespace gpulab {
namespace {

KernelFile add_one() {
  FileRequest request;
  request.file = "add_one.ptx";
  std::ifstream file(tests::tests_folder().string() + "/cli/files/add_one.ptx");
  request.source = {std::istreambuf_iterator<char>(file), {}};
  request.arguments = {"data:i32[5]=iota", "n:u32=4"};
  request.expectations = {"data=7"};
  return load_kernel_file(request, 90);
}

Case case_of(const Lab& lab) {
  Case point;
  point.block = {32, 1, 1};
  point.grid = lab.variants[0].automatic_grid(point);
  return point;
}

TEST_CASE("a file's kernel runs as a lab of one variant, and its buffers are reported") {
  const Lab lab = file_lab(add_one());
  CHECK(lab.name == "run");
  CHECK(lab.variants.at(0).name == "add_one");
  const auto executor = in_process(make_simulator(gpu_profile("h200")));
  const auto result = executor->run(lab, lab.variants[0], case_of(lab), {});
  CHECK(result.status == CaseStatus::wrong);
  CHECK(result.message == "data[0] is 1, not 7 (5 of 5 elements differ)");
  REQUIRE(result.buffers.size() == 1);
  CHECK(result.buffers[0].name == "data");
  CHECK(result.buffers[0].type == "i32");
  CHECK(result.buffers[0].count == 5);
  std::vector<std::int64_t> first;
  for (const auto& value : result.buffers[0].first) first.push_back(std::get<std::int64_t>(value));
  CHECK(first == std::vector<std::int64_t>{1, 2, 3, 4, 4});
  REQUIRE(result.counters);
  CHECK((*result.counters)["global_store_requests"] == 1);
}

TEST_CASE("a file's lab is made anew from what crosses the wire") {
  WireCase sent{"run", "add_one", {}, {}, add_one()};
  sent.file->resources = KernelResources{90, 12, 64, 16};
  sent.options.dumps = {{"data", "data.bin"}};
  const auto got = decode_case(encode(sent));
  REQUIRE(got.file);
  CHECK(*got.file == *sent.file);
  CHECK(got.options.dumps == sent.options.dumps);
  const Lab lab = file_lab(*got.file);
  CHECK(lab.file->kernels.ptx == sent.file->ptx);
  CHECK(lab.file->kernels.resources[0].registers == 12);
}

TEST_CASE("an automatic grid gives each element of the longest buffer a thread") {
  auto file = add_one();
  file.arguments = {"data:i32[5]=iota", "n:u32=4", "x:u8[2^33]=0"};
  const Lab lab = file_lab(file);
  Case point;
  point.block = {256, 1, 1};
  CHECK(lab.variants[0].automatic_grid(point) == Dim3{1U << 25, 1, 1});
}

TEST_CASE("buffers beyond the host's memory are refused before they are made") {
  auto file = add_one();
  file.arguments = {"data:f64[2^42]=iota", "n:u32=4"};
  file.expectations.clear();
  const Lab lab = file_lab(file);
  const auto executor = in_process(make_simulator(gpu_profile("h200")));
  auto point = case_of(lab);
  RunOptions options;
  options.grid = Dim3{1, 1, 1};
  const auto result = executor->run(lab, lab.variants[0], point, options);
  CHECK(result.status == CaseStatus::error);
  CHECK_THAT(result.message, StartsWith("the buffers need 64 TiB of host memory, "));
}

}  // namespace
}  // namespace gpulab
