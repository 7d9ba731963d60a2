// What the lab `matmul` shows, in exact figures: how many sectors, loads and wavefronts serve how many multiply-adds.

#include <fmt/format.h>

#include <cmath>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

/// 128 x 128 times 128 x 128: one block's tile from register_2d on. A warp's multiply-adds: 128^3 / 32.
constexpr std::int64_t side = 128;
constexpr double multiply_adds = 128.0 * 128 * 128, warp_multiply_adds = multiply_adds / 32;

Result square(std::string_view variant, std::map<std::string, ParamValue> params = {}) {
  for (const char* size : {"m", "n", "k"}) params.try_emplace(size, side);
  CaseChanges changes;
  if (const auto tile = params.find("tile"); tile != params.end()) {
    const auto edge = static_cast<std::uint32_t>(std::stoul(std::get<std::string>(tile->second)));
    changes.block = Dim3{edge, edge};
  }
  const Result result = run_lab_case("matmul", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

bool is_simulated(const Variant& variant) {
  return variant.vendor.run == nullptr && !variant.host && !variant.gpu_only;
}

}  // namespace

TEST_CASE("naive: 33 sectors for a warp's multiply-add, coalesced: 5") {
  const Result naive = square("naive"), coalesced = square("coalesced");
  for (const Result* r : {&naive, &coalesced}) {
    CHECK(counted(*r, "global_load_requests") == 2 * warp_multiply_adds);
    CHECK(counted(*r, "global_bytes_loaded") == 2 * 4 * multiply_adds);
  }
  CHECK(counted(naive, "global_load_sectors") == 33 * warp_multiply_adds);
  CHECK(counted(coalesced, "global_load_sectors") == 5 * warp_multiply_adds);
  CHECK(counted(naive, "global_store_efficiency") == 0.125);
  CHECK(counted(coalesced, "global_store_efficiency") == 1);
}

TEST_CASE("a tile of 32 uses each element that is loaded 32 times, one of 8 eight times") {
  for (const int tile : {8, 16, 32}) {
    const Result r = square("tiled", {{"tile", std::to_string(tile)}});
    INFO(tile);
    CHECK(counted(r, "global_bytes_loaded") == 2 * 4 * multiply_adds / tile);
    CHECK(counted(r, "reuse") == tile / 2.0);
    CHECK(counted(r, "flops_per_loaded_byte") == tile / 4.0);
    CHECK(counted(r, "shared_loads_per_multiply_add") == 2);
    CHECK(counted(r, "barriers") == 2 * (128.0 / tile) * (128 * 128 / 32.0));  // two per slice, for each warp
  }
}

TEST_CASE("padding a tile that no warp reads down gains nothing, and costs conflicts where rows are short") {
  for (const auto& [tile, conflicts_per_store] : {std::pair{"32", 0.0}, {"16", 1.0}, {"8", 1.0}}) {
    INFO(tile);
    const Result plain = square("tiled", {{"tile", tile}}), padded = square("tiled_padded", {{"tile", tile}});
    CHECK(counted(plain, "shared_load_bank_conflicts") == 0);
    CHECK(counted(plain, "shared_store_bank_conflicts") == 0);
    CHECK(counted(padded, "shared_store_bank_conflicts") ==
          conflicts_per_store * counted(padded, "shared_store_requests"));
  }
}

TEST_CASE("what the commentary says of global loads is what the counters count, on edges too") {
  for (const auto& variant : lab_named("matmul").variants) {
    if (!is_simulated(variant)) continue;
    const double m = 256, k = 123, n = 45;  // the lecture's
    const Result r =
        square(variant.name, {{"m", std::int64_t{256}}, {"k", std::int64_t{123}}, {"n", std::int64_t{45}}});
    INFO(variant.name);
    CHECK(std::round(counted(r, "reuse") * counted(r, "global_bytes_loaded") / 4) == m * k * n);
  }
}

TEST_CASE("loads from shared memory for each of a warp's multiply-adds: 2, 9/8, 1/4, 1/16") {
  const auto loads = [](std::string_view variant) {
    return counted(square(variant), "shared_load_requests") / warp_multiply_adds;
  };
  CHECK(loads("tiled") == 2);
  CHECK(loads("register_1d") == 9.0 / 8);
  CHECK(loads("register_2d") == 1.0 / 4);
  CHECK(loads("vectorized") == 1.0 / 16);
  CHECK(loads("warp_tiled") == 1.0 / 16);
  CHECK(loads("double_buffered") == 1.0 / 16);
}

TEST_CASE(
    "lanes side by side: 20 wavefronts for a step of vectorized, of which 8 are conflicts; 12 and none as tiles") {
  const double steps = warp_multiply_adds / 64;  // each 64 multiply-adds of a warp
  const Result vectorized = square("vectorized");
  CHECK(counted(vectorized, "shared_load_wavefronts") == 20 * steps);
  CHECK(counted(vectorized, "shared_load_bank_conflicts") == 8 * steps);
  for (const auto* variant : {"warp_tiled", "double_buffered"}) {
    INFO(variant);
    const Result r = square(variant);
    CHECK(counted(r, "shared_load_wavefronts") == 12 * steps);
    CHECK(counted(r, "shared_load_bank_conflicts") == 0);
    CHECK(counted(r, "shared_store_bank_conflicts") == 0);
  }
}

TEST_CASE("two buffers need one barrier per slice") {
  const double warps = 8, slices = 128 / 8.0;
  CHECK(counted(square("warp_tiled"), "barriers") == 2 * slices * warps);
  CHECK(counted(square("double_buffered"), "barriers") == slices * warps);
}

TEST_CASE("a tensor core needs a fraction of the instructions; its price is precision, within the bound") {
  const Result scalar = square("double_buffered"), tf32 = square("tensor"), bf16 = square("tensor", {{"type", "bf16"}});
  CHECK(counted(tf32, "warp_instructions") < counted(scalar, "warp_instructions") / 5);
  CHECK(counted(bf16, "warp_instructions") < counted(scalar, "warp_instructions") / 5);
  CHECK(tf32.verification->max_abs_error > 50 * scalar.verification->max_abs_error);
  CHECK(tf32.verification->max_abs_error < tf32.verification->tolerance);
}

TEST_CASE("a product that is lost exceeds the tolerance") {
  Simulation simulation;
  const Lab& lab = lab_named("matmul");
  for (const auto& variant : lab.variants) {
    if (!is_simulated(variant)) continue;
    for (const auto& type : variant.only.at("type")) {
      Variant short_of_one = variant;
      short_of_one.arguments = [&](const Case& c) {
        auto arguments = lab.arguments(c);
        arguments.back() = static_cast<std::int32_t>(c.params.integer("k")) - 1;
        return arguments;
      };
      Case c = default_case(lab, variant, simulation.gpu);
      for (const char* size : {"m", "n", "k"}) c.params.values[size] = std::int64_t{64};
      // With one row less of b the rows of a shift too: one row of a, so that only a product is lost.
      c.params.values["m"] = std::int64_t{1};
      c.params.values["type"] = type;
      INFO(variant.name << " " << type);
      CHECK(simulation.runner.run(lab, short_of_one, c, {}).status == CaseStatus::wrong);
    }
  }
}

TEST_CASE("integers agree exactly") {
  const Result r = square("naive", {{"type", "int"}});
  CHECK(r.verification->max_abs_error == 0);
  CHECK(r.verification->note.empty());
}

TEST_CASE("every matmul rung is clean under the sanitizer") {
  for (const auto& variant : lab_named("matmul").variants) {
    if (!is_simulated(variant)) continue;
    const std::map<std::string, ParamValue> odd{
        {"m", std::int64_t{45}}, {"n", std::int64_t{70}}, {"k", std::int64_t{33}}};
    const Result r = run_lab_case("matmul", variant.name, odd, {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << r.message);
    CHECK(r.status == CaseStatus::ok);
  }
}

TEST_CASE("a block that is not the tile is refused, with the one that is") {
  CaseChanges changes;
  changes.block = Dim3{16, 16};
  const Result r = run_lab_case("matmul", "tiled", {}, changes);
  CHECK(r.status == CaseStatus::error);
  CHECK(r.message.find("cannot take 16x16: its parameters ask for 32x32") != std::string::npos);
}
