// ncu's pages for people. What is not a GPU's is said at the head of the page and below each section.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/text.h"
#include "runner/report/advice/explained_kernel.h"
#include "runner/report/ncu/ncu_report.h"

namespace gpulab::ncu {
namespace {

constexpr std::size_t text_columns = 100;

struct TableRow {
  std::string name, unit, value;
};

std::string table(const std::vector<TableRow>& rows, const std::array<std::string, 3>& heading) {
  std::array<std::size_t, 3> width{heading[0].size(), heading[1].size(), heading[2].size()};
  for (const auto& row : rows) {
    width[0] = std::max(width[0], columns(row.name));
    width[1] = std::max(width[1], row.unit.size());
    width[2] = std::max(width[2], row.value.size());
  }
  const auto rule =
      fmt::format("    {} {} {}\n", std::string(width[0], '-'), std::string(width[1], '-'), std::string(width[2], '-'));
  auto text =
      rule +
      fmt::format("    {:<{}} {:>{}} {:>{}}\n", heading[0], width[0], heading[1], width[1], heading[2], width[2]) +
      rule;
  for (const auto& row : rows)
    text += fmt::format("    {:<{}} {:>{}} {:>{}}\n", row.name, width[0], row.unit, width[1], row.value, width[2]);
  return text + rule;
}

const std::array<std::string, 3> metric_heading{"Metric Name", "Metric Unit", "Metric Value"};

/// A paragraph behind a mark: "    OPT   …".
std::string paragraph(std::string_view mark, std::string_view words) {
  std::string text;
  for (const auto& line : wrapped(words, text_columns - 10)) {
    text += fmt::format("    {:<5} {}\n", mark, line);
    mark = "";
  }
  return text;
}

std::string head_of(const View& view, const LaunchView& launch) {
  const auto extents = [](const Dim3& d) { return fmt::format("({}, {}, {})", d.x, d.y, d.z); };
  const auto name = view.base_names ? base_name(launch.kernel->name) : launch.kernel->name;
  return fmt::format("  {} {}x{}, Context 1, Stream {}, Device 0, CC {}.{}\n", visible(name), extents(launch.grid),
                     extents(launch.block), launch.stream + 7, launch.gpu->compute_major, launch.gpu->compute_minor);
}

/// What stands below a section: of what is n/a what we have, and what is modelled.
std::string notes_of(const View& view, const Section& section, const LaunchView& launch) {
  std::vector<std::string> ours;
  std::vector<std::string> modelled;
  std::string missing;
  for (const auto name : section.metrics) {
    const auto& row = *find_metric(name);
    const auto value = value_of(row, launch);
    if (row.source == Source::modelled && value.number) modelled.emplace_back(row.label.empty() ? row.name : row.label);
    if (row.source == Source::modelled && !value.number) missing = value.why;
    if (const auto text = ours_text(row, launch); !text.empty() && std::ranges::find(ours, text) == ours.end())
      ours.push_back(text);
  }
  std::string text;
  if (!ours.empty()) text += paragraph("INF", "In place of what is n/a, counted by gpulab: " + join(ours, "; ") + ".");
  if (!modelled.empty())
    text += paragraph("INF", fmt::format("Modelled for {}, not measured: {}.", view.run->profile, join(modelled)));
  if (!missing.empty()) text += paragraph("INF", "Not modelled: " + missing + ".");
  return text;
}

std::string rules_of(const View& view, const LaunchView& launch) {
  if (!launch.kernel->lines) return {};
  if (!launch.has_lines)
    return paragraph("INF", "Lines are explained at the launch of this kernel that takes the most time.");
  const ExplainedKernel kernel(*launch.kernel, *view.run);
  std::string text;
  for (const auto& mark : kernel.explanation.marks)
    text += paragraph("OPT",
                      mark.line == 0 ? visible(mark.text) : fmt::format("line {}: {}", mark.line, visible(mark.text)));
  return text;
}

std::string head(const View& view) {
  return fmt::format("[1] {}@127.0.0.1\n", visible(view.run->program.substr(view.run->program.rfind('/') + 1)));
}

}  // namespace

std::string details_text(const View& view) {
  auto text = head(view);
  for (const auto& launch : view.launches) {
    text += head_of(view, launch);
    for (const auto& id : view.sections) {
      const auto known = std::ranges::find(sections(), id, &Section::id);
      if (known == sections().end()) {
        text +=
            fmt::format("    Section: {}\n", id) + paragraph("INF", "n/a: gpulab has nothing of this section.") + '\n';
        continue;
      }
      std::vector<TableRow> rows;
      for (const auto name : known->metrics) {
        const auto& row = *find_metric(name);
        rows.push_back({std::string(row.label.empty() ? row.name : row.label), std::string(unit_of(view, row)),
                        value_text(view, row, launch)});
      }
      text += fmt::format("    Section: {}\n", known->title) + table(rows, metric_heading);
      if (const auto notes = notes_of(view, *known, launch); !notes.empty()) text += '\n' + notes;
      text += '\n';
    }
    if (!view.metrics.empty()) {
      std::vector<TableRow> rows;
      for (const auto& name : view.metrics) {
        const auto row = row_named(name);
        rows.push_back({visible(name), std::string(unit_of(view, row)), value_text(view, row, launch)});
      }
      text += "    Section: Command line profiler metrics\n" + table(rows, metric_heading) + '\n';
    }
    if (const auto rules = rules_of(view, launch); !rules.empty()) text += rules + '\n';
  }
  return text +
         fmt::format(
             "Provenance: simulated as {}, no GPU. Counted values follow from addresses and the launch, times are\n"
             "modelled; n/a is what only machine code, clocks or caches know. --provenance FILE says which is which.\n",
             view.run->profile);
}

std::string raw_text(const View& view) {
  auto text = head(view);
  auto names = metrics_of(view);
  std::ranges::sort(names);
  for (const auto& launch : view.launches) {
    std::vector<TableRow> rows;
    for (const auto& name : names) {
      const auto row = row_named(name);
      rows.push_back({visible(name), std::string(unit_of(view, row)), value_text(view, row, launch)});
    }
    text += head_of(view, launch) + table(rows, metric_heading) + '\n';
  }
  return text;
}

std::string source_text(const View& view) {
  auto text = head(view);
  std::vector<const cuda_api::KernelRecord*> shown;
  for (const auto& launch : view.launches) {
    if (std::ranges::find(shown, launch.kernel) != shown.end() || !launch.kernel->lines) continue;
    shown.push_back(launch.kernel);
    const ExplainedKernel kernel(*launch.kernel, *view.run);
    text += head_of(view, launch);
    text += "    Counters are of PTX, by gpulab's names; machine code is not known.\n    ";
    for (const auto& counter : source_columns()) text += fmt::format("{} | ", counter);
    text += "line: source\n";
    for (const auto& line : kernel.explanation.lines) {
      text += "    ";
      for (const auto& counter : source_columns())
        text += fmt::format("{:>10} | ", number_text(find_counter(counter)->value(line.counters).value_or(0)));
      text += fmt::format("{:>4}: {}\n", line.line, visible(line.text));
    }
    text += rules_of(view, launch) + '\n';
  }
  return text;
}

}  // namespace gpulab::ncu
