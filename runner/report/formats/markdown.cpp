// The ladder as a Markdown table, for notes, issues and lecture pages.

#include <fmt/format.h>

#include "common/text.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/report.h"
#include "runner/report/words/cells.h"

namespace gpulab::report {
namespace {

std::string row(const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string write(const Run& run, const Style&) {
  std::string text =
      fmt::format("### {}\n\n{}  \n{}\n\n", run.file.empty() ? run.lab : markdown_cell(visible(run.file)),
                  markdown_cell(device_text(run.device)), markdown_cell(shared_case(run)));
  const auto table = ladder(run);
  std::vector<std::string> headings, rules;
  for (const auto& column : table) {
    headings.push_back(markdown_cell(heading_text(column)));
    rules.emplace_back(column.right ? "---:" : ":---");
  }
  text += row(headings) + row(rules);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& column : table) cells.push_back(markdown_cell(column.cells[i]));
    text += row(cells);
  }
  std::string notes;
  for (const auto& story : rung_stories(run)) {
    if (!story.summary.empty())
      notes += fmt::format("- {}: {}\n", markdown_cell(story.variant), markdown_cell(story.summary));
    for (const auto& point : story.points) {
      const std::string at = point.at.empty() ? "" : point.at + ": ";
      if (!point.time.empty()) notes += fmt::format("  - {}time: {}\n", markdown_cell(at), markdown_cell(point.time));
      if (!point.gains.empty())
        notes += fmt::format("  - {}gain: {}\n", markdown_cell(at), markdown_cell(join(point.gains, "; ")));
      if (!point.losses.empty())
        notes += fmt::format("  - {}loss: {}\n", markdown_cell(at), markdown_cell(join(point.losses, "; ")));
      if (!point.neither.empty())
        notes += fmt::format("  - {}same: {}\n", markdown_cell(at), markdown_cell(point.neither));
    }
  }
  for (const auto& r : run.results) {
    if (!r.message.empty())
      notes += fmt::format("- {}: {}: {}\n", markdown_cell(r.variant), to_text(r.status), markdown_cell(r.message));
  }
  if (const auto metrics = about_metrics(run); !metrics.empty()) notes += fmt::format("- {}\n", markdown_cell(metrics));
  if (const auto about = about_modelled(run); !about.empty()) notes += fmt::format("- {}\n", markdown_cell(about));
  if (const auto why = why_unmodelled(run); !why.empty()) notes += fmt::format("- {}\n", markdown_cell(why));
  return notes.empty() ? text : text + '\n' + notes;
}

}  // namespace

extern const Format markdown{
    .name = "markdown", .summary = "the ladder as a Markdown table", .run = write, .comparison = compare_markdown};

}  // namespace gpulab::report
