// The report for people: one result as a page that explains itself, several as a ladder.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/text.h"
#include "runner/case/metrics.h"
#include "runner/report/break_even.h"
#include "runner/report/check/check_report.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/ladder.h"
#include "runner/report/model_text.h"
#include "runner/report/plots/plot.h"
#include "runner/report/program/program_report.h"
#include "runner/report/report.h"
#include "runner/report/rung_changes.h"
#include "runner/report/time_metrics.h"

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

std::string launch_text(const LaunchFacts& f) {
  const auto threads = f.block.volume(), warps = (threads + 31) / 32;
  std::string text = fmt::format("grid {} × block {} = {} threads; {} per block", dim_text(f.grid), dim_text(f.block),
                                 grouped(f.grid.volume() * threads), plural(warps, "warp"));
  if (threads % 32 != 0) text += fmt::format(", the last with {}", plural(32 - threads % 32, "idle lane"));
  if (f.launches > 1) text += fmt::format("; the first of {} launches", f.launches);
  return text;
}

std::string resources_text(const LaunchFacts& f) {
  const auto bytes = [](std::uint64_t count) { return bytes_text(static_cast<double>(count)); };
  std::vector<std::string> parts;
  if (f.registers_per_thread) {
    parts.push_back(fmt::format("{} per thread", plural(*f.registers_per_thread, "register")));
  } else if (f.estimated_registers) {
    parts.push_back(fmt::format("registers unknown for this architecture (an estimate: {} on {}.{})",
                                *f.estimated_registers, *f.estimated_for / 10, *f.estimated_for % 10));
  } else {
    parts.emplace_back("registers per thread unknown for this architecture");
  }
  if (f.static_shared_bytes) parts.push_back(fmt::format("{} static shared memory", bytes(*f.static_shared_bytes)));
  if (f.dynamic_shared_bytes > 0)
    parts.push_back(fmt::format("{} dynamic shared memory", bytes(f.dynamic_shared_bytes)));
  if (f.local_bytes && *f.local_bytes > 0)
    parts.push_back(fmt::format("{} local memory per thread", bytes(*f.local_bytes)));
  return join(parts);
}

std::string bar(double ratio) {
  constexpr int cells = 20;
  const int full = std::clamp(static_cast<int>(std::lround(ratio * cells)), 0, cells);
  std::string text;
  for (int i = 0; i < cells; ++i) text += i < full ? "█" : "░";
  return text;
}

std::string occupancy_text(const Occupancy& o) {
  return fmt::format("{} {} theoretical: {} per SM, limited by {}", bar(o.theoretical), percent_text(o.theoretical),
                     plural(static_cast<std::uint64_t>(o.blocks_per_sm), "block"), join(o.limited_by, " and "));
}

/// "all 132 get blocks; 15.5 waves of 1,056 blocks, the last 48% empty"
std::string spread_text(const Spread& s, const std::optional<Occupancy>& o) {
  const auto idle = idle_sms_text(s);
  std::string text = idle.empty() ? fmt::format("all {} get blocks", s.sm_count) : idle;
  if (!s.waves || !o) return text;
  const auto resident = static_cast<std::uint64_t>(o->blocks_per_sm) * static_cast<std::uint64_t>(s.sm_count);
  if (*s.waves < 1) return text + fmt::format("; {} blocks would fit at once", grouped(resident));
  text += fmt::format("; {:.4g} waves of {} blocks", *s.waves, grouped(resident));
  return *s.tail > 0 ? text + fmt::format(", the last {:.0f}% empty", *s.tail * 100) : text;
}

std::string value_text(const decltype(Mismatch::got)& value) {
  return std::visit([](auto number) { return fmt::format("{}", number); }, value);
}

/// "i32[4]   1 2 3 4 …   fnv1a64 0123456789abcdef"
std::string buffer_text(const BufferFacts& b) {
  std::vector<std::string> values;
  for (const auto& value : b.first) values.push_back(value_text(value));
  return fmt::format("{} {}[{}]: {}{}  fnv1a64 {}", b.name, b.type, b.count, join(values, " "),
                     b.count > b.first.size() ? " …" : "", b.fnv1a64);
}

/// "x[100:120]: 1 2 3 …"
std::string slice_text(const BufferFacts& b, const BufferSlice& slice) {
  std::vector<std::string> values;
  for (const auto& value : slice.values) values.push_back(value_text(value));
  if (values.empty()) return fmt::format("{}[{}]: it has {}", b.name, slice.from, plural(b.count, "element"));
  return fmt::format("{}[{}:{}]: {}", b.name, slice.from, slice.from + slice.values.size(), join(values, " "));
}

std::string error_text(double value) { return value == 0 ? "0" : fmt::format("{:.3g}", value); }

/// `of_file`: the right answer is the user's own, of --expect.
std::string verification_text(const Verification& v, bool of_file) {
  if (v.status == VerificationStatus::not_run) return "not checked";
  std::string text = v.max_abs_error == 0
                         ? of_file ? "equal to what --expect says" : "equal to the CPU's answer"
                         : fmt::format("largest error {} (relative {}), tolerance {}", error_text(v.max_abs_error),
                                       error_text(v.max_rel_error), error_text(v.tolerance));
  if (v.max_abs_error == 0 && v.tolerance > 0) text += fmt::format(" (tolerance {})", error_text(v.tolerance));
  if (!v.note.empty()) text += "; " + v.note;
  return fmt::format("{}: {}", to_text(v.status), text);
}

std::string timing_text(const Timing& t) {
  if (t.source == TimeSource::cpu_wall) return duration_text(t.median_ms) + " on the host, one thread's wall clock";
  return fmt::format("{} median of {} ({} to {} are the middle half), {}", duration_text(t.median_ms),
                     plural(static_cast<std::uint64_t>(t.samples), "sample"), duration_text(t.q1_ms),
                     duration_text(t.q3_ms), t.mode == CacheState::warm ? "warm" : "cold: L2 flushed before each");
}

std::string metrics_text(const Result& r) {
  std::vector<std::string> parts;
  for (const auto& m : r.metrics) {
    if (r.model && m.name == "modelled_time") continue;  // has a line of its own
    std::string text = m.unit == "ratio" ? percent_text(m.value)
                       : m.unit == "B"   ? bytes_text(m.value)
                                         : short_count(m.value);
    std::string name = m.name;
    std::replace(name.begin(), name.end(), '_', ' ');
    // "resident warps 40": the name says the unit.
    const bool named = m.unit.empty() || m.unit == "ratio" || m.unit == "B" || name.find(m.unit) != std::string::npos;
    if (!named) text += " " + m.unit;
    parts.push_back(name + " " + text);
  }
  return join(parts);
}

/// One line of the counters: a count of its own, or a pair (loads, stores).
struct CounterLine {
  const CounterInfo *first = nullptr, *second = nullptr;  ///< null: none
};
using CounterLines = std::vector<CounterLine>;

/// The lines of each group, groups in the order of their first counters.
std::vector<std::pair<const CounterGroup*, CounterLines>> counter_groups() {
  std::vector<std::pair<const CounterGroup*, CounterLines>> groups;
  for (const auto& info : counter_table()) {
    if (info.page.group == nullptr) continue;
    const auto same = [&](const auto& group) { return group.first == info.page.group; };
    auto group = std::find_if(groups.begin(), groups.end(), same);
    if (group == groups.end()) group = groups.insert(group, {info.page.group, {}});
    auto& lines = group->second;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const CounterLine& l) {
      return info.page.stores ? l.first->page.label == info.page.label : l.first->name == info.page.behind;
    });
    if (info.page.stores && line != lines.end()) {
      line->second = &info;
    } else {
      lines.insert(line == lines.end() ? line : line + 1, {&info, nullptr});
    }
  }
  return groups;
}

std::string counter_text(const CounterInfo* info, const Counters& c) {
  if (info == nullptr) return {};
  const auto value = info->value(c);
  if (!value) return "-";
  if (info->unit == CounterUnit::ratio) return percent_text(*value);
  return info->counted ? grouped(*info->count(c)) : fmt::format("{:.4g}", *value);
}

/// "(4.00 each)": per request of the same kind.
std::string per_request(const CounterInfo* info, const Counters& c) {
  const auto* requests = info != nullptr ? find_counter(info->page.per) : nullptr;
  if (requests == nullptr) return {};
  const double count = requests->value(c).value_or(0), value = info->value(c).value_or(0);
  return count > 0 ? fmt::format("({:.3g} each)", value / count) : "";
}

bool zero(const CounterLine& line, const Counters& c) {
  const auto nothing = [&](const CounterInfo* info) { return info == nullptr || info->value(c).value_or(0) == 0; };
  return nothing(line.first) && nothing(line.second);
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

std::string counted_case(const decltype(Result::params)& params) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : params) parts.push_back(name + " " + param_text(value));
  return "Simulated beside the GPU, at " + join(parts, " · ");
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
  page.line(page.bold((run.file.empty() ? run.lab : run.file) + " · " + r.variant) + "  " +
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
  if (r.occupancy) page.fact("occupancy", occupancy_text(*r.occupancy));
  if (r.spread) page.fact("SMs used", spread_text(*r.spread, r.occupancy));
  if (!r.message.empty()) page.fact(std::string(to_text(r.status)), r.message);
  if (r.verification) page.fact("verified", verification_text(*r.verification, !r.buffers.empty()));
  if (r.verification) mismatches(*r.verification, page);
  if (r.timing && r.timing->source != TimeSource::none)
    page.fact(r.timing->source == TimeSource::cpu_wall ? "CPU time" : "GPU time", timing_text(*r.timing));
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

/// The wall time of the simulations, in all; empty where there was none.
std::string simulation_text(const Run& run) {
  double ms = 0;
  for (const auto& r : run.results) ms += r.simulation_ms.value_or(0);
  return ms > 0 ? fmt::format("Simulating took {} on this machine, which says nothing about a GPU.", duration_text(ms))
                : std::string();
}

/// Names the variants whose point is time: counters cannot show it.
std::string about_time(const Run& run) {
  std::vector<std::string> names;
  for (const auto& r : run.results)
    if (r.needs_clock && std::find(names.begin(), names.end(), r.variant) == names.end()) names.push_back(r.variant);
  if (names.empty()) return {};
  return fmt::format(" About time, which a GPU's clock shows (--device gpu): {}.", join(names));
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
  const std::string name = run.file.empty() ? run.lab : run.file, on = "on " + device_text(run.device);
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
  if (counted) page.paragraph(page.dim("Counters of the PTX as simulated; 'gpulab list --metrics' defines them."));
  const bool faster =
      std::any_of(run.results.begin(), run.results.end(), [](const Result& r) { return find_metric(r, "speedup"); });
  if (faster) page.paragraph(page.dim("Speed-ups refer to " + run.baseline + "."));
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
};

}  // namespace gpulab::report
