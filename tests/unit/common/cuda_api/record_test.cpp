#include "common/cuda_api/record.h"

#include <functional>

#include "common/error.h"
#include "tests/catch.h"

using namespace gpulab;
using namespace gpulab::cuda_api;

namespace {

/// A kernel with one line, one access and one time.
Record one_line() {
  Record record;
  record.gpu = "h200";
  record.allocations["cudaMalloc #2"] = "program+0x12";
  KernelRecord& kernel = record.kernels.emplace_back();
  kernel.name = "fill(int*)";
  LaunchLines& launch = kernel.lines.emplace();
  launch.kernel = "fill";
  launch.file = "/home/ada/fill.cu";
  launch.grid = {2, 1, 1};
  launch.phases = 1;
  LineCounts& line = launch.lines.emplace_back();
  line.line = 7;
  line.executions = 12;
  LineAccess& access = launch.accesses.emplace_back();
  access.line = 7;
  access.instruction = "st.global.u32";
  access.store = true;
  access.width = 4;
  access.mask = 3;
  access.addresses[1] = -128;
  launch.idle.push_back({7, 5, 30, 1});
  launch.time.emplace();
  launch.time->ms = 0.5;
  launch.time->lines.push_back({7, 0.25, 0, 0, 0, 0});
  launch.time->what_ifs.push_back({7, "uncoalesced", 0.25});
  return record;
}

void refused(const std::function<void(LaunchLines&)>& forge) {
  Record record = one_line();
  forge(*record.kernels.front().lines);
  CHECK_THROWS_WITH(decode_record(encode(record)), "what the program's process recorded cannot be read");
}

}  // namespace

TEST_CASE("the lines of a program's kernel come over as they are", "[cuda_api]") {
  const Record record = decode_record(encode(one_line()));
  REQUIRE(record.kernels.size() == 1);
  REQUIRE(record.kernels.front().lines);
  const LaunchLines& launch = *record.kernels.front().lines;
  CHECK(launch.file == "/home/ada/fill.cu");
  CHECK(launch.grid.x == 2);
  CHECK(launch.lines.front().executions == 12);
  CHECK(launch.accesses.front().instruction == "st.global.u32");
  CHECK(launch.accesses.front().addresses[1] == -128);
  CHECK(launch.idle.front().slots == 30);
  REQUIRE(launch.time);
  CHECK(launch.time->lines.front().total() == 0.25);
  CHECK(launch.time->what_ifs.front().kind == "uncoalesced");
  CHECK(record.allocations.at("cudaMalloc #2") == "program+0x12");
}

TEST_CASE("lines that a program has forged are refused where reports could not work with them", "[cuda_api]") {
  refused([](LaunchLines& launch) { launch.accesses.front().mask = 0; });
  refused([](LaunchLines& launch) { launch.accesses.front().width = 0; });
  refused([](LaunchLines& launch) { launch.accesses.front().width = 1U << 31; });
  refused([](LaunchLines& launch) { launch.accesses.front().addresses[5] = INT64_MIN; });
  refused([](LaunchLines& launch) { launch.phases = most_phases + 1; });
}
