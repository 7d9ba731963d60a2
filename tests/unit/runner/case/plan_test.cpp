#include "runner/case/plan.h"

#include "labs/registry.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

Dim3 automatic_grid(const Lab& lab, const Variant& variant, const Case& point) {
  return plan(lab, variant, point, std::nullopt).steps.at(0).grid;
}
Case sized(const Lab& lab, std::int64_t n, Dim3 block) {
  auto point = default_case(lab);
  point.params.values["n"] = n;
  point.block = block;
  return point;
}

}  // namespace

TEST_CASE("the automatic grid covers the extent, rounded up, and is never empty") {
  const auto lab = doubling_lab();
  const auto& plain = find_variant(lab, "plain");
  CHECK(automatic_grid(lab, plain, sized(lab, 1024, {256})) == Dim3{4, 1, 1});
  CHECK(automatic_grid(lab, plain, sized(lab, 1025, {256})) == Dim3{5, 1, 1});
  CHECK(automatic_grid(lab, plain, sized(lab, 1, {256})) == Dim3{1, 1, 1});
  CHECK(automatic_grid(lab, plain, sized(lab, 0, {256})) == Dim3{1, 1, 1});
}

TEST_CASE("a variant's block may cover more than its threads, in two dimensions") {
  auto lab = doubling_lab();
  lab.extent = [](const Case&) { return Dim3{100, 65, 1}; };
  auto variant = find_variant(lab, "plain");
  variant.blocks.dimensions = 2;
  variant.covers = [](const Case&) { return Dim3{32, 32, 1}; };
  CHECK(automatic_grid(lab, variant, sized(lab, 1, {32, 8})) == Dim3{4, 3, 1});
}

TEST_CASE("a grid that leaves elements undone is refused unless the variant strides") {
  const auto lab = doubling_lab();
  auto variant = find_variant(lab, "plain");
  const auto point = sized(lab, 1000, {256});
  CHECK(error_of([&] {
          return plan(lab, variant, point, Dim3{3, 1, 1});
        }) ==
        "--grid: 3 is too small for variant 'plain': 3 blocks of 256 leave part of the problem undone | the problem "
        "needs a grid of 4; 'auto' chooses it");
  CHECK(plan(lab, variant, point, Dim3{9, 1, 1}).steps[0].grid == Dim3{9, 1, 1});
  variant.strides = true;
  CHECK(plan(lab, variant, point, Dim3{3, 1, 1}).point.grid == Dim3{3, 1, 1});
}

TEST_CASE("an automatic grid beyond the hardware is refused") {
  auto lab = doubling_lab();
  lab.extent = [](const Case&) { return Dim3{1, 4'000'000'000, 1}; };
  CHECK(error_of([&] { return plan(lab, find_variant(lab, "plain"), default_case(lab), std::nullopt); }) ==
        "variant 'plain', twice<int>: grid 1x4000000000 is beyond the hardware: y = 4000000000, at most 65535");
}

TEST_CASE("a block that a variant cannot take is refused with the reason") {
  const auto lab = doubling_lab();
  CHECK(error_of([&] { return plan(lab, find_variant(lab, "tree"), sized(lab, 1000, {96}), std::nullopt); }) ==
        "--block: variant 'tree' cannot take 96: its threads must be a power of two, because it halves | blocks it "
        "allows: powers of two up to 1024 threads");
  CHECK(error_of([&] {
          return plan(lab, find_variant(lab, "plain"), sized(lab, 1000, {32, 8}), std::nullopt);
        }) ==
        "--block: variant 'plain' cannot take 32x8: its blocks have 1 dimension | blocks it allows: any up to 1024 "
        "threads");
}

TEST_CASE("every block rule refuses what it excludes and nothing else") {
  CHECK_FALSE(refusal({.whole_warps = true}, {64}));
  CHECK(refusal({.whole_warps = true}, {65}) == "its threads must be whole warps (a multiple of 32)");
  CHECK_FALSE(refusal({.min_threads = 64}, {64}));
  CHECK(refusal({.min_threads = 64}, {32}) == "it needs at least 64 threads");
  CHECK(refusal({.max_threads = 512}, {1024}) == "it takes at most 512 threads");
  const BlockRule two{.dimensions = 2, .only = {{32, 8}, {16, 16}}, .why = "tiles"};
  CHECK_FALSE(refusal(two, {16, 16}));
  CHECK(refusal(two, {8, 32}) == "it allows only 32x8, 16x16, because tiles");
  CHECK_FALSE(refusal({.dimensions = 3}, {4, 4, 4}));
  CHECK(refusal({.dimensions = 2}, {4, 4, 4}) == "its blocks have 2 dimensions");
}

TEST_CASE("blocks are described in words") {
  CHECK(blocks_text({}) == "any up to 1024 threads");
  CHECK(blocks_text({.power_of_two = true, .min_threads = 64}) == "powers of two from 64 up to 1024 threads");
  CHECK(blocks_text({.whole_warps = true, .dimensions = 2}) == "multiples of 32 up to 1024 threads, 2-D");
  CHECK(blocks_text({.only = {{32, 8}}}) == "only 32x8");
}

TEST_CASE("a variant that refuses the lab's default block gets one that it allows") {
  auto lab = doubling_lab();
  auto variant = find_variant(lab, "plain");
  CHECK(default_block(lab, variant) == Dim3{256, 1, 1});
  variant.blocks.only = {{1, 1, 1}};
  CHECK(default_block(lab, variant) == Dim3{1, 1, 1});
  variant.blocks = {.power_of_two = true, .max_threads = 100};
  CHECK(default_block(lab, variant) == Dim3{64, 1, 1});
  variant.blocks = {.min_threads = 700};
  CHECK(default_block(lab, variant) == Dim3{700, 1, 1});
}

TEST_CASE("kernel names take their instance from the case") {
  const auto lab = doubling_lab();
  auto point = default_case(lab);
  point.params.values["op"] = std::string("sum");
  point.params.values["tile"] = std::int64_t{16};
  CHECK(kernel_name("f<{type}, {Op}, {op}, {block}, {tile}>", point) == "f<int, Sum, sum, 256, 16>");
  CHECK(kernel_name("plain", point) == "plain");
  CHECK_THROWS_AS(kernel_name("f<{absent}>", point), std::logic_error);
  CHECK_THROWS_AS(kernel_name("f<{type", point), std::logic_error);
}

TEST_CASE("variants that launch nothing have no plan to check") {
  const auto lab = doubling_lab();
  CHECK(plan(lab, find_variant(lab, "cpu"), sized(lab, 10, {77}), Dim3{1, 1, 1}).steps.empty());
  CHECK(plan(lab, find_variant(lab, "vendor"), default_case(lab), std::nullopt).steps.empty());
}
