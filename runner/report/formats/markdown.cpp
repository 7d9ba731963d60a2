// The ladder as a Markdown table, for notes, issues and lecture pages.

#include <fmt/format.h>

#include "common/text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/report.h"

namespace gpulab::report {
namespace {

/// A cell: bars would end it, line ends the table, and < may open a tag.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string row(const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string write(const Run& run, const Style&) {
  std::string text = fmt::format("### {}\n\n{}  \n{}\n\n", run.file.empty() ? run.lab : escaped(visible(run.file)),
                                 escaped(device_text(run.device)), escaped(shared_case(run)));
  const auto table = ladder(run);
  std::vector<std::string> headings, rules;
  for (const auto& column : table) {
    headings.push_back(escaped(heading_text(column)));
    rules.emplace_back(column.right ? "---:" : ":---");
  }
  text += row(headings) + row(rules);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& column : table) cells.push_back(escaped(column.cells[i]));
    text += row(cells);
  }
  std::string notes;
  for (const auto& story : rung_stories(run)) {
    if (!story.summary.empty()) notes += fmt::format("- {}: {}\n", escaped(story.variant), escaped(story.summary));
    for (const auto& point : story.points) {
      const std::string at = point.at.empty() ? "" : point.at + ": ";
      if (!point.time.empty()) notes += fmt::format("  - {}time: {}\n", escaped(at), escaped(point.time));
      if (!point.gains.empty()) notes += fmt::format("  - {}gain: {}\n", escaped(at), escaped(join(point.gains, "; ")));
      if (!point.losses.empty())
        notes += fmt::format("  - {}loss: {}\n", escaped(at), escaped(join(point.losses, "; ")));
      if (!point.neither.empty()) notes += fmt::format("  - {}same: {}\n", escaped(at), escaped(point.neither));
    }
  }
  for (const auto& r : run.results) {
    if (!r.message.empty())
      notes += fmt::format("- {}: {}: {}\n", escaped(r.variant), to_text(r.status), escaped(r.message));
  }
  if (const auto metrics = about_metrics(run); !metrics.empty()) notes += fmt::format("- {}\n", escaped(metrics));
  if (const auto about = about_modelled(run); !about.empty()) notes += fmt::format("- {}\n", escaped(about));
  if (const auto why = why_unmodelled(run); !why.empty()) notes += fmt::format("- {}\n", escaped(why));
  return notes.empty() ? text : text + '\n' + notes;
}

}  // namespace

extern const Format markdown{.name = "markdown", .summary = "the ladder as a Markdown table", .run = write};

}  // namespace gpulab::report
