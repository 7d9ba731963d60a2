// `gpulab devices`: what there is to run on.

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/device/device_kind.h"
#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/command.h"
#include "runner/report/grid_text.h"
#include "runner/report/report_target.h"

namespace gpulab::command {
namespace {

/// The driver's name without the maker's, who is the same of all.
std::string short_name(std::string_view name) {
  constexpr std::string_view maker = "NVIDIA ";
  return std::string(name.starts_with(maker) ? name.substr(maker.size()) : name);
}

std::string profiles_text(std::size_t width) {
  std::vector<TextColumn> table(10);
  table[0] = {{"profile"}, {}, false};
  table[1] = {{"NVIDIA's GPU"}, {}, false};
  const char* headings[][2] = {{"", "cc"},           {"", "SMs"},       {"warps", "/SM"},   {"blocks", "/SM"},
                               {"registers", "/SM"}, {"shared", "/SM"}, {"memory", "GB/s"}, {"FP32", "TFLOP/s"}};
  for (std::size_t i = 0; i < 8; ++i) table[i + 2].heading = {headings[i][0], headings[i][1]};
  for (const auto& [column, priority] : {std::pair{4, 1}, {5, 2}, {6, 3}}) table[column].priority = priority;
  for (const auto& p : gpu_profiles()) {
    const std::string cells[] = {p.id,
                                 short_name(p.name),
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
  auto text = aligned(std::move(table), width, left_out);
  if (!left_out.empty()) text += hanging("", 0, "Not shown for want of width: " + join(left_out), width);
  return text;
}

ExitCode run_devices(const CommandLine&) {
  std::string text;
  const auto width = report_width(ReportTarget({}));
  for (const auto* kind : device_kinds()) {
    for (const auto& line : split(kind->listing(), '\n')) {
      const auto indent = std::min(line.find_first_not_of(' '), line.size());
      text += hanging("", indent, std::string_view(line).substr(indent), width);
    }
  }
  text += hanging("", 0, "GPUs that the simulator can model (--profile NAME): data sheet values, configs/gpus", width);
  text += profiles_text(width);
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
