#include "common/occupancy.h"

#include "tests/catch.h"

using gpulab::gpu_profile;
using gpulab::occupancy;
using Limits = std::vector<std::string>;

TEST_CASE("the lecture's example on a GTX 970: 48 registers and 4096 bytes of a block of 128 leave 40 of 64 warps") {
  const auto result = occupancy(gpu_profile("gtx970"), 48, 4096, 0, 128).value();
  CHECK(result.theoretical == 0.625);
  CHECK(result.blocks_per_sm == 10);
  CHECK(result.limited_by == Limits{"registers"});
}

TEST_CASE("occupancy on an H200 is what Nsight Compute reports") {
  // tests/data/h200_counters.csv: registers per thread, block, the smallest of the block limits.
  const auto& h200 = gpu_profile("h200");
  CHECK(occupancy(h200, 18, 0, 0, 256)->blocks_per_sm == 8);     // neighbored
  CHECK(occupancy(h200, 16, 0, 1024, 256)->blocks_per_sm == 8);  // smem_seq
  CHECK(occupancy(h200, 20, 0, 0, 256)->blocks_per_sm == 8);     // tr_naive
  CHECK(occupancy(h200, 28, 4224, 0, 256)->blocks_per_sm == 8);  // tr_tile<1>: registers and warps both bind
  CHECK(occupancy(h200, 16, 4096, 0, 512)->blocks_per_sm == 4);  // dbl
  CHECK(occupancy(h200, 28, 4224, 0, 256)->limited_by == Limits{"warps", "registers"});
  CHECK(occupancy(h200, 16, 0, 1024, 256)->limited_by == Limits{"warps"});
}

TEST_CASE("blocks of one warp are limited by their number") {
  const auto result = occupancy(gpu_profile("h200"), 16, 0, 0, 32).value();
  CHECK(result.blocks_per_sm == 32);
  CHECK(result.theoretical == 0.5);
  CHECK(result.limited_by == Limits{"blocks"});
}

TEST_CASE("dynamic shared memory limits as static does, the driver's 1 KiB per block included") {
  const auto& h200 = gpu_profile("h200");
  const auto result = occupancy(h200, 16, 0, 100 * 1024, 256).value();
  CHECK(result.blocks_per_sm == 2);  // 2 x 101 KiB of 228
  CHECK(result.limited_by == Limits{"shared"});
  CHECK(occupancy(h200, 16, 0, 227 * 1024, 256)->blocks_per_sm == 1);
}

TEST_CASE("a preferred carveout leaves as few blocks as an H100 says, and keeps") {
  // Blocks of 32 threads (tests/timing/README.md).
  const auto& h100 = gpu_profile("h100");
  const auto blocks = [&](std::size_t bytes, int percent) {
    return occupancy(h100, 16, bytes, 0, 32, percent)->blocks_per_sm;
  };
  constexpr int said[][3] = {{-1, 32, 9}, {0, 1, 1},   {5, 2, 1},   {10, 4, 1},  {20, 9, 2},
                             {33, 14, 4}, {50, 18, 5}, {75, 28, 7}, {100, 32, 9}};
  for (const auto& [percent, six_kib, twenty_four_kib] : said) {
    INFO(percent);
    CHECK(blocks(6144, percent) == six_kib);
    CHECK(blocks(24576, percent) == twenty_four_kib);
  }
  CHECK(blocks(16, 0) == 7);
}

TEST_CASE("more shared memory than a block can have leaves no block") {
  CHECK(occupancy(gpu_profile("h200"), 16, 0, 228 * 1024, 256)->blocks_per_sm == 0);
  CHECK(occupancy(gpu_profile("t4"), 16, 0, 65 * 1024, 256)->blocks_per_sm == 0);
}

TEST_CASE("each resource of an SM has room for a number of blocks of its own") {
  const auto lecture = gpulab::block_limits(gpu_profile("gtx970"), 48, 4096, 0, 128).value();
  CHECK(lecture.warps == 16);  // 64 / 4
  CHECK(lecture.registers == 10);
  CHECK(lecture.shared == 24);  // 98304 / 4096
  CHECK(lecture.blocks == 32);
  CHECK_FALSE(gpulab::block_limits(gpu_profile("gtx970"), 48, 0, 0, 128)->shared);
  CHECK(gpulab::block_limits(gpu_profile("h200"), 48, 0, 0, 128)->shared == 228);  // the driver's KiB per block
}

TEST_CASE("without the registers the occupancy is unknown, not a guess") {
  CHECK_FALSE(occupancy(gpu_profile("h200"), std::nullopt, 0, 0, 256));
  CHECK_FALSE(occupancy(gpu_profile("h200"), 16, 0, 0, 0));
}

TEST_CASE("255 registers leave an eighth of the warps") {
  const auto result = occupancy(gpu_profile("a100"), 255, 0, 0, 128).value();
  CHECK(result.theoretical == 0.125);
  CHECK(result.limited_by == Limits{"registers"});
}

TEST_CASE("blocks spread over SMs that have none first, then fill them wave by wave") {
  const auto full = occupancy(gpu_profile("h200"), 16, 0, 0, 256);  // 8 blocks per SM: 1,056 at once
  const auto one = gpulab::spread_of(1, full, 132);
  CHECK(one.sms_used == 1);
  CHECK(one.waves == 1.0 / 1056);
  CHECK(one.tail == 1 - 1.0 / 1056);
  CHECK(gpulab::spread_of(200, full, 132).sms_used == 132);
  CHECK(gpulab::spread_of(1056, full, 132).tail == 0);
  const auto more = gpulab::spread_of(1056 + 264, full, 132);
  CHECK(more.waves == 1.25);
  CHECK(more.tail == 0.75);
  const auto unknown = gpulab::spread_of(5, std::nullopt, 13);
  CHECK(unknown.sms_used == 5);
  CHECK_FALSE(unknown.waves);
  CHECK_FALSE(unknown.tail);
}
