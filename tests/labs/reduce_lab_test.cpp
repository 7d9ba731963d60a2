// What the lab `reduce` shows, in exact figures: the steps of its trees, a trace to follow by hand, and a race.

#include <algorithm>
#include <sstream>

#include "labs/reduce/tree_steps.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;
using namespace gpulab::labs::reduce;

namespace {

using Parameters = std::map<std::string, ParamValue>;

Result computed(std::string_view variant, Parameters params, const CaseChanges& changes = {}) {
  params.try_emplace("type", "int");
  const Result result = run_lab_case("reduce", variant, params, changes);
  INFO(variant << ": " << result.message);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

std::vector<std::uint32_t> warps(Numbering numbering, std::uint32_t block) {
  std::vector<std::uint32_t> all;
  for (const auto& step : steps_of({numbering}, block, 4)) all.push_back(step.warps);
  return all;
}

}  // namespace

TEST_CASE("the lecture's tables of working warps: 47 of a block of 256, and 12") {
  CHECK(warps(Numbering::multiples, 256) == std::vector<std::uint32_t>{8, 8, 8, 8, 8, 4, 2, 1});
  CHECK(warps(Numbering::first_threads, 256) == std::vector<std::uint32_t>{4, 2, 1, 1, 1, 1, 1, 1});
  CHECK(warps(Numbering::halves, 256) == std::vector<std::uint32_t>{4, 2, 1, 1, 1, 1, 1, 1});
  CHECK(warps(Numbering::multiples, 2) == std::vector<std::uint32_t>{1});
  for (const std::string rung : {"neighbored", "neighbored_extra_steps", "shared_divergent"})
    CHECK(counted(computed(rung, {{"n", 256}}), "working_warps") == 47);
  for (const std::string rung :
       {"neighbored_improved", "interleaved", "shared_strided", "shared_sequential", "first_add"})
    CHECK(counted(computed(rung, {{"n", 256}}), "working_warps") == 12);
  CHECK(counted(computed("neighbored", {{"n", 256}}, {.block = Dim3{512}}), "working_warps") == 95);
}

TEST_CASE("the steps are those that the kernels take: a store of each working warp, conflicts of the words per bank") {
  struct Rung {
    std::string name;
    Tree tree;
  };
  const Rung in_shared[] = {{"shared_divergent", {.numbering = Numbering::multiples, .in_shared = true}},
                            {"shared_strided", {.numbering = Numbering::first_threads, .in_shared = true}},
                            {"shared_sequential", {.numbering = Numbering::halves, .in_shared = true}}};
  for (const std::uint32_t block : {64U, 256U, 1024U}) {
    for (const auto& [name, tree] : in_shared) {
      INFO(name << " " << block);
      const Result r = computed(name, {{"n", block}}, {.block = Dim3{block}});
      double stores = block / 32.0, conflicts = 0;  // the first ones fill shared memory
      for (const auto& step : steps_of(tree, block, 4)) {
        stores += step.warps;
        conflicts += step.warps * (step.words_per_bank - 1.0);
      }
      CHECK(counted(r, "shared_store_requests") == stores);
      CHECK(counted(r, "shared_store_bank_conflicts") == conflicts);
    }
    double stores = 1;  // of the result
    for (const auto& step : steps_of({Numbering::multiples}, block, 4)) stores += step.warps;
    CHECK(counted(computed("neighbored", {{"n", block}}, {.block = Dim3{block}}), "global_store_requests") == stores);
  }
  // Two elements per thread; the answer is an atomic's.
  double stores = 0;
  for (const auto& step : steps_of({Numbering::first_threads, 2}, 256, 4)) stores += step.warps;
  CHECK(counted(computed("tree_atomic", {{"n", 512}}), "global_store_requests") == stores);
}

TEST_CASE("--print tabulates which thread adds which pair") {
  const Result r = computed("shared_strided", {{"n", 256}, {"print", "true"}});
  const auto line = [&](std::string_view text) { return std::ranges::count(r.notes, text); };
  CHECK(line("Warps of a full block with a thread that works, step by step: 4 + 2 + 1 + 1 + 1 + 1 + 1 + 1 = 12.") == 1);
  CHECK(line("  step     s  threads  warps per bank  (tid, i, i + s)") == 1);
  CHECK(line("     1     1      128      4        2  (0, 0, 1) (1, 2, 3) (2, 4, 5) … (127, 254, 255)") == 1);
  CHECK(line("     5    16        8      1        8  (0, 0, 16) (1, 32, 48) (2, 64, 80) … (7, 224, 240)") == 1);
  CHECK(line("     8   128        1      1        1  (0, 0, 128)") == 1);
  CHECK(line("  total                   12") == 1);
  const Result divergent = computed("neighbored_extra_steps", {{"n", 256}, {"print", "true"}}, {.block = Dim3{8}});
  const auto& notes = divergent.notes;
  CHECK(std::ranges::count(notes, "     2     2        2      1  (0, 0, 2) (4, 4, 6)") == 1);
  CHECK(std::ranges::count(notes, "     4     8        0      0  none") == 1);
  const Result halves = computed("interleaved", {{"n", 256}, {"print", "true"}});
  CHECK(std::ranges::count(halves.notes,
                           "     1   128      128      4  (0, 0, 128) (1, 1, 129) (2, 2, 130) … "
                           "(127, 127, 255)") == 1);
}

TEST_CASE("what a tree's page says is short without --print, and names what would do") {
  const Result r = computed("neighbored", {{"n", 256}});
  CHECK(r.notes == std::vector<std::string>{
                       "Warps of a full block with a thread that works, step by step: 8 + 8 + 8 + 8 + 8 + 4 + 2 + 1 = "
                       "47; 12 would do (--print: each step's threads and pairs)."});
}

TEST_CASE("the lecture's trace: 1 to 16, pair by pair and step by step, are 136") {
  const Result r = computed("single_block", {{"n", 16}, {"data", "iota"}, {"print", "true"}}, {.block = Dim3{16}});
  CHECK(r.output ==
        "thread 0: in[0], in[1]: 1, 2 -> 3\n"
        "thread 1: in[2], in[3]: 3, 4 -> 7\n"
        "thread 2: in[4], in[5]: 5, 6 -> 11\n"
        "thread 3: in[6], in[7]: 7, 8 -> 15\n"
        "thread 4: in[8], in[9]: 9, 10 -> 19\n"
        "thread 5: in[10], in[11]: 11, 12 -> 23\n"
        "thread 6: in[12], in[13]: 13, 14 -> 27\n"
        "thread 7: in[14], in[15]: 15, 16 -> 31\n"
        "stride = 2\n"
        "thread 0: in[0], in[2]: 3, 7 -> 10\n"
        "thread 1: in[4], in[6]: 11, 15 -> 26\n"
        "thread 2: in[8], in[10]: 19, 23 -> 42\n"
        "thread 3: in[12], in[14]: 27, 31 -> 58\n"
        "stride = 4\n"
        "thread 0: in[0], in[4]: 10, 26 -> 36\n"
        "thread 1: in[8], in[12]: 42, 58 -> 100\n"
        "stride = 8\n"
        "thread 0: in[0], in[8]: 36, 100 -> 136\n"
        "stride = 16\n");
}

TEST_CASE("the lines of a step stand between its strides, however many warps print") {
  const Result r = computed("single_block", {{"n", 1000}, {"data", "iota"}, {"print", "true"}}, {.block = Dim3{256}});
  std::istringstream lines(r.output);
  long stride = 1, combinations = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("stride = ")) {
      CHECK(line == "stride = " + std::to_string(2 * stride));
      stride *= 2;
      continue;
    }
    const auto left = line.find("in[") + 3, right = line.find("in[", left) + 3;
    REQUIRE(std::stol(line.substr(right)) - std::stol(line.substr(left)) == stride);
    ++combinations;
  }
  CHECK(combinations == 999);
  CHECK(stride == 1024);
}

TEST_CASE("the last warp by volatile alone is right in lockstep, a race by racecheck, and with __syncwarp neither") {
  const Parameters params{{"n", 4096}};
  CHECK(variant_named(lab_named("reduce"), "volatile_last_warp").racy);
  computed("volatile_last_warp", params);
  const CaseChanges checked{.sanitize = tests::all_tools()};
  const Result racy = run_lab_case("reduce", "volatile_last_warp", params, checked);
  CHECK(racy.status == CaseStatus::finding);
  REQUIRE(!racy.findings.empty());
  CHECK(racy.findings.front().tool == "racecheck");
  CHECK(std::ranges::all_of(racy.findings, [](const auto& f) { return f.tool == "racecheck"; }));
  const Result synced = run_lab_case("reduce", "unroll_last_warp", params, checked);
  CHECK(synced.status == CaseStatus::ok);
  CHECK(synced.findings.empty());
}

TEST_CASE("every rung reduces 1, 2, 3 …, too") {
  for (const auto& variant : lab_named("reduce").variants) {
    if (variant.vendor.run != nullptr) continue;
    for (const std::string type : {"int", "float"}) {
      if (variant.only.contains("type") && type != "int") continue;
      INFO(variant.name << " " << type);
      computed(variant.name, {{"n", 5000}, {"data", "iota"}, {"type", type}});
    }
  }
}
