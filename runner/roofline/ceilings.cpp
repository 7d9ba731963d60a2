#include "runner/roofline/ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common/child/interrupt.h"
#include "common/error.h"
#include "common/gpu_profile.h"
#include "common/simt/timing/gpu_timing.h"
#include "runner/execution/open_device.h"
#include "runner/roofline/ceiling_kernels.h"
#include "runner/student_file/kernel_file.h"

namespace gpulab {
namespace {

constexpr double us_per_ms = 1000;
constexpr int schedulers_per_sm = 4;

/// Until the clock is up, and enough that the best of them is one that nothing disturbed.
constexpr MeasureOptions repeatedly{.warmup = 5, .reps = 31, .warm = true};

Result run_kernel(const CeilingKernel& kernel, Executor& executor) {
  KernelFile file;
  file.file = kernel.entry + ".ptx";
  file.ptx = kernel.ptx;
  file.entry = kernel.entry;
  file.arguments = kernel.arguments;
  const Lab lab = file_lab(std::move(file));
  Case point;
  point.block = kernel.block;
  point.sm_count = executor.info().sm_count;
  RunOptions options;
  options.grid = kernel.grid;
  options.counters = false;
  options.measure = repeatedly;
  return executor.run(lab, lab.variants.front(), point, options);
}

}  // namespace

std::vector<Ceiling> modelled_ceilings(std::string_view profile, bool& validated) {
  const auto& gpu = gpu_profile(profile);
  const auto* known = simt::gpu_timing(profile);
  const auto t = known != nullptr ? *known : simt::estimated_timing(gpu);
  validated = known != nullptr && known->validated;
  const auto from = !text_of_added(profile).empty() ? fmt::format("modelled: {}", profile)
                    : known != nullptr              ? fmt::format("modelled: configs/timing/{}.json", profile)
                                       : std::string("modelled: the data sheet, by an H100's microbenchmarks");
  const double sms = gpu.sm_count, ghz = t.clock_ghz;
  return {{"memory", "GB/s", t.dram_gbs, from},
          {"memory copy", "GB/s", t.dram_gbs * t.dram_mixed, from},
          {"L2", "GB/s", t.l2_total_bytes_per_cycle * ghz, from},
          {"shared", "GB/s", t.l1_bytes_per_cycle * sms * ghz, from},
          {"issue", "Ginstr/s", schedulers_per_sm * sms * ghz, from},
          {"fp32", "GFLOP/s", 2 * sms * gpu.fp32_lanes_per_sm * ghz, from},
          {"fp64", "GFLOP/s", 2 * sms * fp64_lanes_per_sm(gpu) * ghz, from},
          {"launch", "us", t.launch_us, from}};
}

std::vector<Ceiling> measured_ceilings(const MachineOptions& machine, std::vector<std::string>& problems) {
  const auto executor = open_device_for_file(machine, {});
  const auto& gpu = executor->info();
  std::vector<Ceiling> all;
  std::vector<double> clocks;
  for (const auto& kernel : ceiling_kernels(gpu.compute_major * 10 + gpu.compute_minor, gpu.sm_count)) {
    const auto result = run_kernel(kernel, *executor);
    if (result.status == CaseStatus::interrupted || interrupted()) throw Error(ExitCode::interrupted, "interrupted");
    if (result.status != CaseStatus::ok || !result.timing || !(result.timing->min_ms > 0)) {
      problems.push_back(fmt::format("the ceiling '{}' could not be measured: {}", kernel.ceiling, result.message));
      continue;
    }
    const double ms = result.timing->min_ms;
    for (const double mhz : result.timing->sm_mhz) clocks.push_back(mhz);
    if (!result.timing->throttled.empty())
      problems.push_back(fmt::format("while the ceiling '{}' was measured the clock was held back: {}", kernel.ceiling,
                                     result.timing->throttled));
    const double value = kernel.unit == "us" ? us_per_ms * ms : kernel.work / ms / 1e6;
    all.push_back({kernel.ceiling, kernel.unit, value,
                   fmt::format("measured: {}, best of {}, warm", kernel.what, result.timing->samples)});
  }
  if (!clocks.empty()) {
    const double ghz = *std::ranges::max_element(clocks) / 1000;
    all.push_back(
        {"issue", "Ginstr/s", schedulers_per_sm * gpu.sm_count * ghz,
         fmt::format("four schedulers of each SM at {:.0f} MHz, the clock read beside the others", 1000 * ghz)});
  }
  return all;
}

}  // namespace gpulab
