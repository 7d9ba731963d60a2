// ncu's CSV, in the columns that its readers know: no column is added.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "runner/report/advice/explained_kernel.h"
#include "runner/report/ncu/ncu_report.h"

namespace gpulab::ncu {
namespace {

/// ncu quotes each field; a quote within is doubled (RFC 4180).
std::string field_of(std::string_view text) {
  std::string field = "\"";
  for (const char c : visible(text)) {
    if (c == '"') field += '"';
    field += c == '\n' ? ' ' : c;
  }
  return field + '"';
}

std::string line_of(const std::vector<std::string>& fields) {
  std::string line;
  for (const auto& field : fields) line += (line.empty() ? "" : ",") + field_of(field);
  return line + '\n';
}

std::string extents(const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); }

constexpr std::array launch_columns{"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                                    "Stream", "Block Size", "Grid Size",    "Device",    "CC"};

std::vector<std::string> launch_fields(const View& view, const LaunchView& launch) {
  auto name = view.base_names ? base_name(launch.kernel->name) : launch.kernel->name;
  return {fmt::format("{}", launch.number),
          "1",
          view.run->program.substr(view.run->program.rfind('/') + 1),
          "127.0.0.1",
          std::move(name),
          "1",
          fmt::format("{}", launch.stream + 7),  // ncu calls the default stream 7
          extents(launch.block),
          extents(launch.grid),
          "0",
          fmt::format("{}.{}", launch.gpu->compute_major, launch.gpu->compute_minor)};
}

}  // namespace

namespace {

/// ncu writes these columns where it has looked for rules: for sections, not for --metrics alone.
constexpr std::array rule_columns{"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type",
                                  "Estimated Speedup"};

/// Of a launch: what `gpulab explain` says of its kernel's lines, in rows without a metric, which name the section by
/// its identifier, as ncu's do.
void add_rules(const View& view, const LaunchView& launch, std::string& text) {
  if (!launch.has_lines) return;
  const ExplainedKernel kernel(*launch.kernel, *view.run);
  for (const auto& mark : kernel.explanation.marks) {
    auto fields = launch_fields(view, launch);
    const auto words = mark.line == 0 ? mark.text : fmt::format("line {}: {}", mark.line, mark.text);
    for (const auto& field : {std::string("SourceCounters"), std::string(), std::string(), std::string(), mark.kind,
                              std::string("OPT"), words, std::string(), std::string()})
      fields.push_back(field);
    text += line_of(fields);
  }
}

}  // namespace

std::string details_csv(const View& view) {
  const bool has_rules = !view.sections.empty();
  std::vector<std::string> columns(launch_columns.begin(), launch_columns.end());
  for (const char* name : {"Section Name", "Metric Name", "Metric Unit", "Metric Value"}) columns.emplace_back(name);
  if (has_rules) columns.insert(columns.end(), rule_columns.begin(), rule_columns.end());
  auto text = line_of(columns);
  for (const auto& launch : view.launches) {
    const auto add = [&](std::string_view section, std::string_view label, const MetricRow& row) {
      auto fields = launch_fields(view, launch);
      for (const auto& field :
           {std::string(section), std::string(label), std::string(unit_of(view, row)), value_text(view, row, launch)})
        fields.push_back(field);
      fields.resize(columns.size());
      text += line_of(fields);
    };
    for (const auto& id : view.sections)
      for (const auto& section : sections())
        if (section.id == id)
          for (const auto name : section.metrics) {
            const auto& row = *find_metric(name);
            add(section.title, row.label.empty() ? row.name : row.label, row);
          }
    for (const auto& name : view.metrics) add("Command line profiler metrics", name, row_named(name));
    if (has_rules) add_rules(view, launch, text);
  }
  return text;
}

std::string raw_csv(const View& view) {
  auto names = metrics_of(view);
  std::ranges::sort(names);
  std::vector<std::string> columns(launch_columns.begin(), launch_columns.end()), units(launch_columns.size());
  for (const auto& name : names) {
    columns.push_back(name);
    units.emplace_back(unit_of(view, row_named(name)));
  }
  auto text = line_of(columns) + line_of(units);
  for (const auto& launch : view.launches) {
    auto fields = launch_fields(view, launch);
    for (const auto& name : names) fields.push_back(value_text(view, row_named(name), launch));
    text += line_of(fields);
  }
  return text;
}

std::string source_csv(const View& view) {
  std::string text;
  std::vector<const cuda_api::KernelRecord*> shown;
  for (const auto& launch : view.launches) {
    if (std::ranges::find(shown, launch.kernel) != shown.end() || !launch.kernel->lines) continue;
    shown.push_back(launch.kernel);
    const ExplainedKernel kernel(*launch.kernel, *view.run);
    text += line_of({"Kernel Name", launch.kernel->name});
    std::vector<std::string> columns{"#", "Source"};
    for (const auto& counter : source_columns()) columns.emplace_back(counter);
    text += line_of(columns);
    for (const auto& line : kernel.explanation.lines) {
      std::vector<std::string> fields{fmt::format("{}", line.line), std::string(line.text)};
      for (const auto& counter : source_columns())
        fields.push_back(fmt::format("{:.0f}", find_counter(counter)->value(line.counters).value_or(0)));
      text += line_of(fields);
    }
  }
  return text;
}

}  // namespace gpulab::ncu
