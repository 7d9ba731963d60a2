// What the lab `scan` shows, in exact figures: the race, n log n additions against n, bank conflicts, bytes moved.

#include <algorithm>
#include <cmath>

#include "labs/scan/commentary.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;
using namespace gpulab::labs::scan;

namespace {

using Parameters = std::map<std::string, ParamValue>;

Result scanned(std::string_view variant, const Parameters& params, const CaseChanges& changes = {}) {
  const Result result = run_lab_case("scan", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

/// Operations that the device executed, by its own count: a maximum of floats is two instructions (compare, select)
/// where an addition is one, and all else is the same.
double executed(std::string_view variant, Parameters params, const CaseChanges& changes = {}) {
  params["op"] = "max";
  const double two = counted(scanned(variant, params, changes), "thread_instructions");
  params["op"] = "sum";
  return two - counted(scanned(variant, params, changes), "thread_instructions");
}

}  // namespace

TEST_CASE("racecheck names the race of the naive scan: its one line reads and writes what others write and read") {
  const Result r = run_lab_case("scan", "racy", {{"n", 1024}, {"type", "int"}}, {.sanitize = {"racecheck"}});
  REQUIRE(!r.findings.empty());
  for (const Finding& finding : r.findings) {
    CHECK(finding.tool == "racecheck");
    REQUIRE(finding.at.size() == 2);
    CHECK(finding.at[0].line == finding.at[1].line);
    CHECK(finding.at[0].access != finding.at[1].access);
    CHECK(finding.at[0].address.substr(0, 2) == "s[");
  }
}

TEST_CASE("the race shows: element 32 counts what its left neighbours' warp has added meanwhile") {
  const Result r = run_lab_case("scan", "racy", {{"n", 256}, {"type", "int"}});
  CHECK(r.status == CaseStatus::wrong);
  REQUIRE(!r.verification->mismatches.empty());
  CHECK(r.verification->mismatches[0].index == 32);
  // Within one warp the lanes load before they store: right by chance, and a race all the same.
  const CaseChanges one_warp{.block = Dim3{32}};
  CHECK(run_lab_case("scan", "racy", {{"n", 32}, {"type", "int"}}, one_warp).status == CaseStatus::ok);
  CHECK(!run_lab_case("scan", "racy", {{"n", 32}, {"type", "int"}}, {.block = Dim3{32}, .sanitize = {"racecheck"}})
             .findings.empty());
}

TEST_CASE("every other rung is clean under all tools, with one warp per block and with many") {
  for (const auto& variant : lab_named("scan").variants) {
    if (variant.racy || variant.vendor.run != nullptr) continue;
    for (std::uint32_t block : {32U, 128U}) {
      if (!variant.blocks.only.empty()) block = variant.blocks.only.front().x;
      const CaseChanges all{.block = Dim3{block}, .sanitize = tests::all_tools()};
      const Result r = run_lab_case("scan", variant.name, {{"n", 5000}, {"type", "int"}}, all);
      INFO(variant.name << ": " << r.message);
      CHECK(r.status == CaseStatus::ok);
      CHECK(r.findings.empty());
    }
  }
}

TEST_CASE("work goes from n log n to n: the device's own count of additions is what the lab says") {
  for (const std::string_view variant : {"hillis_steele", "blelloch", "blelloch_padded", "warp_scan"}) {
    for (const std::string kind : {"inclusive", "exclusive"}) {
      const Parameters params{{"n", 65536}, {"kind", kind}};
      INFO(variant << " " << kind);
      CHECK(executed(variant, params) == counted(scanned(variant, params), "operations"));
    }
  }
  // One tile: B log2(B) - B + 1 against 2 (2B - 1) for twice as many elements.
  const auto one_tile = [](std::string_view variant, std::uint32_t block, std::int64_t n) {
    return executed(variant, {{"n", n}, {"kind", "exclusive"}}, {.block = Dim3{block}});
  };
  CHECK(one_tile("hillis_steele", 64, 64) == 64 * 6 - 63);
  CHECK(one_tile("hillis_steele", 256, 256) == 256 * 8 - 255);
  CHECK(one_tile("hillis_steele", 1024, 1024) == 1024 * 10 - 1023);
  CHECK(one_tile("blelloch", 32, 64) == 2 * 63);
  CHECK(one_tile("blelloch", 128, 256) == 2 * 255);
  CHECK(one_tile("blelloch", 512, 1024) == 2 * 1023);
}

TEST_CASE("operations per element of an inclusive scan of 65536") {
  const auto per_element = [](std::string_view variant) {
    return counted(scanned(variant, {{"n", 65536}}), "operations");
  };
  CHECK(per_element("hillis_steele") == 526337);
  CHECK(per_element("blelloch") == 262910);
  CHECK(per_element("blelloch_padded") == 262910);
  CHECK(per_element("warp_scan") == 558720);
  CHECK(per_element("three_phase") == 382336);
}

TEST_CASE("padding takes all bank conflicts of the trees, at every block up to 512 threads") {
  for (const std::uint32_t block : {32U, 64U, 128U, 256U, 512U}) {
    const auto n = std::int64_t{2} * block;
    const CaseChanges changes{.block = Dim3{block}};
    const Result plain = scanned("blelloch", {{"n", n}}, changes);
    const Result padded = scanned("blelloch_padded", {{"n", n}}, changes);
    INFO("block " << block);
    CHECK(counted(plain, "shared_load_bank_conflicts") > 0);
    CHECK(counted(padded, "shared_load_bank_conflicts") == 0);
    CHECK(counted(padded, "shared_store_bank_conflicts") == 0);
    CHECK(counted(padded, "shared_load_requests") == counted(plain, "shared_load_requests"));
    CHECK(counted(padded, "shared_store_requests") == counted(plain, "shared_store_requests"));
  }
  // One tile of 512. Up: two loads and a store per step and warp, down: two of each.
  const Result tile = scanned("blelloch", {{"n", 512}});
  CHECK(counted(tile, "shared_load_bank_conflicts") == 4 * 75);
  CHECK(counted(tile, "shared_store_bank_conflicts") == 3 * 75);
}

TEST_CASE("the lecture's bank map: a word is skipped after each 32, and lanes that shared a bank no longer do") {
  CHECK(padded(31) == 31);
  CHECK(padded(32) == 33);
  CHECK(padded(63) == 64);
  CHECK(padded(64) == 66);
  const std::vector<std::uint32_t> strides{1, 2, 4, 8, 16, 32, 64, 128, 256};
  const std::vector<std::uint32_t> shared{2, 4, 8, 16, 16, 8, 4, 2, 1};
  for (std::size_t i = 0; i < strides.size(); ++i) {
    CHECK(lanes_per_bank(256, strides[i], unpadded) == shared[i]);
    CHECK(lanes_per_bank(256, strides[i], padded) == 1);
  }
  CHECK(lanes_per_bank(1024, 32, padded) == 2);  // the exercise: elements 1024 apart are 1056 words apart
  const Result r = scanned("blelloch_padded", {{"n", 512}});
  const auto shows = [&](std::string_view text) {
    return std::ranges::any_of(r.notes, [&](const std::string& line) { return line.find(text) != std::string::npos; });
  };
  CHECK(shows("element            0   1   2 …  31  32  33 …  63  64  65 …"));
  CHECK(shows("word               0   1   2 …  31  33  34 …  64  66  67 …"));
  CHECK(shows("lanes in a bank    1   1   1   1   1   1   1   1   1"));
}

TEST_CASE("scan, then add: four times n moved; reduce, then scan: three times; look back: twice") {
  constexpr std::int64_t n = 1 << 18;
  const auto times_n = [n](std::string_view variant) {
    const Result r = scanned(variant, {{"n", n}});
    return 32 * (counted(r, "global_load_sectors") + counted(r, "global_store_sectors")) / (4.0 * n);
  };
  // Beside the array a warp loads its tile's offset, a sector: for one element per lane a sixteenth of four times n,
  // for four per lane 64th parts. Totals, and what tiles publish, are less.
  const double scan_then_add = times_n("warp_scan"), reduce_then_scan = times_n("three_phase");
  CHECK((scan_then_add > 4.25 && scan_then_add < 4.35));
  CHECK((reduce_then_scan > 3.06 && reduce_then_scan < 3.08));
  const double one_pass = times_n("look_back");
  CHECK((one_pass > 2 && one_pass < 2.03));
  const double large_tiles = times_n("look_back_large");
  CHECK((large_tiles > 2 && large_tiles < one_pass));
}

TEST_CASE("shuffles replace barriers and shared memory: per block of 256, 2 barriers, 8 + 8 stored words' requests") {
  const Result tree = scanned("blelloch_padded", {{"n", 256}}), warp = scanned("warp_scan", {{"n", 256}});
  CHECK(counted(tree, "barriers") == 8 * (9 + 9 + 1));
  CHECK(counted(warp, "barriers") == 8 * 2);
  CHECK(counted(warp, "shared_store_requests") == 8 + 1);
  CHECK(counted(warp, "global_store_requests") == 8 + 1);
}

TEST_CASE("a scan of scans of scans: three levels are as right as one") {
  for (const std::string_view variant : {"hillis_steele", "blelloch", "warp_scan", "three_phase"}) {
    const Result r = scanned(variant, {{"n", 300000}, {"type", "int"}}, {.block = Dim3{32}});
    CHECK(r.launch->launches >= 5);
  }
  CHECK(scanned("look_back", {{"n", 300000}, {"type", "int"}}, {.block = Dim3{32}}).launch->launches == 1);
}

TEST_CASE("a scan that leaves out each element itself is found out, for every type and operation") {
  Simulation simulation;
  const Lab& lab = lab_named("scan");
  Variant wrong = variant_named(lab, "look_back");
  wrong.kernel = "scan_look_back<{type}, {Op}, Exclusive>";
  Case c = default_case(lab, wrong, simulation.gpu);
  c.params.values["n"] = 100003;
  for (const std::string type : {"int", "float"}) {
    for (const std::string op : {"sum", "product", "max"}) {
      c.params.values["type"] = type;
      c.params.values["op"] = op;
      INFO(type << " " << op);
      CHECK(simulation.runner.run(lab, wrong, c, {}).status == CaseStatus::wrong);
    }
  }
}
