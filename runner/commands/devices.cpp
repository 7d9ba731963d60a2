// `gpulab devices`: what there is to run on.

#include <fmt/format.h>

#include "common/device/device_kind.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/report/grid_text.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

std::string profiles_text() {
  std::vector<TextColumn> table(10);
  table[0] = {{"profile"}, {}, false};
  table[1] = {{"GPU"}, {}, false};
  const char* headings[][2] = {{"", "cc"},           {"", "SMs"},       {"warps", "/SM"},   {"blocks", "/SM"},
                               {"registers", "/SM"}, {"shared", "/SM"}, {"memory", "GB/s"}, {"FP32", "TFLOP/s"}};
  for (std::size_t i = 0; i < 8; ++i) table[i + 2].heading = {headings[i][0], headings[i][1]};
  for (const auto& p : gpu_profiles()) {
    const std::string cells[] = {p.id,
                                 p.name,
                                 fmt::format("{}.{}", p.compute_major, p.compute_minor),
                                 std::to_string(p.sm_count),
                                 std::to_string(p.max_threads_per_sm / 32),
                                 std::to_string(p.max_blocks_per_sm),
                                 std::to_string(p.registers_per_sm),
                                 bytes_text(static_cast<double>(p.shared_bytes_per_sm)),
                                 fmt::format("{:.4g}", p.memory_bandwidth_gbs),
                                 fmt::format("{:.3g}", p.fp32_tflops)};
    for (std::size_t i = 0; i < table.size(); ++i) table[i].cells.push_back(cells[i]);
  }
  std::vector<std::string> left_out;
  return aligned(std::move(table), 100, left_out);
}

ExitCode run_devices(const CommandLine&) {
  std::string text;
  for (const auto* kind : device_kinds()) text += kind->listing() + '\n';
  text += "GPUs that the simulator can model (--profile NAME): data sheet values, configs/gpus\n" + profiles_text();
  print_report(text);
  return ExitCode::ok;
}

}  // namespace

extern const Command devices{
    .name = "devices",
    .help = "GPUs found, the simulator, and the GPU profiles that it can model",
    .run = run_devices,
};

}  // namespace gpulab::command
