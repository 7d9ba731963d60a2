// What the lab `coalescing` shows, in exact figures: sectors per request, and the efficiency that follows.

#include <algorithm>

#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

constexpr std::int64_t n = 4096;  // 128 warps, none of which straddles the end

Result copied(std::string_view variant, std::map<std::string, ParamValue> more = {}) {
  more.emplace("n", n);
  const Result result = run_lab_case("coalescing", variant, more);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}
double sectors_per_load(const Result& r) {
  return counted(r, "global_load_sectors") / counted(r, "global_load_requests");
}
bool draws(const Result& r, std::string_view text) {
  return std::ranges::any_of(r.notes, [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("with a stride s the load efficiency is max(1 / s, 1 / 8)") {
  for (const auto& [stride, sectors] : std::map<std::int64_t, double>{
           {1, 4}, {2, 8}, {3, 12}, {4, 16}, {5, 20}, {7, 28}, {8, 32}, {9, 32}, {32, 32}, {33, 32}}) {
    const Result r = copied("stride", {{"stride", stride}});
    INFO("stride " << stride);
    CHECK(sectors_per_load(r) == sectors);
    CHECK(counted(r, "global_load_efficiency") == 4 / sectors);
    CHECK(counted(r, "formula_efficiency") == std::max(1.0 / static_cast<double>(stride), 1.0 / 8));
    CHECK(std::abs(counted(r, "global_load_efficiency") - counted(r, "formula_efficiency")) < 1e-12);
    CHECK(counted(r, "sectors_of_first_request") == sectors);
    CHECK(counted(r, "global_store_efficiency") == 1);
  }
}

TEST_CASE("strides of 8 and of 32 words touch as many sectors, and twice as many pairs of them") {
  for (const auto& [stride, pairs] : std::map<std::int64_t, double>{{1, 2}, {4, 8}, {8, 16}, {16, 32}, {32, 32}})
    CHECK(counted(copied("stride", {{"stride", stride}}), "pairs_of_first_request") == pairs);
  CHECK(draws(copied("stride", {{"stride", 8}}), "32 sectors in 16 pairs, all of which the warp wants"));
  CHECK(draws(copied("stride", {{"stride", 32}}), "32 sectors in 32 pairs, of each of which it wants one"));
}

TEST_CASE("the curve of the formula starts at 1, ends at 1 / 8 and marks this stride") {
  const Result r = copied("stride", {{"stride", 3}});
  REQUIRE(r.curve);
  CHECK(r.curve->marked == 3);
  CHECK(r.curve->x.size() == r.curve->y.size());
  CHECK(r.curve->y.front() == 1);
  CHECK(r.curve->y[2] == 1.0 / 3);
  CHECK(r.curve->y.back() == 0.125);
}

TEST_CASE("an offset costs a fifth sector, unless it is a multiple of eight words") {
  for (const auto& [offset, sectors] :
       std::map<std::int64_t, double>{{0, 4}, {1, 5}, {7, 5}, {8, 4}, {31, 5}, {32, 4}}) {
    INFO("offset " << offset);
    CHECK(sectors_per_load(copied("offset", {{"offset", offset}})) == sectors);
  }
  CHECK(counted(copied("offset", {{"offset", 1}}), "global_load_efficiency") == 0.8);
}

TEST_CASE("loads from anywhere: hardly two lanes share a sector") {
  const Result r = run_lab_case("coalescing", "random", {{"n", 1 << 20}});
  CHECK(r.status == CaseStatus::ok);
  CHECK(sectors_per_load(r) > 31.9);  // 32 of 131072 sectors meet with a probability of 32 * 31 / 2 / 131072
  CHECK(sectors_per_load(r) <= 32);
}

TEST_CASE("an array of structures is a stride of four words, a structure of arrays is none") {
  CHECK(sectors_per_load(copied("aos")) == 16);
  CHECK(counted(copied("aos"), "global_load_efficiency") == 0.25);
  CHECK(sectors_per_load(copied("soa")) == 4);
  CHECK(counted(copied("soa"), "global_load_efficiency") == 1);
}

TEST_CASE("vectors move as many sectors by a quarter of the requests") {
  const Result words = copied("soa"), vectors = copied("vectors");
  CHECK(sectors_per_load(vectors) == 16);
  CHECK(counted(vectors, "global_load_efficiency") == 1);
  CHECK(counted(vectors, "global_load_requests") * 4 == counted(words, "global_load_requests"));
  CHECK(counted(vectors, "global_store_requests") * 4 == counted(words, "global_store_requests"));
  CHECK(counted(vectors, "global_load_sectors") == counted(words, "global_load_sectors"));
}

TEST_CASE("the drawing shows which sectors the first warp's lanes load from") {
  CHECK(draws(copied("soa"), "line       0    8  8  8  8"));
  CHECK(draws(copied("stride", {{"stride", 2}}), "line       1    4  4  4  4"));
  CHECK(draws(copied("offset", {{"offset", 1}}), "line       0    7  8  8  8"));
  CHECK(draws(copied("offset", {{"offset", 1}}), "line       1    1  .  .  ."));
  CHECK(draws(copied("stride", {{"stride", 32}}), "and so on"));
}

TEST_CASE("a stride too wide for the memory is refused with a hint, not tried") {
  const Result r = run_lab_case("coalescing", "stride", {{"n", 1 << 24}, {"stride", 1024}});
  CHECK(r.status == CaseStatus::error);
  CHECK(r.message.find("--stride 1024: 16777216 elements that far apart are 68 GB of input") != std::string::npos);
}
