// What the lab `unroll` shows: instructions per element, the loop's overhead, barriers saved.

#include <string>

#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

constexpr std::int64_t elements = 1 << 16;

Result run(std::string_view variant, std::map<std::string, ParamValue> params = {}, const CaseChanges& changes = {}) {
  params.try_emplace("n", elements);
  Result result = run_lab_case("unroll", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

double warps_of(const Result& result) {
  return static_cast<double>(result.launch->grid.volume()) * static_cast<double>(result.launch->block.volume()) / 32;
}

double per_warp(const Result& result, std::string_view counter) { return counted(result, counter) / warps_of(result); }

}  // namespace

TEST_CASE("unroll: a loop costs two instructions of work and four of overhead, the four once for each unrolled body") {
  for (const int factor : {1, 2, 4, 8, 16}) {
    const auto name = "loop_" + std::to_string(factor);
    INFO(name);
    const auto with = [&](std::int64_t per_thread) {
      return run(name, {{"n", 8 * 256 * per_thread}, {"per_thread", per_thread}});
    };
    const Result short_loop = with(64), long_loop = with(128);
    const double instructions = per_warp(long_loop, "warp_instructions") - per_warp(short_loop, "warp_instructions");
    const double branches = per_warp(long_loop, "branches") - per_warp(short_loop, "branches");
    CHECK(instructions == 64 * (2 + 4.0 / factor));
    CHECK(branches == 64.0 / factor);
  }
}

TEST_CASE("unroll: what the unrolled loop leaves over is added, too, and costs what a plain loop costs") {
  const auto instructions = [](std::int64_t per_thread) {
    return per_warp(run("loop_8", {{"n", 8 * 256 * per_thread}, {"per_thread", per_thread}}), "warp_instructions");
  };
  CHECK(instructions(16 + 5) - instructions(16 + 4) == 2 + 4);
}

TEST_CASE("unroll: a block that takes the parts of eight has an eighth of the trees and barriers") {
  const Result one = run("unroll_1");
  for (const int blocks : {2, 4, 8}) {
    const Result r = run("unroll_" + std::to_string(blocks));
    INFO(blocks << " blocks");
    CHECK(counted(one, "barriers") == blocks * counted(r, "barriers"));
    CHECK(r.launch->grid.x * static_cast<unsigned>(blocks) == one.launch->grid.x);
    CHECK(per_warp(r, "barriers") == 9);
    CHECK(per_warp(r, "global_load_requests") == blocks);
  }
}

TEST_CASE("unroll: the last warp alone saves six of nine barriers, written out everything costs less still") {
  const Result eight = run("unroll_8"), last = run("unroll_last_warp"), runtime = run("complete_runtime"),
               fixed = run("complete_template");
  CHECK(per_warp(eight, "barriers") == 9);
  for (const auto* r : {&last, &runtime, &fixed}) CHECK(per_warp(*r, "barriers") == 3);
  const auto each = [](const Result& r) { return counted(r, "instructions_per_element"); };
  CHECK(each(eight) > each(last));
  CHECK(each(last) > each(runtime));
  CHECK(each(runtime) > each(fixed));
  // Four questions about the block's size per warp, answered by the compiler.
  CHECK(per_warp(runtime, "branches") - per_warp(fixed, "branches") == 4);
}

TEST_CASE("unroll: the larger the block, the more barriers its written-out tree has, by one for each doubling") {
  double barriers = 1;
  for (const unsigned block : {64U, 128U, 256U, 512U, 1024U}) {
    INFO(block);
    for (const std::string name : {"complete_runtime", "complete_template"}) {
      CHECK(per_warp(run(name, {}, {.block = Dim3{block}}), "barriers") == barriers);
    }
    ++barriers;
  }
}

TEST_CASE("unroll: instructions per element are thread instructions over elements") {
  const Result r = run("unroll_4");
  CHECK(counted(r, "instructions_per_element") == counted(r, "thread_instructions") / elements);
}

TEST_CASE("unroll: a block whose kernel was not compiled is refused, with those that are") {
  const Result r = run_lab_case("unroll", "complete_template", {}, {.block = Dim3{32}});
  CHECK(r.status == CaseStatus::error);
  CHECK(r.message.find("it allows only 256, 64, 128, 512, 1024") != std::string::npos);
}

TEST_CASE("unroll: a template for a smaller block than the one launched loses elements, and is found out") {
  Simulation simulation;
  const Lab& lab = lab_named("unroll");
  Variant variant = variant_named(lab, "complete_template");
  variant.kernel = "unroll_complete_template<128>";
  Case c = default_case(lab, variant, simulation.gpu);
  c.params.values["n"] = elements;
  CHECK(simulation.runner.run(lab, variant, c, {}).status == CaseStatus::wrong);
}
