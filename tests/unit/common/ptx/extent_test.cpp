#include "common/ptx/extent.h"

#include "tests/catch.h"

using gpulab::extent_of_rows;
using gpulab::Layout;
using gpulab::within;

TEST_CASE("bytes lie within memory or not, whatever their address") {
  CHECK(within(0, 16, 16));
  CHECK(within(16, 0, 16));
  CHECK_FALSE(within(1, 16, 16));
  CHECK_FALSE(within(17, 0, 16));
  CHECK_FALSE(within(UINT64_MAX, 1, 16));
  CHECK_FALSE(within(UINT64_MAX - 3, 8, UINT64_MAX));
  CHECK_FALSE(within(8, UINT64_MAX, 16));
  CHECK_FALSE(within(std::uint64_t{1} << 63, std::uint64_t{1} << 63, 16));
  CHECK(within(0, UINT64_MAX, UINT64_MAX));
}

TEST_CASE("variables are laid out by their alignment up to a limit that no sum passes") {
  Layout layout(64);
  CHECK(layout.place(1, 1) == 0u);
  CHECK(layout.place(8, 8) == 8u);
  CHECK(layout.place(0, 0) == 16u);
  CHECK_FALSE(layout.place(49, 1));
  CHECK_FALSE(layout.place(UINT64_MAX, 1));
  CHECK_FALSE(layout.place(UINT64_MAX - 15, 1));
  CHECK_FALSE(layout.place(1, std::uint64_t{1} << 63));
  CHECK(layout.place(48, 16) == 16u);
  CHECK(layout.end() == 64);
  CHECK_FALSE(layout.place(1, 1));
  CHECK(layout.place(0, 64) == 64u);

  Layout large(UINT64_MAX);
  CHECK(large.place(UINT64_MAX - 1, 1) == 0u);
  CHECK_FALSE(large.place(1, std::uint64_t{1} << 30));
  CHECK_FALSE(large.place(2, 1));
  CHECK(large.place(1, 1) == UINT64_MAX - 1);
}

TEST_CASE("rows of a copy take as many bytes as they take, or more than there are") {
  CHECK(extent_of_rows(0, UINT64_MAX, UINT64_MAX) == 0u);
  CHECK(extent_of_rows(1, UINT64_MAX, 5) == 5u);
  CHECK(extent_of_rows(3, 16, 4) == 36u);
  CHECK(extent_of_rows(UINT64_MAX, 0, 7) == 7u);
  CHECK_FALSE(extent_of_rows(UINT64_MAX, 2, 1));
  CHECK_FALSE(extent_of_rows(std::uint64_t{1} << 60, 16, 1 << 20));
  CHECK(extent_of_rows(2, UINT64_MAX - 1, 1) == UINT64_MAX);
}
