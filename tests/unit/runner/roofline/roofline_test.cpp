#include <algorithm>
#include <set>
#include <sstream>

#include "common/device/ptx_entries.h"
#include "common/gpu_profile.h"
#include "runner/roofline/ceiling_kernels.h"
#include "runner/roofline/ceilings.h"
#include "runner/roofline/shares.h"
#include "tests/catch.h"
#include "tests/unit/test_lab.h"

using namespace gpulab;

namespace {

struct Under {
  Lab lab = doubling_lab();
  std::vector<SweepCase> cases;
  Run run;
  Roofline roofline;

  Under() {
    run.device = {"gpu", "NVIDIA H200", "h200", 9, 0, 132};
    roofline.measured = true;
    roofline.ceilings = {{"memory", "GB/s", 4000},
                         {"issue", "Ginstr/s", 1000},
                         {"fp32", "GFLOP/s", 60000},
                         {"shared", "GB/s", 30000},
                         {"launch", "us", 5}};
  }
  Result& add(double ms) {
    auto& swept = cases.emplace_back();
    swept.variant = &lab.variants[1];
    swept.settings = default_case(lab);
    auto& result = run.results.emplace_back();
    result.variant = "plain";
    result.timing = Timing{.source = TimeSource::cuda_events, .median_ms = ms};
    result.launch = LaunchFacts{};
    return result;
  }
  Roofline& done() {
    add_rows(lab, cases, run, roofline);
    return roofline;
  }
};

double share(const RooflineRow& row, std::string_view ceiling) {
  return std::ranges::find(row.shares, ceiling, &CeilingShare::ceiling)->share;
}

}  // namespace

TEST_CASE("a row has its declared operations, its shares of every ceiling, and the largest first") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 4e9, .flops = 2e9}; };
  auto& counted = under.add(2);
  counted.counters = Counters{};
  (*counted.counters)["global_read_footprint_bytes"] = 4'000'000'000;
  (*counted.counters)["warp_instructions"] = 100'000'000;
  const auto& roofline = under.done();
  CHECK_FALSE(roofline.of_instructions);
  const auto& row = roofline.rows.at(0);
  CHECK(row.missing.empty());
  CHECK(row.roof == "fp32");
  CHECK(row.intensity() == Catch::Detail::Approx(0.5));
  CHECK(row.per_second() == Catch::Detail::Approx(1e12));
  CHECK(row.shares.front().ceiling == "memory");
  CHECK(share(row, "memory") == Catch::Detail::Approx(0.5));
  CHECK(share(row, "fp32") == Catch::Detail::Approx(1e12 / 60e12));
  CHECK(share(row, "issue") == Catch::Detail::Approx(0.05));
  CHECK(share(row, "launch") == Catch::Detail::Approx(0.0025));
}

TEST_CASE(
    "what takes more than all of a ceiling is not bound by it and has no share of it; what nothing explains has") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 4e7, .flops = 1e7}; };
  under.add(0.005);  // twice the memory's rate, from L2
  const auto row = under.done().rows.at(0);
  CHECK(std::ranges::find(row.shares, "memory", &CeilingShare::ceiling) == row.shares.end());
  CHECK(row.not_bound_by.front().ceiling == "memory");
  CHECK(row.not_bound_by.front().why == "its 38.1 MiB fit into L2, which has 60 MiB");
  CHECK(under.roofline.roof_over(row) == Catch::Detail::Approx(60e12));  // not the memory's
  under.roofline.ceilings.push_back({"L2", "GB/s", 9000});
  CHECK(under.roofline.roof_over(row) == Catch::Detail::Approx(9e12 / 4));
  CHECK(roofline_json(under.roofline).find("fit into L2") != std::string::npos);
  CHECK(roofline_table(under.roofline, {.width = 100}).find("plain is not bound by memory: its 38.1 MiB fit into L2") !=
        std::string::npos);
  Under far;
  far.lab.work = [](const Case&) { return Work{.bytes = 4e9, .flops = 1e7}; };
  far.add(0.5);
  CHECK(far.done().rows.at(0).shares.front().why == "not explained: is the work declared that it does?");
}

TEST_CASE(
    "what shared memory does is what the model knows of wide loads, and where that is not known a share above all says "
    "so") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 4e6, .flops = 1e7}; };
  auto& counted = under.add(1);
  counted.counters = Counters{};
  (*counted.counters)["global_read_footprint_bytes"] = 1'000'000;
  (*counted.counters)["shared_load_wavefronts"] = 300'000'000;  // 38.4 GB: more than 30 in a millisecond
  const auto row = under.done().rows.at(0);
  CHECK(share(row, "shared") == Catch::Detail::Approx(1.28));
  CHECK(row.shares.front().why ==
        "ptxas makes one wide load of loads of neighbours, which are counted one by one here");
  under.roofline.rows.clear();
  auto& model = counted.model.emplace();
  model.gpu = "h200";
  model.ms = model.kernel_ms = 1;
  model.shared = 0.5;
  model.sms_used = 132;
  const auto known = under.done().rows.at(0);
  CHECK(share(known, "shared") == Catch::Detail::Approx(0.5 * 1.98e9 * 132 * 128 / 30e12).epsilon(0.02));  // of 30 TB/s
  CHECK(known.shares.front().why.empty());
}

TEST_CASE("launches that overlap are not bound by what one takes") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 4e4, .flops = 1e4}; };
  under.add(0.02).launch->launches = 8;
  const auto row = under.done().rows.at(0);
  CHECK(std::ranges::find(row.shares, "launch", &CeilingShare::ceiling) == row.shares.end());
  CHECK(row.not_bound_by.front().why == "its launches overlap");
}

TEST_CASE("instructions are those that ptxas makes, as the model has them, where PTX has more") {
  Under under;
  auto& counted = under.add(1);
  counted.counters = Counters{};
  (*counted.counters)["global_read_footprint_bytes"] = 1'000'000;
  (*counted.counters)["warp_instructions"] = 1'100'000'000;  // more than 1000 G a second
  auto& model = counted.model.emplace();
  model.gpu = "h200";
  model.ms = model.kernel_ms = 1;
  model.issue = 0.9;
  model.sms_used = 132;
  const auto row = under.done().rows.at(0);
  const double made = 0.9 * 1.98e6 * 132 * 4;
  CHECK(row.operations == Catch::Detail::Approx(made).epsilon(0.02));
  CHECK(share(row, "issue") == Catch::Detail::Approx(made / 1e9).epsilon(0.02));
  under.roofline.rows.clear();
  model.issue = 1.5;  // divisions, of which it makes more
  CHECK(under.done().rows.at(0).operations == Catch::Detail::Approx(1.1e9));
}

TEST_CASE("where a lab declares no operations they are warp instructions under the issue's roof") {
  Under under;
  auto& counted = under.add(1);
  counted.counters = Counters{};
  (*counted.counters)["global_read_footprint_bytes"] = 1'000'000;
  (*counted.counters)["warp_instructions"] = 2'000'000;
  const auto& roofline = under.done();
  CHECK(roofline.of_instructions);
  CHECK(roofline.rows.at(0).roof == "issue");
  CHECK(roofline.rows.at(0).intensity() == Catch::Detail::Approx(2));
}

TEST_CASE("what SMs do is not known by a smaller case whose operations are another part of its bytes") {
  Under under;
  under.lab.work = [](const Case& at) {
    const auto n = static_cast<double>(at.n());
    return Work{.bytes = 8 * n * n, .flops = 2 * n * n * n};
  };
  auto& counted = under.add(1);
  under.cases.back().settings.params.values["n"] = std::int64_t{1000};
  counted.counters = Counters{};
  counted.counters_params = {{"n", std::int64_t{100}}};
  (*counted.counters)["global_read_footprint_bytes"] = 80'000;
  (*counted.counters)["warp_instructions"] = 50'000;
  const auto row = under.done().rows.at(0);
  CHECK(row.bytes == Catch::Detail::Approx(8e6));
  CHECK(std::ranges::find(row.shares, "issue", &CeilingShare::ceiling) == row.shares.end());
  CHECK(under.roofline.notes.at(0).find("were counted of a smaller case") != std::string::npos);
}

TEST_CASE("counts of a smaller case simulated beside a GPU stand for the large one by its bytes") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 8e6}; };
  auto& counted = under.add(1);
  counted.counters = Counters{};
  counted.counters_params = {{"n", std::int64_t{10}}};
  (*counted.counters)["global_read_footprint_bytes"] = 1'000'000;
  (*counted.counters)["warp_instructions"] = 2'000'000;
  CHECK(under.done().rows.at(0).operations == Catch::Detail::Approx(16e6));
}

TEST_CASE("what is not in the picture says why") {
  Under under;
  under.lab.work = [](const Case&) { return Work{.bytes = 8e6, .flops = 1e6}; };
  under.add(1).status = CaseStatus::wrong;
  under.run.results.back().message = "out[0] is 1, not 2";
  under.add(1).timing.reset();
  const auto& rows = under.done().rows;
  CHECK(rows.at(0).missing == "out[0] is 1, not 2");
  CHECK(rows.at(1).missing == "it was not measured");
}

TEST_CASE("modelled ceilings are those of the timing model, else of the data sheet, and say which") {
  bool validated = false;
  const auto h200 = modelled_ceilings("h200", validated);
  CHECK(validated);
  CHECK(h200.front().name == "memory");
  CHECK(h200.front().value == 4600);
  CHECK(h200.front().from == "modelled: configs/timing/h200.json");
  const auto t4 = modelled_ceilings("t4", validated);
  CHECK_FALSE(validated);
  CHECK(t4.front().from == "modelled: the data sheet, by an H100's microbenchmarks");
  const auto fp32 = std::ranges::find(t4, "fp32", &Ceiling::name);
  CHECK(fp32->value == Catch::Detail::Approx(8141).epsilon(0.1));  // of its data sheet, 8.1 TFLOP/s
}

TEST_CASE("ceilings are measured by kernels that a GPU of that kind can run, one for each") {
  for (const auto& [capability, tensor] : {std::pair{75, ""}, {86, "sm_80"}, {90, "sm_90a"}, {120, "sm_80"}}) {
    const auto kernels = ceiling_kernels(capability, 100);
    std::vector<std::string> names;
    for (const auto& kernel : kernels) {
      names.push_back(kernel.ceiling);
      CHECK(kernel.ptx.find(".visible .entry " + kernel.entry + "(") != std::string::npos);
      CHECK((kernel.work > 0) == (kernel.unit != "us"));
      if (kernel.ceiling == "tensor bf16") CHECK(kernel.ptx.find(tensor) != std::string::npos);
    }
    auto wanted = std::vector<std::string>{"memory", "memory copy", "L2", "shared", "fp32", "fp64", "fp16"};
    if (*tensor != '\0') wanted.emplace_back("tensor bf16");
    wanted.emplace_back("launch");
    CHECK(names == wanted);
  }
}

// What ptxas did to the first ones: of two volatile loads of one word in a round it dropped one, so that the ceiling
// was twice what the GPU can do; it gave all multiply-adds of halves by a constant to one of two pipes: half of it.
TEST_CASE("a ceiling's kernel loads no word twice in a round, and its halves' factor is known by the GPU alone") {
  for (const auto& kernel : ceiling_kernels(90, 100)) {
    std::set<std::string> loads;
    std::size_t count = 0;
    std::istringstream lines(kernel.ptx);
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("  ld.") && line.find(".v4.") != std::string::npos) {
        ++count;
        loads.insert(line.substr(line.find('[')));
      }
    CHECK(loads.size() == count);
    if (kernel.ceiling == "fp16") CHECK(kernel.ptx.find("xor.b32 %b, %b, %r4;") != std::string::npos);
  }
}
