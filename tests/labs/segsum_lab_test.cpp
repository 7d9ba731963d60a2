// What the lab `segsum` shows, on the simulator.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "labs/segsum/bags.h"
#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;
namespace segsum = gpulab::labs::segsum;

namespace {

std::vector<int> lengths(const std::map<std::string, ParamValue>& params = {}) {
  const Lab& lab = lab_named("segsum");
  Case c = default_case(lab, lab.variants.front(), gpu_profile("h200"));
  for (const auto& [name, value] : params) c.params.values.at(name) = value;
  return segsum::lengths(c);
}

}  // namespace

TEST_CASE("segsum: the lecture's mix, 1000 bags of 1 to 10 rows, 100 of 11 to 100, 10 of 101 to 1000") {
  const auto in_order = lengths({{"order", "by_class"}});
  REQUIRE(in_order.size() == 1110);
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const bool small = i < 1000, medium = !small && i < 1100;
    CHECK(in_order[i] >= (small ? 1 : medium ? 11 : 101));
    CHECK(in_order[i] <= (small ? 10 : medium ? 100 : 1000));
  }
  auto mixed = lengths(), sorted = in_order;
  CHECK(mixed != in_order);
  std::ranges::sort(mixed);
  std::ranges::sort(sorted);
  CHECK(mixed == sorted);
}

TEST_CASE("segsum: of 30 percent empty bags, about 30 percent take the default, and all do of 100") {
  const auto some = lengths({{"empty", 30}}), all = lengths({{"empty", 100}});
  CHECK(std::ranges::count(some, 0) == 300);
  CHECK(std::ranges::count(all, 0) == 1110);
  for (const auto& variant : lab_named("segsum").variants) {
    if (variant.vendor.run != nullptr) continue;
    for (const std::int64_t percent : {30, 100}) {
      const auto result = run_lab_case("segsum", variant.name, {{"empty", percent}});
      INFO(variant.name << ": " << result.message);
      CHECK(result.status == CaseStatus::ok);
    }
  }
}

TEST_CASE("segsum: a launch per bag, or one for all") {
  CHECK(run_lab_case("segsum", "kernel_per_bag").launch->launches == 1110);
  CHECK(counted(run_lab_case("segsum", "kernel_per_bag"), "launches") == 1110);
  CHECK(run_lab_case("segsum", "balanced").launch->launches == 1);
}

TEST_CASE("segsum: lanes of a thread per bag wait for the longest of their warp") {
  const auto threads = run_lab_case("segsum", "thread_per_bag"), warps = run_lab_case("segsum", "warp_per_bag");
  CHECK(std::round(1000 * counted(threads, "warp_execution_efficiency")) == 113);
  CHECK(counted(threads, "branch_efficiency") < 0.9);
  CHECK(counted(threads, "divergent_branches") > 0);
  CHECK(counted(warps, "warp_execution_efficiency") == 1);
  CHECK(counted(warps, "divergent_branches") == 0);
  // Each of 32 lanes in a sector of its own, a word of it used; a row in 16 sectors, all of them.
  CHECK(std::round(1000 * counted(threads, "global_load_efficiency")) == 125);
  CHECK(counted(warps, "global_load_sectors") < counted(threads, "global_load_sectors") / 7);
}

TEST_CASE("segsum: what the metrics say of rows per warp is what the warps load") {
  const auto all = lengths();
  const double rows = std::accumulate(all.begin(), all.end(), 0.0);
  const auto warps = run_lab_case("segsum", "warp_per_bag"), balanced = run_lab_case("segsum", "balanced");
  // A request of a whole row per row, and two of the bag's bounds.
  CHECK(counted(warps, "global_load_requests") == rows + 2 * 1110);
  CHECK(rows == 16270);
  CHECK(*std::ranges::max_element(all) == 956);
  CHECK(counted(warps, "busiest_warp_rows") == 956);
  CHECK(std::round(10 * counted(warps, "load_imbalance")) == 652);
  const auto spread = segsum::balanced(all).of_warp;
  CHECK(std::accumulate(spread.begin(), spread.end(), 0.0) == rows);
  CHECK(spread.size() == (static_cast<std::size_t>(rows) + 1110 + 31) / 32);
  CHECK(counted(balanced, "busiest_warp_rows") == 32);
  CHECK(counted(balanced, "load_imbalance") < 1.1);
}

TEST_CASE("segsum: a thousand empty bags are work, too, and balanced spreads them") {
  const std::vector<int> empty(1000);
  CHECK(segsum::balanced(empty).of_warp.size() == 32);
  const auto result = run_lab_case("segsum", "balanced", {{"bags", 1000}, {"empty", 100}});
  CHECK(result.status == CaseStatus::ok);
  // A warp stores 32 defaults of 512 bytes at most.
  CHECK(counted(result, "global_store_requests") == 1000);
  CHECK(result.launch->grid == Dim3{4});
}

TEST_CASE("segsum: the sanitizer's tools find nothing") {
  for (const auto& variant : lab_named("segsum").variants) {
    if (variant.vendor.run != nullptr || variant.host) continue;
    const auto result =
        run_lab_case("segsum", variant.name, {{"bags", 200}, {"empty", 30}}, {.sanitize = tests::all_tools()});
    INFO(variant.name << ": " << result.message);
    CHECK(result.status == CaseStatus::ok);
    CHECK(result.findings.empty());
  }
}

TEST_CASE("segsum: rows of the wrong bag, and a bag that is left out, are found out") {
  Simulation simulation;
  const Lab& lab = lab_named("segsum");
  for (const char* name : {"thread_per_bag", "warp_per_bag", "balanced"}) {
    Variant variant = variant_named(lab, name);
    const auto with = [&](std::size_t first_bag, std::int32_t bags) {
      variant.arguments = [=](const Case&) -> std::vector<Argument> {
        return {BufferArgument{"x"}, BufferArgument{"first_row", first_bag}, BufferArgument{"fallback"},
                BufferArgument{"out"}, bags};
      };
      return simulation.runner.run(lab, variant, default_case(lab, variant, simulation.gpu), {}).status;
    };
    INFO(name);
    CHECK(with(0, 1110) == CaseStatus::ok);
    CHECK(with(0, 1109) == CaseStatus::wrong);
    CHECK(with(1, 1109) == CaseStatus::wrong);
  }
}
