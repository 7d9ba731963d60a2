// What the allreduce lab is about, pinned on the simulator: every rung is right on 2, 3, 4 and 8 GPUs, with all tools
// watching; a wait that is left out is found; what crosses the links.

#include <optional>
#include <string>
#include <utility>

#include "tests/all_tools.h"
#include "tests/catch.h"
#include "tests/labs/lab_case.h"

using namespace gpulab;

namespace {

const std::vector<const char*> rungs{"through_host", "gather",   "tree",    "ring_copies",
                                     "ring_loads",   "one_shot", "two_shot"};

Case case_of(const Lab& lab, const Variant& variant, const GpuProfile& gpu, std::int64_t gpus, std::int64_t n) {
  Case c = default_case(lab, variant, gpu);
  c.params.values["n"] = n;
  c.params.values["gpus"] = gpus;
  return c;
}

/// The rung without the wait of its how-manieth step that waits; nothing where it has no more of them.
std::optional<Variant> without_wait(const Variant& rung, const Case& c, std::size_t which) {
  auto steps = rung.steps(c);
  for (auto& step : steps) {
    if (step.after.empty()) continue;
    if (which-- > 0) continue;
    step.after.clear();
    Variant changed = rung;
    changed.steps = [steps](const Case&) { return steps; };
    return changed;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("allreduce: every rung is right on 2, 3, 4 and 8 GPUs, and no tool finds anything") {
  for (const auto* rung : rungs)
    for (const std::int64_t gpus : {2, 3, 4, 8})
      for (const std::int64_t n : {0, 1, 5, 33, 1000, 4099}) {
        const Result r = run_lab_case("allreduce", rung, {{"n", n}, {"gpus", gpus}}, {.sanitize = tests::all_tools()});
        INFO(rung << ", " << gpus << " GPUs, " << n << " elements: " << r.message);
        REQUIRE(r.status == CaseStatus::ok);
        CHECK(r.findings.empty());
      }
}

TEST_CASE("allreduce: each wait that is left out is found") {
  const Lab& lab = lab_named("allreduce");
  for (const auto& [rung, waits] : std::vector<std::pair<const char*, std::size_t>>{
           {"through_host", 4}, {"tree", 4}, {"ring_copies", 20}, {"ring_loads", 20}, {"two_shot", 6}}) {
    const std::int64_t gpus = std::string_view(rung) == "two_shot" || std::string_view(rung) == "through_host" ? 3 : 4;
    const Variant& variant = variant_named(lab, rung);
    std::size_t found = 0;
    for (std::size_t which = 0;; ++which) {
      Simulation simulation({.threads = 1, .sanitize = {"streamcheck"}});
      const Case c = case_of(lab, variant, simulation.gpu, gpus, 4096);
      const auto changed = without_wait(variant, c, which);
      if (!changed) break;
      const Result r = simulation.runner.run(lab, *changed, c, {});
      INFO(rung << ", wait " << which << ": " << r.message);
      CHECK(r.status == CaseStatus::finding);
      ++found;
    }
    INFO(rung);
    CHECK(found == waits);
  }
}

TEST_CASE("allreduce: a wait that is left out is told in words") {
  const Lab& lab = lab_named("allreduce");
  const Variant& variant = variant_named(lab, "ring_loads");
  Simulation simulation({.threads = 1, .sanitize = {"streamcheck"}});
  const Case c = case_of(lab, variant, simulation.gpu, 2, 4096);
  const Result r = simulation.runner.run(lab, *without_wait(variant, c, 0), c, {});
  REQUIRE_FALSE(r.findings.empty());
  CHECK(r.findings[0].tool == "streamcheck");
  CHECK(
      r.findings[0].message ==
      "step 2 (allreduce_fetch) of GPU 0 reads 8192 bytes of 'out1' that step 1 (allreduce_add) of GPU 1 may still be "
      "writing, and nothing orders the two; let step 2 wait for step 1");
}

TEST_CASE("allreduce: a ring sends as little as can be, one GPU that gathers gets it all") {
  constexpr std::int64_t n = 4096, gpus = 4;
  const auto of = [&](const char* rung, const char* metric) {
    return counted(run_lab_case("allreduce", rung, {{"n", n}, {"gpus", gpus}}), metric);
  };
  CHECK(of("ring_copies", "link_bytes") == 2 * 3 * n);
  CHECK(of("ring_loads", "link_bytes") == 2 * 3 * n);
  CHECK(of("two_shot", "link_bytes") == 2 * 3 * n);
  CHECK(of("gather", "link_bytes") == 3 * 4 * n);
  CHECK(of("one_shot", "link_bytes") == 3 * 4 * n);
  CHECK(of("tree", "link_bytes") == 2 * 4 * n);
  CHECK(of("ring_loads", "steps_in_a_row") == 6);
  CHECK(of("two_shot", "steps_in_a_row") == 2);
  // In copies: the sum over all links, of which each carries a k-th.
  CHECK(of("ring_copies", "bytes_to_peers") == 4 * 2 * 3 * n);
  CHECK(of("gather", "bytes_to_peers") == 2 * 3 * 4 * n);
  CHECK(of("through_host", "bytes_to_host") == 5 * 4 * n);
}

TEST_CASE("allreduce: time of several GPUs is not modelled, and the result says so") {
  Simulation simulation({.threads = 1, .model = true});
  const Lab& lab = lab_named("allreduce");
  const Variant& variant = variant_named(lab, "one_shot");
  const Result r = simulation.runner.run(lab, variant, case_of(lab, variant, simulation.gpu, 2, 4096), {});
  CHECK_FALSE(r.model);
  CHECK(r.model_unavailable == "several GPUs and the links between them are not modelled");
}
