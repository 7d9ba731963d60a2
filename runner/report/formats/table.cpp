// The report for people: one result as a page that explains itself, several as a ladder.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/check/check_report.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/ladder/break_even.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"
#include "runner/report/ladder/rung_changes.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/plots/plot.h"
#include "runner/report/program/program_report.h"
#include "runner/report/report.h"
#include "runner/report/words/counter_lines.h"
#include "runner/report/words/result_text.h"

namespace gpulab::report {
namespace {

/// Where the facts of a page start.
constexpr std::size_t margin = 12;

class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}
  void line(const std::string& text = {}) { text_ += text + '\n'; }
  /// "launch      grid 16384 x block 256 …", broken at the margin.
  void fact(const std::string& name, const std::string& value) {
    std::string label = dim(padded(name, margin, false));
    for (const auto& part : wrapped(value, width() - margin)) {
      line(label + part);
      label = std::string(margin, ' ');
    }
  }
  /// The same with a margin of its own.
  void entry(const std::string& name, std::size_t indent, const std::string& value) {
    std::string label = padded(name, indent, false);
    for (const auto& part : wrapped(value, width() - indent)) {
      line(label + part);
      label = std::string(indent, ' ');
    }
  }
  void paragraph(const std::string& text, std::size_t indent = 0) {
    for (const auto& part : wrapped(text, width() - indent)) line(std::string(indent, ' ') + part);
  }
  [[nodiscard]] std::string bold(const std::string& text) const { return paint(text, "1"); }
  [[nodiscard]] std::string dim(const std::string& text) const { return paint(text, "2"); }
  [[nodiscard]] std::string good(const std::string& text) const { return paint(text, "32"); }
  [[nodiscard]] std::string bad(const std::string& text) const { return paint(text, "31"); }
  [[nodiscard]] std::string judged(const std::string& text, CaseStatus status) const {
    if (status == CaseStatus::ok) return good(text);
    return status == CaseStatus::skipped ? dim(text) : bad(text);
  }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t width() const { return style_.width; }

 private:
  [[nodiscard]] std::string paint(const std::string& text, const char* code) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  Style style_;
  std::string text_;
};

std::string bar(double ratio) {
  constexpr int cells = 20;
  const int full = std::clamp(static_cast<int>(std::lround(ratio * cells)), 0, cells);
  std::string text;
  for (int i = 0; i < cells; ++i) text += i < full ? "█" : "░";
  return text;
}

void counter_group(const CounterGroup& group, const CounterLines& lines, const Counters& c, Page& page) {
  if (std::all_of(lines.begin(), lines.end(), [&](const CounterLine& line) { return zero(line, c); })) return;
  const std::string title(group.title);
  const std::size_t label = group.loads_and_stores && page.width() < 84 ? 22 : 28;
  page.line(group.loads_and_stores
                ? page.bold(padded(title, label - 2, false)) + page.dim("         loads                    stores")
                : page.bold(title));
  for (const auto& line : lines) {
    if (!group.zeros && zero(line, c)) continue;
    std::string text = "  " + padded(std::string(line.first->page.label), label, false) +
                       padded(counter_text(line.first, c), 14, true);
    if (group.loads_and_stores) {
      text += ' ' + padded(per_request(line.first, c), 12, false);
      text += padded(counter_text(line.second, c), 14, true) + " " + padded(per_request(line.second, c), 12, false);
    } else {
      // nvprof's name, which lectures use; ours where it has none.
      const auto known = line.first->nvprof.empty() ? line.first->name : line.first->nvprof;
      text += "   " + page.dim(std::string(known));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    page.line(text);
  }
}

void counters(const Result& r, Page& page) {
  const auto& c = *r.counters;
  page.line();
  if (!r.counters_params.empty()) page.paragraph(page.dim(counted_case(r.counters_params)));
  page.paragraph(
      page.dim("Counters of the PTX as simulated; 'gpulab list --metrics' has the profilers' names and definitions."));
  for (const auto& [group, lines] : counter_groups()) counter_group(*group, lines, c, page);
}

void findings(const Result& r, Page& page) {
  for (const auto& f : r.findings) {
    page.fact(std::string(to_text(f.severity)), fmt::format("{}: {}", f.tool, f.message));
    for (const auto& site : f.at) {
      page.fact("", fmt::format("{}:{} {} by block ({},{},{}), thread ({},{},{}){}{}", site.file, site.line,
                                site.access, site.block.x, site.block.y, site.block.z, site.thread.x, site.thread.y,
                                site.thread.z, site.address.empty() ? "" : ", ", site.address));
    }
  }
}

void mismatches(const Verification& v, Page& page) {
  for (const auto& m : v.mismatches) {
    page.fact("", fmt::format("[{}]  got {}  expected {}", m.index, value_text(m.got), value_text(m.expected)));
  }
  if (v.mismatch_count > v.mismatches.size()) page.fact("", fmt::format("… {} in all", grouped(v.mismatch_count)));
}

/// What the lab says of the case: paragraphs, drawings that are not wrapped, a curve.
void notes(const Result& r, Page& page) {
  if (r.curve) page.line();
  if (r.curve)
    for (const auto& line : plot(*r.curve, page.width())) page.line(line);
  if (!r.notes.empty()) page.line();
  for (const auto& note : r.notes) {
    if (note.starts_with(' ')) {
      page.line(note);
    } else {
      page.paragraph(note);
    }
  }
}

void one(const Run& run, const Result& r, Page& page) {
  page.line(page.bold((run.file.empty() ? run.lab : visible(run.file)) + " · " + r.variant) + "  " +
            page.judged(verdict(r), r.status));
  if (!r.summary.empty()) page.paragraph(r.summary);
  page.line();
  page.fact("device", device_text(run.device));
  Run only{run.device, run.lab, {r}};
  only.results[0].launch.reset();
  page.fact("case", shared_case(only));
  if (!r.kernel.empty()) page.fact("kernel", r.kernel);
  if (r.launch) page.fact("launch", launch_text(*r.launch));
  if (r.launch) page.fact("resources", resources_text(*r.launch));
  if (r.occupancy) page.fact("occupancy", bar(r.occupancy->theoretical) + " " + occupancy_text(*r.occupancy));
  if (r.spread) page.fact("SMs used", spread_text(*r.spread, r.occupancy));
  if (!r.message.empty()) page.fact(std::string(to_text(r.status)), r.message);
  if (r.verification) page.fact("verified", verification_text(*r.verification, !r.buffers.empty()));
  if (r.verification) mismatches(*r.verification, page);
  if (r.timing && r.timing->source != TimeSource::none)
    page.fact(r.timing->source == TimeSource::cpu_wall ? "CPU time" : "GPU time", timing_text(*r.timing));
  if (const auto text = about_clock(run); !text.empty()) page.fact("", text);
  if (const auto text = modelled_text(r); !text.empty()) page.fact("modelled", text);
  if (r.simulation_ms)
    page.fact("GPU time", fmt::format("none: simulating took {} on this machine, which says nothing about a GPU",
                                      duration_text(*r.simulation_ms)));
  const bool measured = r.timing && r.timing->source == TimeSource::cuda_events;
  if (const auto text = metrics_text(r); !text.empty()) page.fact(measured ? "rates" : "facts", text);
  for (const auto& b : r.buffers) {
    page.fact(&b == &r.buffers.front() ? "buffers" : "", buffer_text(b));
    for (const auto& slice : b.slices) page.fact("", slice_text(b, slice));
  }
  findings(r, page);
  notes(r, page);
}

void printed(const Run& run, Page& page) {
  for (const auto& r : run.results) {
    if (r.output.empty()) continue;
    page.line();
    page.line(page.bold("printed by " + r.variant));
    const std::string text = visible(r.output);
    page.line(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text);
  }
}

/// Paints the verdicts of a ladder that is already aligned: colours have no width.
std::string painted(const std::string& text, const Run& run, const Page& page) {
  std::string out;
  std::size_t row = 0;
  const auto lines = split(text, '\n');
  const auto first = lines.size() - 1 - run.results.size();
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    std::string line = lines[i];
    if (i >= first) {
      const auto& r = run.results[row++];
      if (r.status != CaseStatus::ok) line = page.judged(line, r.status);
    } else {
      line = page.dim(line);
    }
    out += line + '\n';
  }
  return out;
}

/// Each rung's one line, then what it gains and loses.
void stories(const Run& run, Page& page) {
  const auto all = rung_stories(run);
  if (all.empty()) return;
  page.line(page.bold("Rung by rung: what it gains and loses, and against which"));
  constexpr std::size_t indent = 2;
  for (const auto& story : all) {
    if (story.summary.empty() && story.points.empty()) continue;
    if (story.summary.empty()) page.line(story.variant);
    if (!story.summary.empty()) page.entry(story.variant, story.variant.size() + 2, story.summary);
    for (const auto& point : story.points) {
      const std::string at = point.at.empty() ? "" : point.at + ": ";
      if (!point.time.empty()) page.entry("  time  ", indent + 6, at + point.time);
      if (!point.gains.empty()) page.entry("  gain  ", indent + 6, at + join(point.gains, "; "));
      if (!point.losses.empty()) page.entry("  loss  ", indent + 6, at + join(point.losses, "; "));
      if (!point.neither.empty()) page.entry("  same  ", indent + 6, at + point.neither);
    }
  }
  page.line();
}

/// What was asked for by name, a line each; in place of the counters.
void chosen_metrics(const Run& run, Page& page) {
  std::size_t widest = 0;
  for (const auto& name : run.metrics) widest = std::max(widest, name.size());
  page.line();
  for (const auto& name : run.metrics) {
    const auto value = metric_value(run.results.front(), name);
    const bool derived = is_modelled(name);
    page.line(padded(name, widest, false) + "  " + padded(value ? metric_text(*value) : "-", 12, true) +
              (derived ? "  modelled" : ""));
  }
}

void several(const Run& run, Page& page) {
  const std::string name = run.file.empty() ? run.lab : visible(run.file), on = "on " + device_text(run.device);
  if (columns(name) + 2 + columns(on) <= page.width()) {
    page.line(page.bold(name) + "  " + on);
  } else {
    page.line(page.bold(name));
    page.paragraph(on);
  }
  page.paragraph(shared_case(run));
  page.line();
  std::vector<std::string> left_out;
  page.line(painted(aligned(ladder(run), page.width(), left_out), run, page));
  if (run.metrics.empty()) stories(run, page);
  for (const auto& r : run.results) {
    if (!r.message.empty()) page.paragraph(fmt::format("{}: {}: {}", r.variant, to_text(r.status), r.message));
    if (!r.counters_params.empty()) page.paragraph(page.dim(r.variant + ": " + counted_case(r.counters_params)));
    findings(r, page);
  }
  const bool counted =
      std::any_of(run.results.begin(), run.results.end(), [](const Result& r) { return r.counters.has_value(); });
  const bool timed = std::any_of(run.results.begin(), run.results.end(), [](const Result& r) {
    return r.timing && r.timing->source == TimeSource::cuda_events;
  });
  if (counted)
    page.paragraph(
        page.dim("Counters of the PTX as simulated; 'gpulab list --metrics' defines them. What is told per "
                 "request is of loads or stores, whichever takes more."));
  const bool faster =
      std::any_of(run.results.begin(), run.results.end(), [](const Result& r) { return find_metric(r, "speedup"); });
  if (faster) page.paragraph(page.dim("Speed-ups refer to " + run.baseline + "."));
  if (const auto metrics = about_metrics(run); !metrics.empty()) page.paragraph(page.dim(metrics));
  if (const auto clock = about_clock(run); !clock.empty()) page.paragraph(page.dim(clock));
  const auto modelled = about_modelled(run), unmodelled = why_unmodelled(run);
  if (!modelled.empty()) page.paragraph(page.dim(modelled));
  if (!unmodelled.empty()) page.paragraph(page.dim(unmodelled));
  if (modelled.empty() && !timed)
    page.paragraph(page.dim("No GPU time: simulating measures counts, not speed." + about_time(run)));
  if (const auto took = simulation_text(run); !took.empty()) page.paragraph(page.dim(took));
  for (const auto& found : run.break_evens) page.paragraph(break_even_text(found));
  if (!left_out.empty())
    page.paragraph(page.dim("Not shown for want of width: " + join(left_out) + " (see --format csv)."));
}

/// What was left out is said even where the rest has been seen.
void cut(const Run& run, Page& page) {
  for (const auto& r : run.results)
    if (r.output_cut != 0)
      page.line(page.dim(fmt::format("{} printed {} bytes more, which are left out (--print-limit)", r.variant,
                                     grouped(r.output_cut))));
}

std::string write(const Run& run, const Style& style) {
  Page page(style);
  if (run.results.size() == 1) {
    one(run, run.results.front(), page);
  } else {
    several(run, page);
  }
  if (!style.printed_seen) printed(run, page);
  cut(run, page);
  // What a kernel prints is read before what it costs.
  if (run.results.size() == 1 && !run.metrics.empty()) {
    chosen_metrics(run, page);
    return page.text();
  }
  if (run.results.size() == 1 && run.results.front().counters) counters(run.results.front(), page);
  return page.text();
}

}  // namespace

extern const Format table{
    .name = "table",
    .summary = "for people: a page for one result, a ladder for several",
    .run = write,
    .explanation = explain_table,
    .check = check_table,
    .program = program_table,
    .comparison = compare_table,
};

}  // namespace gpulab::report
