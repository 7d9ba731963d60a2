// Counts by line and phase, of the labs' own kernels on the simulator.

#include <algorithm>
#include <array>
#include <memory>

#include "common/device/simulator/simulated.h"
#include "common/gpu_profile.h"
#include "labs/registry.h"
#include "runner/case/plan.h"
#include "runner/case/run_case.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/words/lines.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

/// Some blocks and a part of one; less of each where sizes multiply (rows, columns).
Case small_case(const Lab& lab, const Variant& variant) {
  const auto sizes = std::count_if(lab.params.begin(), lab.params.end(), [](const auto& param) {
    const auto* size = std::get_if<std::int64_t>(&param.fallback);
    return size != nullptr && *size >= 256;
  });
  const std::int64_t most = sizes > 1 ? 150 : 700;
  Case c;
  c.block = default_block(lab, variant);
  for (const auto& param : lab.params) {
    auto value = param.fallback;
    if (auto* size = std::get_if<std::int64_t>(&value)) *size = std::max(param.min, std::min(*size, most));
    c.params.values[param.name] = value;
  }
  for (const auto& [name, words] : variant.only) c.params.values[name] = words.front();
  return c;
}

Result run(const Lab& lab, const Variant& variant, const Case& point, bool lines) {
  const auto device = make_simulator(gpu_profile("h200"), {.threads = 1, .lines = lines});
  return run_case(*device, lab, variant, point, {});
}

Result explained(const std::string& lab_name, const std::string& variant, std::int64_t n = 0) {
  const auto labs = all_labs();
  const Lab& lab = find_lab(labs, lab_name);
  auto point = small_case(lab, find_variant(lab, variant));
  if (point.params.values.contains("n")) point.params.values["n"] = n;
  for (const auto* side : {"rows", "cols"})
    if (point.params.values.contains(side)) point.params.values[side] = std::int64_t{256};
  if (point.params.values.contains("type")) point.params.values["type"] = "int";
  const auto result = run(lab, find_variant(lab, variant), point, true);
  REQUIRE(result.status == CaseStatus::ok);
  return result;
}

/// Without what has no line.
Counters of_lines(Counters counters) {
  counters["warps"] = counters["block_instructions"] = counters["busiest_block_instructions"] = 0;
  counters["global_read_footprint_bytes"] = counters["global_write_footprint_bytes"] = 0;
  return counters;
}

std::uint32_t line_with(const LaunchLines& launch, std::string_view text) {
  const auto lines = lines_of(launch.text);
  for (const auto& counted : launch.lines)
    if (counted.line > 0 && lines[counted.line - 1].find(text) != std::string_view::npos) return counted.line;
  FAIL("no counted line holds " << text);
  return 0;
}

std::vector<std::uint64_t> stores_by_phase(const LaunchLines& launch, std::uint32_t line) {
  std::vector<std::uint64_t> stores;
  for (const auto& counted : launch.lines)
    if (counted.line == line)
      stores.push_back(counted.counters["global_store_requests"] + counted.counters["shared_store_requests"]);
  return stores;
}

std::vector<std::string> kinds_of(const Explanation& explanation) {
  std::vector<std::string> kinds;
  for (const auto& mark : explanation.marks) kinds.push_back(mark.kind);
  return kinds;
}

}  // namespace

TEST_CASE("lines and phases sum up to the counters of the launch, which counting by line does not change") {
  for (const auto& lab : all_labs()) {
    for (const auto& variant : lab.variants) {
      if (!launches_kernels(variant) || variant.gpu_only || variant.racy) continue;
      // How often blocks look whether all have come depends on their turns, and phases end a turn at each barrier.
      if (variant.cooperative) continue;
      INFO(lab.name << ' ' << variant.name);
      const auto point = small_case(lab, variant);
      const auto plain = run(lab, variant, point, false), by_line = run(lab, variant, point, true);
      REQUIRE(by_line.status == CaseStatus::ok);
      CHECK(plain.lines.empty());
      CHECK(plain.counters == by_line.counters);  // none, where nothing is launched
      Counters launches;
      for (const auto& launch : by_line.lines) {
        Counters sum;
        for (const auto& line : launch.lines) sum += line.counters;
        CHECK(sum == of_lines(launch.counters));
        CHECK_FALSE(launch.ptx);
        launches += launch.counters;
      }
      if (!by_line.lines.empty())
        CHECK(of_lines(launches) == of_lines(*by_line.counters));  // copies alone launch nothing
    }
  }
}

TEST_CASE("the store line of the lecture's first reduction runs in 8, 8, 8, 8, 8, 4, 2, 1 warps of a block of 256") {
  const std::vector<std::uint64_t> lecture{8, 8, 8, 8, 8, 4, 2, 1};
  const auto global = explained("reduce", "neighbored", 256);
  REQUIRE(global.lines.size() == 1);
  auto stores =
      stores_by_phase(global.lines[0], line_with(global.lines[0], "data[tid] = op(data[tid], data[tid + offset])"));
  stores.resize(8);
  CHECK(stores == lecture);

  const auto shared = explained("reduce", "shared_divergent", 256);
  // Phase 0 fills shared memory; the tree begins after the first barrier.
  stores = stores_by_phase(shared.lines[0], line_with(shared.lines[0], "s[tid] = op(s[tid], s[tid + stride])"));
  const auto first = std::find(stores.begin(), stores.end(), 8u);
  stores.erase(stores.begin(), first);
  stores.resize(8);
  CHECK(stores == lecture);
}

TEST_CASE("several blocks, on one CPU thread or many, split into the same phases") {
  const auto labs = all_labs();
  const Lab& lab = find_lab(labs, "reduce");
  const Variant& variant = find_variant(lab, "neighbored");
  auto point = small_case(lab, variant);
  point.params.values["n"] = std::int64_t{256 * 40};
  std::vector<Result> results;
  for (const int threads : {1, 4}) {
    const auto device = make_simulator(gpu_profile("h200"), {.threads = threads, .lines = true});
    results.push_back(run_case(*device, lab, variant, point, {}));
  }
  const auto &one = results[0].lines[0], &many = results[1].lines[0];
  REQUIRE(one.lines.size() == many.lines.size());
  for (std::size_t i = 0; i < one.lines.size(); ++i) {
    CHECK(one.lines[i].counters == many.lines[i].counters);
    CHECK(one.lines[i].phase == many.lines[i].phase);
  }
  auto stores = stores_by_phase(one, line_with(one, "data[tid] = op(data[tid], data[tid + offset])"));
  stores.resize(8);
  CHECK(stores == std::vector<std::uint64_t>{320, 320, 320, 320, 320, 160, 80, 40});
}

TEST_CASE("explain names the conflicting line of the strided reduction, with its banks") {
  const auto result = explained("reduce", "shared_strided", 256);
  const auto& launch = result.lines[0];
  const auto line = line_with(launch, "s[i] = op(s[i], s[i + stride])");
  const auto explanation = explanation_of(launch, 132);
  REQUIRE_FALSE(explanation.marks.empty());
  const auto conflict = std::find_if(explanation.marks.begin(), explanation.marks.end(),
                                     [](const Mark& mark) { return mark.kind == "bank_conflict"; });
  REQUIRE(conflict != explanation.marks.end());
  CHECK(conflict->line == line);
  // Which of the line's accesses is the example depends on the order in which the compiler loads.
  CHECK_THAT(conflict->text,
             ContainsSubstring("bank conflict: a load takes 3.92 passes on average where 1 would do. For "
                               "example, 8 lanes want 8 different words of bank "));
  CHECK_THAT(conflict->text, ContainsSubstring(": 8 passes where 1 would do; neighbouring threads are 32 bytes apart"));
  const auto accesses = shared_accesses(launch, line);
  REQUIRE(accesses.size() == 3);  // two loads, a store
  for (const auto& access : accesses) {
    CHECK(access.wavefronts == 8);
    CHECK(access.ideal_wavefronts == 1);
  }
  // The tree's step of stride 4: thread t works on words 8 t and 8 t + 4.
  const auto of_step = [&](std::int64_t first) {
    return std::any_of(accesses.begin(), accesses.end(), [&](const LineAccess& access) {
      const auto banks = banks_of(access);
      return banks.size() == 4 && banks[0].number == first && banks[0].words.size() == 8 &&
             banks[0].words[1].word == first + 32 && banks[0].words[1].lanes == std::vector<int>{4};
    });
  };
  CHECK(of_step(0));
  CHECK(of_step(4));
  CHECK_THAT(
      error_of([&] { return shared_accesses(launch, 1); }),
      ContainsSubstring("--banks: line 1 of reduce/kernels.cu has no access to shared memory | lines that have: "));
}

TEST_CASE("explain names the divergent and the uncoalesced line of the neighboured reduction") {
  const auto result = explained("reduce", "neighbored", 4096);
  const auto& launch = result.lines[0];
  const auto line = line_with(launch, "data[tid] = op(data[tid], data[tid + offset])");
  const auto explanation = explanation_of(launch, 132);
  for (const auto* kind : {"divergence", "uncoalesced"}) {
    const auto mark = std::find_if(explanation.marks.begin(), explanation.marks.end(),
                                   [&](const Mark& m) { return m.kind == kind && m.line == line; });
    INFO(kind);
    REQUIRE(mark != explanation.marks.end());
    if (mark->kind == "uncoalesced")
      CHECK(mark->text ==
            "uncoalesced load: 2.7 sectors per request on average where 1 would do; for example 8 lanes touch 4 "
            "sectors where 1 would hold what they ask for; neighbouring threads at work are 16 bytes apart. Try: "
            "neighbouring threads on neighbouring elements; where this only moves it to another access (a transpose), "
            "through a tile in shared memory");
  }
}

TEST_CASE("a copy that is coalesced and does not diverge has no mark") {
  const auto result = explained("transpose", "copy");
  CHECK(kinds_of(explanation_of(result.lines[0], 132)).empty());
}

TEST_CASE("lanes that a block of no whole warps lacks are its own doing, and no branch's") {
  const auto labs = all_labs();
  const Lab& lab = find_lab(labs, "saxpy");
  const Variant& naive = find_variant(lab, "naive");
  const auto explained_with = [&](std::uint32_t threads) {
    auto point = small_case(lab, naive);
    point.params.values["n"] = std::int64_t{5000};  // the last block's lanes disagree whether they are beyond the end
    point.block = {threads, 1, 1};
    return explanation_of(run(lab, naive, point, true).lines.at(0), 132);
  };
  const auto explanation = explained_with(48);
  REQUIRE(kinds_of(explanation) == std::vector<std::string>{"partial_warps"});
  CHECK(explanation.marks[0].text ==
        "partial warps: a block of 48 threads takes 2 warps, 16 of whose 64 lanes are never there. Try: a multiple of "
        "32 threads per block");
  CHECK(explanation.marks[0].share == 0.25);
  CHECK(kinds_of(explained_with(64)).empty());
}

TEST_CASE("a transpose's column accesses say how far neighbouring threads are apart") {
  const auto result = explained("transpose", "naive_row");
  const auto explanation = explanation_of(result.lines[0], 132);
  REQUIRE(kinds_of(explanation) == std::vector<std::string>{"uncoalesced"});
  CHECK(explanation.marks[0].text ==
        "uncoalesced store: 32 lanes touch 32 sectors where 4 would hold what they ask for; neighbouring threads are "
        "1024 bytes apart. Try: neighbouring threads on neighbouring elements; where this only moves it to another "
        "access (a transpose), "
        "through a tile in shared memory");
}

TEST_CASE("a module without its source is explained by lines of the PTX") {
  constexpr std::string_view ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<3>;\n"
      ".reg .b32 %r<3>;\nmov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [p];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
  const auto device = make_simulator(gpu_profile("h200"), {.threads = 1, .lines = true});
  device->load({"k.ptx", ptx, ""});
  const auto kernel = device->kernel("k");
  const auto memory = device->allocate("p", 4);
  const std::array arguments{KernelArgument::of(memory)};
  device->launch(kernel, {{1, 1, 1}, {32, 1, 1}}, arguments);
  const auto launches = device->take_lines();
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].ptx);
  CHECK(ptx_reason(launches[0]) == "lines are those of k.ptx, which is PTX");
  REQUIRE(launches[0].lines.size() == 4);
  CHECK(launches[0].lines[2].line == 9);
  CHECK(launches[0].lines[2].counters["global_store_requests"] == 1);
  CHECK(device->take_lines().empty());
}

TEST_CASE("a block with more barriers than phases counts the rest in the last one") {
  constexpr std::string_view ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() {\n.reg .pred %p;\n.reg .b32 %r1;\n"
      "mov.u32 %r1, 0;\nloop:\nadd.u32 %r1, %r1, 1;\nbar.sync 0;\nsetp.lt.u32 %p, %r1, 100;\n@%p bra loop;\nret;\n}\n";
  const auto device = make_simulator(gpu_profile("h200"), {.threads = 1, .lines = true});
  device->load({"k.ptx", ptx, ""});
  device->launch(device->kernel("k"), {{3, 1, 1}, {64, 1, 1}}, {});
  const auto launch = device->take_lines().at(0);
  CHECK(launch.phases == most_phases);
  Counters sum;
  for (const auto& line : launch.lines) {
    sum += line.counters;
    // The 64th phase begins after the 63rd barrier: of 100 rounds of 2 warps in 3 blocks, the last 37.
    if (line.line == 9) CHECK(line.executions == (line.phase + 1 < most_phases ? 6u : 37u * 6));
    if (line.line == 11 && line.phase == 0) CHECK(line.executions == 0);  // behind the barrier
  }
  CHECK(sum == of_lines(launch.counters));
  CHECK(sum["barriers"] == 600);
}
