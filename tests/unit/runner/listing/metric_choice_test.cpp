#include "runner/listing/metric_choice.h"

#include "common/device/device_kind.h"
#include "labs/registry.h"
#include "tests/catch.h"
#include "tests/unit/error_of.h"

using namespace gpulab;

namespace {

std::vector<std::string> chosen(const std::string& list, MachineOptions& machine, const Lab* lab = nullptr) {
  return parse_metrics({{"metrics", {list}}}, lab, machine);
}

}  // namespace

TEST_CASE("metrics are asked for by our names, nvprof's or Nsight Compute's, in that order and each once") {
  MachineOptions machine;
  CHECK(chosen("inst_executed,waves,smsp__inst_executed.sum,gld_efficiency", machine) ==
        std::vector<std::string>{"warp_instructions", "waves", "global_load_efficiency"});
  CHECK_FALSE(machine.model);
  CHECK(parse_metrics({}, nullptr, machine).empty());
}

TEST_CASE("a metric of time turns the model on, and is refused of a GPU by name") {
  MachineOptions machine;
  CHECK(chosen("sm__warps_active.avg.pct_of_peak_sustained_active", machine) ==
        std::vector<std::string>{"achieved_occupancy"});
  CHECK(machine.model);
  machine.device = find_device_kind("gpu");
  CHECK(error_of([&] { (void)chosen("ipc", machine); }).find("'ipc' is modelled from a simulation") !=
        std::string::npos);
  CHECK(chosen("waves", machine).size() == 1);
}

TEST_CASE("a lab's own metrics are of that lab") {
  const auto labs = all_labs();
  MachineOptions machine;
  for (const auto& lab : labs) {
    if (lab.name != "dynpar") continue;
    CHECK(chosen("launches_depth_2", machine, &lab) == std::vector<std::string>{"launches_depth_2"});
  }
  CHECK(error_of([&] { (void)chosen("launches_depth_2", machine); }).find("unknown metric 'launches_depth_2'") !=
        std::string::npos);
}

TEST_CASE("what the model cannot say is refused with the reason, by either profiler's name") {
  MachineOptions machine;
  for (const auto* name : {"stall_inst_fetch", "smsp__warp_issue_stalled_no_instruction", "l2_read_throughput",
                           "lts__t_bytes.sum", "dram__bytes_write.sum.per_second"})
    CHECK(error_of([&] { (void)chosen(name, machine); }).find("cannot be had: ") != std::string::npos);
}

TEST_CASE("a line has counters, also by the profilers' names, and nothing that is of a whole launch") {
  MachineOptions machine;
  const auto of_lines = [&](const std::string& list) {
    return parse_line_metrics({{"metrics", {list}}}, nullptr, machine);
  };
  CHECK(of_lines("inst_executed,barriers") == std::vector<std::string>{"warp_instructions", "barriers"});
  CHECK(of_lines("model.time_ms,modelled_time,barriers") == std::vector<std::string>{"barriers"});  // it has a column
  for (const char* name : {"waves", "block_imbalance", "global_read_footprint_bytes", "instructions_per_warp"})
    CHECK(
        error_of([&] {
          (void)of_lines(name);
        }).starts_with(std::string("--metrics: no line has a part of '") + name + "': it is of a whole launch or run"));
}
