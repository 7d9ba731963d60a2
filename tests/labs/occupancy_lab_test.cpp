// What the lab `occupancy` shows: the lecture's calculation, real registers on every architecture, what limits and what
// lifts, and that requests which cannot be are refused with what could.

#include <algorithm>
#include <map>

#include "common/demangle.h"
#include "common/embedded.h"
#include "common/text.h"
#include "runner/case/plan.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

Result calculate(std::string_view profile, std::int64_t registers, std::int64_t shared, std::uint32_t threads) {
  Simulation simulation({.threads = 1}, profile);
  const Lab& lab = lab_named("occupancy");
  const Variant& calculator = variant_named(lab, "calculator");
  Case c = default_case(lab, calculator, simulation.gpu);
  c.params.values["registers"] = registers;
  c.params.values["shared"] = shared;
  c.block = {threads};
  return simulation.runner.run(lab, calculator, c, {});
}

std::string said(const Result& result) { return join(result.notes, "\n"); }

/// ptxas' rows of a variant's kernel, one per architecture.
std::vector<PtxasRow> rows_of(std::string_view variant) {
  const auto kernel = variant_named(lab_named("occupancy"), variant).kernel;
  std::vector<PtxasRow> rows;
  for (const auto& file : embedded_kernels()) {
    if (file.lab != "occupancy") continue;
    for (const auto& row : file.resources) {
      if (same_kernel_name(kernel_name(row.entry), kernel)) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

TEST_CASE("the lecture's example: 48 registers, 4096 bytes, 128 threads on a GTX 970") {
  const auto result = calculate("gtx970", 48, 4096, 128);
  REQUIRE(result.status == CaseStatus::ok);
  CHECK(counted(result, "resident_warps") == 40);
  CHECK(counted(result, "max_warps") == 64);
  CHECK(counted(result, "blocks_per_sm") == 10);
  CHECK(counted(result, "theoretical_occupancy") == 0.625);
  CHECK(counted(result, "occupancy_limit_warps") == 16);
  CHECK(counted(result, "occupancy_limit_registers") == 10);
  CHECK(counted(result, "occupancy_limit_shared") == 24);
  CHECK(counted(result, "occupancy_limit_blocks") == 32);
  const auto text = said(result);
  CHECK_THAT(text, ContainsSubstring("40 of 64 warps, 62.5%, limited by registers."));
  CHECK_THAT(text, ContainsSubstring("at most 40 registers per thread (12 blocks, 75%); no other block size does."));
  CHECK_THAT(text, ContainsSubstring("at 49 registers per thread it falls to 56.25%"));
  CHECK_THAT(text, ContainsSubstring("beyond 9,728 bytes of shared memory per block to 56.25%"));
  CHECK_THAT(text, ContainsSubstring("62.5% with 640 threads, 32.81% with 672."));
  CHECK_THAT(text, ContainsSubstring("Suggested block: 128 threads, as it is."));
  CHECK_THAT(text, ContainsSubstring("More occupancy is not always faster"));
}

TEST_CASE("the curve over block sizes has its cliff where one block less fits") {
  const auto curve = calculate("gtx970", 48, 4096, 128).curve.value();
  REQUIRE(curve.x.size() == 32);
  REQUIRE(curve.y.size() == 32);
  CHECK(curve.x.front() == 32);
  CHECK(curve.x.back() == 1024);
  CHECK(curve.marked == 128);
  CHECK(curve.y_max == 1);
  CHECK(curve.y[0] == 24.0 / 64);  // 24 blocks of one warp: shared memory
  CHECK(curve.y[128 / 32 - 1] == 0.625);
  CHECK(curve.y[640 / 32 - 1] == 0.625);      // 2 x 20 warps
  CHECK(curve.y[672 / 32 - 1] == 21.0 / 64);  // 1 x 21
  CHECK(curve.y[1024 / 32 - 1] == 0.5);
}

TEST_CASE("each resource of an SM can be what limits") {
  struct Expectation {
    std::int64_t registers, shared;
    std::uint32_t threads;
    double warps;
    std::string limited_by, lift;
  };
  for (const auto& e : std::vector<Expectation>{
           {32, 0, 32, 32, "slots for blocks", "blocks of 64 threads (32 blocks, 100%)"},
           {32, 0, 768, 48, "warps and registers", "blocks of 64 threads (32 blocks, 100%)"},
           {16, 0, 768, 48, "warps", "blocks of 64 threads (32 blocks, 100%)"},
           {32, 65536, 256, 24, "shared memory", "at most 57,344 bytes of shared memory per block (4 blocks, 50%)"},
           {64, 0, 256, 32, "registers", "at most 48 registers per thread (5 blocks, 62.5%)"},
           {32, 0, 256, 64, "warps and registers", "there is nothing to lift"}}) {
    const auto result = calculate("h200", e.registers, e.shared, e.threads);
    INFO(said(result));
    CHECK(counted(result, "resident_warps") == e.warps);
    CHECK_THAT(said(result), ContainsSubstring("limited by " + e.limited_by + "."));
    CHECK_THAT(said(result), ContainsSubstring(e.lift));
  }
}

TEST_CASE("a block that cannot start is told what could") {
  const auto result = calculate("h200", 128, 0, 1024);
  CHECK(result.status == CaseStatus::ok);
  CHECK(counted(result, "theoretical_occupancy") == 0);
  CHECK_THAT(said(result), ContainsSubstring("128 registers each are 131,072 of the 65,536 that a block may have. With "
                                             "this block a thread may have at most 64 registers, with these registers "
                                             "a block at most 512 threads."));
}

TEST_CASE("more shared memory than a block can have is refused with the limit, by the calculator and by kernels") {
  const std::string refusal =
      "--shared: 232449 bytes are more than a block can have on NVIDIA H200: at most 232448; "
      "--shared takes 0 to 232448 bytes per block";
  for (const std::string variant : {"calculator", "shared_bytes", "ilp_1"}) {
    const auto result = run_lab_case("occupancy", variant, {{"n", 1000}, {"shared", 232449}});
    CHECK(result.status == CaseStatus::error);
    CHECK(result.message == refusal);
  }
  CHECK_THAT(calculate("gtx970", 48, 49153, 128).message, ContainsSubstring("at most 49152"));
}

TEST_CASE("registers_N takes N registers on every architecture, and no local memory") {
  for (const int registers : {16, 32, 64, 128}) {
    const auto rows = rows_of("registers_" + std::to_string(registers));
    REQUIRE(rows.size() >= 3);
    for (const auto& row : rows) {
      INFO("registers_" << registers << " on sm_" << row.sm << ": " << row.registers);
      CHECK((row.registers + 7) / 8 * 8 == registers);  // allocated in units of 8 per thread
      CHECK(row.stack_bytes == 0);
    }
  }
}

TEST_CASE("launch bounds cut registers without spilling; too few of them spill, on every architecture") {
  for (const auto& row : rows_of("launch_bounds")) {
    INFO("sm_" << row.sm);
    CHECK(row.registers == 64);
    CHECK(row.stack_bytes <= (row.sm >= 100 ? 8 : 0));  // two of its 40 values on Blackwell, of CUDA 13.0
  }
  for (const auto& row : rows_of("unbounded")) CHECK(row.registers >= 64);
  for (const auto& row : rows_of("spill")) {
    INFO("sm_" << row.sm);
    CHECK(row.registers == 64);
    CHECK(row.stack_bytes > 0);
    CHECK(row.spill_store_bytes > 0);
    CHECK(row.spill_load_bytes > 0);
  }
}

TEST_CASE("the theoretical occupancy of each rung on an H200, with blocks of 128") {
  const std::map<std::string, std::pair<double, std::string>> expected{{"registers_16", {64, "warps"}},
                                                                       {"registers_32", {64, "warps registers"}},
                                                                       {"registers_64", {32, "registers"}},
                                                                       {"registers_128", {16, "registers"}},
                                                                       {"launch_bounds", {32, "registers"}},
                                                                       {"spill", {32, "registers"}},
                                                                       {"ilp_1", {64, "warps"}},
                                                                       {"ilp_8", {64, "warps"}},
                                                                       {"memory_latency", {64, "warps"}}};
  for (const auto& [variant, answer] : expected) {
    const auto result = run_lab_case("occupancy", variant, {{"n", 100000}});
    INFO(variant << ": " << result.message);
    REQUIRE(result.occupancy);
    CHECK(result.occupancy->theoretical * 64 == answer.first);
    CHECK(join(result.occupancy->limited_by, " ") == answer.second);
    CHECK(counted(result, "resident_warps") == answer.first);
    CHECK(result.curve.has_value());
  }
}

TEST_CASE("shared memory that a block reserves keeps other blocks out, whether it is used or not") {
  for (const std::string variant : {"shared_bytes", "ilp_1", "arithmetic_latency"}) {
    for (const auto& [bytes, blocks] : std::map<std::int64_t, int>{{4096, 16}, {32768, 6}, {102400, 2}, {232448, 1}}) {
      const auto result = run_lab_case("occupancy", variant, {{"n", 1000}, {"shared", bytes}});
      INFO(variant << " " << bytes << " " << result.message);
      CHECK(result.status == CaseStatus::ok);
      CHECK(result.occupancy.value().blocks_per_sm == blocks);
    }
  }
}

TEST_CASE("k chains per thread share the loop's three instructions of its own") {
  for (const int values : {1, 2, 4, 8}) {
    const std::string variant = "ilp_" + std::to_string(values);
    const auto instructions = [&](std::int64_t steps) {
      return counted(run_lab_case("occupancy", variant, {{"n", 1 << 15}, {"steps", steps}}), "warp_instructions");
    };
    const double warps = (1 << 15) / 32.0 / values;
    CHECK(instructions(65) - instructions(64) == warps * (values + 3));
  }
}

TEST_CASE("memory_latency loads one word per lane and hop, each in a sector of its own") {
  const auto result = run_lab_case("occupancy", "memory_latency", {{"n", 1 << 16}, {"hops", 8}});
  REQUIRE(result.status == CaseStatus::ok);
  CHECK((*result.counters)["global_load_requests"] == (1 << 16) / 32 * 8);
  // The first hop reads 32 neighbours; the others 32 words of 2^16: hardly two in one sector.
  const double per_request = counted(result, "global_load_sectors") / counted(result, "global_load_requests");
  CHECK(per_request > (4 + 7 * 31.5) / 8);
  CHECK(per_request <= (4 + 7 * 32.0) / 8);
}

TEST_CASE("a grid that does not fill the GPU says so") {
  const auto small = run_lab_case("occupancy", "registers_128", {{"n", 1 << 20}});
  CHECK(counted(small, "waves") == 86.0 / 528);
  CHECK_THAT(said(small), ContainsSubstring("This grid has 86 blocks, NVIDIA H200 has places for 528"));
}

TEST_CASE("128 registers refuse a block of 1024 threads, and say why") {
  const Lab& lab = lab_named("occupancy");
  const Variant& variant = variant_named(lab, "registers_128");
  Case c = default_case(lab, variant, gpu_profile("h200"));
  c.block = {1024};
  CHECK(error_of([&] { return plan(lab, variant, c, std::nullopt); }) ==
        "--block: variant 'registers_128' cannot take 1024: it takes at most 512 threads, because a block's threads "
        "share 65536 registers, and a warp its elements | blocks it allows: multiples of 32 from 32 up to 512 threads");
}

TEST_CASE("a step too few is found out, whatever the steps were") {
  Simulation simulation;
  const Lab& lab = lab_named("occupancy");
  for (const std::string name : {"registers_16", "spill", "arithmetic_latency", "memory_latency"}) {
    Variant variant = variant_named(lab, name);
    variant.arguments = [before = variant.arguments ? variant.arguments : lab.arguments](const Case& c) {
      auto arguments = before(c);
      --std::get<std::int32_t>(arguments.at(3));
      return arguments;
    };
    for (const std::int64_t steps : {1, 2, 64}) {
      Case c = default_case(lab, variant, simulation.gpu);
      c.params.values["n"] = std::int64_t{1000};
      c.params.values["steps"] = c.params.values["hops"] = steps;
      INFO(name << " " << steps);
      CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
    }
  }
}
