#include "runner/options/blocks.h"

#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

std::string block_refusal(const std::string& text) {
  return error_of([&] { return parse_blocks(text); });
}
std::string grid_refusal(const std::string& text) {
  return error_of([&] { return parse_grid(text); });
}
const std::string smaller = " | use a smaller block and more of them; 256 is a good start";

}  // namespace

TEST_CASE("blocks have one to three dimensions") {
  CHECK(parse_blocks("256") == std::vector<Dim3>{{256, 1, 1}});
  CHECK(parse_blocks("32x8,8x8x4") == std::vector<Dim3>{{32, 8, 1}, {8, 8, 4}});
  CHECK(parse_blocks("1024,1x1024,16x1x64") == std::vector<Dim3>{{1024, 1, 1}, {1, 1024, 1}, {16, 1, 64}});
}

TEST_CASE("a block of 1025 threads is refused") {
  CHECK(block_refusal("1025") == "--block: a block of 1025 threads is beyond the hardware: at most 1024" + smaller);
  CHECK(block_refusal("2048") == "--block: a block of 2048 threads is beyond the hardware: at most 1024" + smaller);
  CHECK(block_refusal("33x33") ==
        "--block: a block of 1089 threads (33x33) is beyond the hardware: at most 1024" + smaller);
}

TEST_CASE("a block is at most 64 deep") {
  CHECK(block_refusal("1x1x65") == "--block: block 1x1x65 is beyond the hardware: z = 65, at most 64");
}

TEST_CASE("a block without threads is refused") {
  CHECK(block_refusal("0") == "--block: a block of 0 is empty");
  CHECK(block_refusal("32x0") == "--block: a block of 32x0 is empty");
}

TEST_CASE("every malformed block is refused") {
  for (const std::string text : {"", "x", "256x", "a", "-1", "2^8", "1x1x1x1", "32 x8", "32X8"}) {
    CHECK(block_refusal(text) == "--block: malformed value '" + text + "' | a block is 256, 32x8 or 8x8x4");
  }
  CHECK(block_refusal("256,128,256") == "--block: 256 appears twice in '256,128,256'");
}

TEST_CASE("a block too large for 32 bits is beyond the hardware, not wrapped") {
  CHECK(block_refusal("4294967552") ==
        "--block: block 4294967295 is beyond the hardware: x = 4294967295, at most 1024");
}

TEST_CASE("a grid is automatic or within the hardware's limits") {
  CHECK_FALSE(parse_grid("auto").has_value());
  CHECK(parse_grid("16384") == Dim3{16384, 1, 1});
  CHECK(parse_grid("2147483647x65535x65535") == Dim3{2147483647, 65535, 65535});
  CHECK(grid_refusal("2147483648") ==
        "--grid: grid 2147483648 is beyond the hardware: x = 2147483648, at most 2147483647");
  CHECK(grid_refusal("1x65536") == "--grid: grid 1x65536 is beyond the hardware: y = 65536, at most 65535");
  CHECK(grid_refusal("0") == "--grid: a grid of 0 is empty");
  CHECK(grid_refusal("1,2") == "--grid: malformed value '1,2' | a grid is auto, 1024, 64x64 or 16x16x16 blocks");
}
