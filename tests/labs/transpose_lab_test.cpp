// What the lab `transpose` shows, in exact figures: coalescing, bank conflicts, and how many instructions move as much.

#include <fmt/format.h>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

/// 256 x 256 elements: 64 tiles of 32 x 32, 2048 rows of 32 elements, each a warp's.
constexpr std::int64_t side = 256;
constexpr double warps = 2048;

Result square(std::string_view variant, const std::string& type = "float", const CaseChanges& changes = {}) {
  const Result result = run_lab_case("transpose", variant, {{"rows", side}, {"cols", side}, {"type", type}}, changes);
  INFO(variant << " " << type << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

struct PerRequest {
  double load_sectors, store_sectors;
};
PerRequest sectors(const Result& r) {
  return {counted(r, "global_load_sectors") / counted(r, "global_load_requests"),
          counted(r, "global_store_sectors") / counted(r, "global_store_requests")};
}

}  // namespace

TEST_CASE("a warp of the naive transposes touches 32 sectors on one side, of the others 4 on both") {
  for (const auto& variant : lab_named("transpose").variants) {
    if (variant.vendor.run != nullptr || variant.name == "coarsened_vec" || variant.name.starts_with("large")) continue;
    const Result r = square(variant.name);
    INFO(variant.name);
    CHECK(sectors(r).load_sectors == (variant.name == "naive_col" ? 32 : 4));
    CHECK(sectors(r).store_sectors == (variant.name == "naive_row" ? 32 : 4));
    CHECK(counted(r, "global_load_requests") == warps);
    CHECK(counted(r, "global_store_requests") == warps);
  }
  CHECK(counted(square("naive_row"), "global_store_efficiency") == 0.125);
  CHECK(counted(square("naive_col"), "global_load_efficiency") == 0.125);
}

TEST_CASE("the block's shape decides which side of naive_row suffers") {
  const auto wide = square("naive_row", "float", {.block = Dim3{1024, 1}});
  CHECK(sectors(wide).load_sectors == 4);
  CHECK(sectors(wide).store_sectors == 32);
  const auto tall = square("naive_row", "float", {.block = Dim3{1, 1024}});
  CHECK(sectors(tall).load_sectors == 32);
  CHECK(sectors(tall).store_sectors == 4);
}

TEST_CASE("a column of the tile is one bank: 31 conflicts per load, none where it is padded or swizzled") {
  for (const std::string kind : {"tiled", "coarsened"}) {
    const Result conflicting = square(kind), padded = square(kind + "_padded"), copied = square(kind + "_copy");
    CHECK(counted(conflicting, "shared_load_requests") == warps);
    CHECK(counted(conflicting, "shared_load_bank_conflicts") == 31 * warps);
    CHECK(counted(conflicting, "shared_store_bank_conflicts") == 0);
    CHECK(counted(padded, "shared_load_bank_conflicts") == 0);
    CHECK(counted(copied, "shared_load_bank_conflicts") == 0);
    CHECK(padded.launch->static_shared_bytes == 32 * 33 * 4);
  }
  const Result swizzled = square("tiled_swizzled");
  CHECK(counted(swizzled, "shared_load_bank_conflicts") == 0);
  CHECK(counted(swizzled, "shared_store_bank_conflicts") == 0);
  CHECK(swizzled.launch->static_shared_bytes == 32 * 32 * 4);
  for (const std::string copy : {"tiled_copy", "coarsened_copy"}) {
    const Result plain = square(copy), padded = square(copy + "_padded");
    CHECK(counted(padded, "shared_load_wavefronts") == counted(plain, "shared_load_wavefronts"));
    CHECK(counted(padded, "shared_store_wavefronts") == counted(plain, "shared_store_wavefronts"));
    CHECK(plain.launch->static_shared_bytes == 32 * 32 * 4);
    CHECK(padded.launch->static_shared_bytes == 32 * 33 * 4);
  }
}

TEST_CASE("conflicts by element type: bytes share words, doubles take two passes") {
  // A column of bytes: word 8 r of row r, four rows to 32 words, so 8 lanes meet in each of 4 banks.
  CHECK(counted(square("tiled", "byte"), "shared_load_bank_conflicts") == 7 * warps);
  // A column of doubles: each half warp's 16 lanes meet in one pair of banks.
  CHECK(counted(square("tiled", "double"), "shared_load_bank_conflicts") == 30 * warps);
  for (const std::string type : {"byte", "int", "double"}) {
    for (const std::string variant : {"tiled_padded", "tiled_swizzled", "coarsened_padded"}) {
      INFO(variant << " " << type);
      const Result r = square(variant, type);
      CHECK(counted(r, "shared_load_bank_conflicts") == 0);
      CHECK(counted(r, "shared_store_bank_conflicts") == 0);
    }
  }
}

TEST_CASE("a quarter of the threads passes a quarter of the barriers, in fewer instructions") {
  const Result tiled = square("tiled_padded"), coarsened = square("coarsened_padded");
  CHECK(counted(tiled, "barriers") == warps);
  CHECK(counted(coarsened, "barriers") == warps / 4);
  CHECK(counted(coarsened, "warp_instructions") < counted(tiled, "warp_instructions"));
}

TEST_CASE("vectors of four floats: a quarter of the requests, as many sectors, and still no conflict") {
  const Result r = square("coarsened_vec");
  CHECK(counted(r, "global_load_requests") == warps / 4);
  CHECK(counted(r, "global_store_requests") == warps / 4);
  CHECK(counted(r, "global_load_sectors") == 4 * warps);
  CHECK(counted(r, "global_store_sectors") == 4 * warps);
  CHECK(counted(r, "shared_load_bank_conflicts") == 0);
  CHECK(counted(r, "shared_store_bank_conflicts") == 0);
  CHECK(counted(square("coarsened_vec", "double"), "global_load_requests") == warps / 2);
}

TEST_CASE("a large tile moves as many sectors in as few requests, and its blocks may go down instead of across") {
  const Result across = square("large_tile"), down = square("large_tile_down"), vectors = square("coarsened_vec");
  for (const char* name :
       {"global_load_requests", "global_load_sectors", "global_store_requests", "global_store_sectors"}) {
    INFO(name);
    CHECK(counted(across, name) == counted(vectors, name));
    CHECK(counted(down, name) == counted(vectors, name));
  }
  CHECK(counted(across, "barriers") < counted(vectors, "barriers"));
  const std::map<std::string, ParamValue, std::less<>> odd{{"rows", std::int64_t{300}}, {"cols", std::int64_t{77}}};
  for (const char* type : {"float", "double", "byte"})
    for (const char* rung : {"large_tile", "large_tile_down"}) {
      auto params = odd;
      params["type"] = std::string(type);
      INFO(rung << " of " << type);
      CHECK(run_lab_case("transpose", rung, {params.begin(), params.end()}).status == CaseStatus::ok);
    }
}

TEST_CASE("rows that do not start on a vector's boundary are moved element by element") {
  const std::map<std::string, ParamValue> odd{{"rows", std::int64_t{256}}, {"cols", std::int64_t{255}}};
  const Result r = run_lab_case("transpose", "coarsened_vec", odd);
  REQUIRE(r.status == CaseStatus::ok);
  CHECK(counted(r, "global_load_requests") > counted(square("coarsened_vec"), "global_load_requests"));
  CHECK(counted(r, "global_store_requests") < 2 * warps / 4);  // the output's rows have 256 elements
}

TEST_CASE("every tile is clean under the sanitizer") {
  for (const auto& variant : lab_named("transpose").variants) {
    if (variant.vendor.run != nullptr) continue;
    const Result r = run_lab_case("transpose", variant.name, {{"rows", std::int64_t{77}}, {"cols", std::int64_t{45}}},
                                  {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << r.message);
    CHECK(r.status == CaseStatus::ok);
  }
}
