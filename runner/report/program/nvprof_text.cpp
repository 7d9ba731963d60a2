// nvprof's layouts. Lectures and homeworks show them, and scripts read them; times in them are modelled, which a line
// above says.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "common/gpu_profile.h"
#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/program/program_report.h"

namespace gpulab {
namespace {

/// "3.1610us", "1.20000ms": five digits, as nvprof has them.
std::string time_text(double ms) {
  const auto five = [](double value, const char* unit) {
    return fmt::format("{:.{}f}{}", value, value < 10 ? 4 : value < 100 ? 3 : 2, unit);
  };
  if (ms < 1e-3) return fmt::format("{:.0f}ns", ms * 1e6);
  if (ms < 1) return five(ms * 1e3, "us");
  if (ms < 1e3) return five(ms, "ms");
  return five(ms / 1e3, "s");
}

std::string size_text(double bytes) {
  const char* units[] = {"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f}{}", bytes, bytes < 10 ? 4 : bytes < 100 ? 3 : 2, units[unit]);
}

std::string head(const ProgramRun& run, const char* what) {
  std::string command = run.program;
  for (const auto& argument : run.arguments) command += ' ' + argument;
  return fmt::format(
      "==gpulab== Profiling application: {}\n==gpulab== Times are modelled for {}, not measured\n==gpulab== {}\n",
      visible(command), run.profile, what);
}

struct Row {
  std::string name;
  double ms, least, most;
  std::uint64_t calls;
};

/// A name as nvprof writes it: "float const *".
std::string name_of(const cuda_api::KernelRecord& kernel) {
  std::string name;
  for (const char c : visible(kernel.name)) {
    if ((c == '*' || c == '&') && name.ends_with("const")) name += ' ';
    name += c;
  }
  return name;
}

/// Of a counter, or of a metric of time.
std::string_view definition_of(std::string_view metric) {
  if (const auto* row = find_counter(metric)) return row->definition;
  const auto rows = time_metrics();
  const auto row = std::ranges::find(rows, metric, &TimeMetric::name);
  return row == rows.end() ? std::string_view() : row->definition;
}

}  // namespace

std::string nvprof_summary(const ProgramRun& run) {
  std::vector<Row> rows;
  for (const auto* k : shown_kernels(run)) rows.push_back({name_of(*k), k->ms, k->least_ms, k->most_ms, k->launches});
  for (const auto& [name, c] : run.record.copies) rows.push_back({name, c.ms, c.least_ms, c.most_ms, c.calls});
  for (const auto& one : run.record.libraries)
    rows.push_back({fmt::format("{} ({}; library, estimated)", one.name, one.shape), one.ms, one.least_ms, one.most_ms,
                    one.calls});
  std::ranges::stable_sort(rows, std::greater{}, &Row::ms);
  const double all =
      std::accumulate(rows.begin(), rows.end(), 0.0, [](double sum, const Row& row) { return sum + row.ms; });
  std::string text = head(run, "Profiling result:");
  text += fmt::format("{:>16} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", "Type", "Time(%)", "Time", "Calls", "Avg",
                      "Min", "Max", "Name");
  const char* type = "GPU activities:";
  for (const auto& row : rows) {
    text += fmt::format("{:>16} {:>7.2f}% {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", type,
                        all > 0 ? 100 * row.ms / all : 0.0, time_text(row.ms), row.calls,
                        time_text(row.ms / static_cast<double>(std::max<std::uint64_t>(row.calls, 1))),
                        time_text(row.least), time_text(row.most), row.name);
    type = "";
  }
  type = "API calls:";
  for (const auto& [name, calls] : run.record.calls) {
    text += fmt::format("{:>16} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}  {}\n", type, "-", "-", calls.calls, "-", "-", "-",
                        name);
    type = "";
  }
  return text;
}

std::string nvprof_trace(const ProgramRun& run) {
  std::string text = head(run, "Profiling result:");
  const auto device = [&](int gpu) { return fmt::format("{} ({})", gpu_profile(run.profile).name, gpu); };
  text += fmt::format("{:>8} {:>9} {:>20} {:>15} {:>9} {:>9} {:>9} {:>11} {:>16} {:>9}  {}\n", "Start", "Duration",
                      "Grid Size", "Block Size", "Regs*", "SMem*", "Size", "Throughput", "Device", "Stream", "Name");
  const auto shape = [](const Dim3& d) { return fmt::format("({} {} {})", d.x, d.y, d.z); };
  const auto shown = shown_kernels(run);
  for (const auto& one : run.record.activities) {
    const bool kernel = one.number != 0;
    if (kernel && std::ranges::none_of(shown, [&](const auto* k) { return k->name == one.what; })) continue;
    text += fmt::format("{:>8} {:>9} {:>20} {:>15} {:>9} {:>9} {:>9} {:>11} {:>16} {:>9}  {}{}\n",
                        time_text(one.start_ms), time_text(one.ms), kernel ? shape(one.grid) : "-",
                        kernel ? shape(one.block) : "-", one.registers ? fmt::format("{}", *one.registers) : "-",
                        kernel ? size_text(static_cast<double>(one.shared_bytes)) : "-",
                        kernel ? "-" : size_text(static_cast<double>(one.bytes)),
                        kernel || one.ms <= 0 ? "-" : size_text(static_cast<double>(one.bytes) / one.ms * 1e3) + "/s",
                        device(one.gpu), one.stream, visible(one.what), kernel ? fmt::format(" [{}]", one.number) : "");
  }
  if (run.record.activities_cut > 0) text += fmt::format("({} more are not kept)\n", run.record.activities_cut);
  return text +
         "\nRegs: Number of registers used per CUDA thread.\nSMem: Static and dynamic shared memory allocated per CUDA "
         "block.\n";
}

std::string nvprof_metrics(const ProgramRun& run) {
  std::string text = head(run, "Metric result:");
  std::size_t width = 60;
  for (const auto& metric : run.metrics) width = std::max(width, definition_of(metric).size());
  text += fmt::format("{:<11} {:>40} {:>{}} {:>11} {:>11} {:>11}\n", "Invocations", "Metric Name", "Metric Description",
                      width, "Min", "Max", "Avg");
  text += fmt::format("Device \"{} (0)\"\n", gpu_profile(run.profile).name);
  for (const auto* kernel : shown_kernels(run)) {
    text += fmt::format("    Kernel: {}\n", name_of(*kernel));
    for (const auto& metric : run.metrics) {
      const auto* row = find_counter(metric);
      std::optional<MetricValue> least, most, mean = metric_value(result_of(*kernel), metric);
      if (row != nullptr && row->unit == CounterUnit::count && mean)
        mean->value /= static_cast<double>(std::max<std::uint64_t>(kernel->launches, 1));
      for (const auto& counters : kernel->each) {
        auto one = result_of(*kernel);
        one.counters = counters;
        const auto value = metric_value(one, metric);
        if (!value) continue;
        if (!least || value->value < least->value) least = value;
        if (!most || value->value > most->value) most = value;
      }
      const auto shown = [](const std::optional<MetricValue>& value) {
        return value ? metric_text(*value) : std::string("-");
      };
      const std::string name(row != nullptr && !row->nvprof.empty() ? row->nvprof : std::string_view(metric));
      text += fmt::format("{:>11} {:>40} {:>{}} {:>11} {:>11} {:>11}\n", kernel->launches, name, definition_of(metric),
                          width, shown(least ? least : mean), shown(most ? most : mean), shown(mean));
    }
  }
  return text;
}

}  // namespace gpulab
