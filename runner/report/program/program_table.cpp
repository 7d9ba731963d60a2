// What a program did on the simulated GPU: what is wrong first, then its kernels side by side.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>

#include "common/text.h"
#include "runner/report/grid_text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/time_metrics.h"
#include "runner/report/program/program_lines.h"
#include "runner/report/program/program_report.h"

namespace gpulab {
namespace {

class Text {
 public:
  explicit Text(const Style& style) : style_(style) {}
  void line(const std::string& text = {}) { text_ += text + '\n'; }
  /// Wrapped, all lines but the first further in.
  void paragraph(const std::string& label, std::size_t indent, const std::string& text) {
    std::string lead = padded(label, indent, false);
    for (const auto& part : wrapped(text, style_.width > indent + 20 ? style_.width - indent : 20)) {
      line(lead + part);
      lead = std::string(indent, ' ');
    }
  }
  [[nodiscard]] std::size_t width() const { return style_.width; }
  std::string take() { return std::move(text_); }

 private:
  Style style_;
  std::string text_;
};

std::string place(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

/// Where the allocations were made that `said` names.
void allocations(const cuda_api::Record& record, const std::string& said, std::size_t indent, Text& text) {
  for (const auto& [name, caller] : record.allocations) {
    const auto at = said.find(name);
    if (at == std::string::npos) continue;
    const auto end = at + name.size();
    if (end < said.size() && std::isdigit(static_cast<unsigned char>(said[end])) != 0) continue;
    text.paragraph("", indent, visible(fmt::format("{} was allocated at {}", name, caller)));
  }
}

void finding(const cuda_api::Record& record, const Finding& one, Text& text) {
  text.paragraph(std::string(to_text(one.severity)) + ": ", 9,
                 visible(fmt::format("{}: {}{}", one.tool, one.message,
                                     one.count > 1 ? fmt::format(" ({} times)", one.count) : std::string())));
  for (const auto& site : one.at)
    text.paragraph(
        "", 9,
        visible(fmt::format("{}:{} {} by block {}, thread {}{}{}", site.file, site.line, site.access, place(site.block),
                            place(site.thread), site.address.empty() ? "" : ", ", site.address)));
  if (!one.at.empty()) allocations(record, one.at.front().address, 9, text);
}

void fault(const cuda_api::Record& record, const cuda_api::FaultRecord& one, Text& text) {
  text.paragraph("error: ", 7,
                 visible(one.what) + (one.count > 1 ? fmt::format(" ({} times)", one.count) : std::string()));
  allocations(record, one.what, 7, text);
  if (!one.where.empty()) text.paragraph("  at ", 7, visible(one.where));
  text.paragraph("  in ", 7, visible(launch_text(one)));
  text.paragraph("  as ", 7, told_text(one));
  if (!one.hint.empty()) text.paragraph("  hint: ", 8, one.hint);
}

/// What memcheck has found where a launch failed is that failure: said once.
bool is_told(const cuda_api::Record& record, const cuda_api::KernelRecord& kernel, const Finding& finding) {
  if (finding.tool != "memcheck" || finding.at.empty()) return false;
  const auto where = fmt::format("{}:{}", finding.at.front().file, finding.at.front().line);
  return std::ranges::any_of(record.faults,
                             [&](const auto& fault) { return fault.kernel == kernel.name && fault.where == where; });
}

void wrongs(const ProgramRun& run, Text& text) {
  const auto& record = run.record;
  if (record.unsupported) {
    text.paragraph(
        "error: ", 7,
        visible(fmt::format("unsupported: {}, called by {}", record.unsupported->what, record.unsupported->caller)));
    if (!record.unsupported->hint.empty()) text.paragraph("  hint: ", 8, visible(record.unsupported->hint));
  }
  if (!record.crash.empty()) text.paragraph("error: ", 7, visible(record.crash));
  for (const auto& one : record.faults) fault(record, one, text);
  for (const auto& one : shown_findings(run)) finding(record, one, text);
  if (const auto leaks = never_freed(run); !leaks.empty()) text.paragraph("note: ", 6, leaks);
}

std::string counter_cell(const cuda_api::KernelRecord& kernel, std::string_view name) {
  const auto* row = find_counter(name);
  const auto value = row != nullptr && kernel.counted ? row->value(kernel.counters) : std::nullopt;
  if (!value) return "-";
  return row->unit == CounterUnit::ratio ? percent_text(*value) : short_count(*value);
}

/// A name without its parameters where that is long.
std::string short_name(const cuda_api::KernelRecord& kernel) {
  constexpr std::size_t most = 40;
  const auto name = visible(kernel.cpp_name);
  return name.size() <= most ? name : name.substr(0, most - 1) + "…";
}

void kernels(const ProgramRun& run, Text& text) {
  const auto all = shown_kernels(run);
  if (all.empty()) return;
  std::vector<TextColumn> table;
  const auto column = [&](std::vector<std::string> heading, int priority, bool right, const auto& cell) {
    TextColumn& added = table.emplace_back();
    added.heading = std::move(heading);
    added.priority = priority;
    added.right = right;
    for (const auto* kernel : all) added.cells.push_back(cell(*kernel));
  };
  column({"kernel"}, 0, false, [](const auto& k) { return short_name(k); });
  column({"launches"}, 0, true, [](const auto& k) { return grouped(k.launches); });
  column({"grid"}, 4, true, [](const auto& k) { return dim_text(k.grid); });
  column({"block"}, 4, true, [](const auto& k) { return dim_text(k.block); });
  if (!run.metrics.empty()) {
    for (const auto& metric : run.metrics)
      column({metric}, 1, true, [&](const auto& k) {
        const auto value = metric_value(result_of(k), metric);
        return value ? metric_text(*value) : std::string("-");
      });
  } else {
    column({"modelled", "time"}, 1, true, [&](const auto& k) { return modelled_time_of(k, run); });
    column({"bound"}, 5, false, [](const auto& k) { return k.model ? k.model->bound : std::string("-"); });
    struct Shown {
      const char* counter;
      std::vector<std::string> heading;
      int priority;
    };
    for (const Shown& shown :
         {Shown{"warp_instructions", {"warp", "instr."}, 2}, Shown{"branch_efficiency", {"branch", "effic."}, 3},
          Shown{"global_load_efficiency", {"load", "effic."}, 2},
          Shown{"global_store_efficiency", {"store", "effic."}, 2},
          Shown{"shared_load_bank_conflicts", {"load bank", "conflicts"}, 3},
          Shown{"shared_store_bank_conflicts", {"store bank", "conflicts"}, 3}})
      column(shown.heading, shown.priority, true, [&](const auto& k) { return counter_cell(k, shown.counter); });
  }
  std::vector<std::string> left_out;
  text.line();
  text.line(aligned(table, text.width(), left_out));
  if (!left_out.empty())
    text.paragraph("", 0, "Not shown for want of width: " + join(left_out) + " (--format json has all).");
}

/// Calls of cuBLAS and its kin. The estimate is no model's: it has a word of its own.
void libraries(const ProgramRun& run, Text& text) {
  const auto& all = run.record.libraries;
  if (all.empty()) return;
  std::vector<TextColumn> table;
  const auto column = [&](std::vector<std::string> heading, int priority, bool right, const auto& cell) {
    TextColumn& added = table.emplace_back();
    added.heading = std::move(heading);
    added.priority = priority;
    added.right = right;
    for (const auto& one : all) added.cells.push_back(cell(one));
  };
  column({"library call"}, 0, false, [](const auto& one) { return visible(one.name); });
  column({"shape"}, 1, false, [](const auto& one) { return visible(one.shape); });
  column({"calls"}, 0, true, [](const auto& one) { return grouped(one.calls); });
  column({"operations"}, 2, true, [](const auto& one) { return short_count(one.operations); });
  column({"bytes"}, 2, true, [](const auto& one) { return short_count(static_cast<double>(one.bytes)); });
  column({"library,", "estimated"}, 1, true, [](const auto& one) { return duration_text(one.ms); });
  std::vector<std::string> left_out;
  text.line();
  text.line(aligned(table, text.width(), left_out));
}

/// What costs the program its time; of each kernel the lines that cost the most.
void explained(const ProgramRun& run, Text& text) {
  if (!run.explained) return;
  const auto list = advice_of(run);
  if (list.total_ms > 0) text.line();
  for (const auto& [label, indent, words] : what_costs_time(list, run)) text.paragraph(label, indent, words);
  for (const auto* kernel : shown_kernels(run)) {
    text.line();
    for (const auto& [label, indent, words] : lines_to_look_at(*kernel, run, list, text.width()))
      text.paragraph(label, indent, words);
  }
}

/// What was not asked for, and would tell more.
void further(const ProgramRun& run, Text& text) {
  if (run.status != ProgramStatus::ok || run.interrupted) return;  // there is enough to do
  std::vector<std::string> more;
  if (!run.sanitized) more.emplace_back("--sanitize all looks for races and for what was never written");
  const auto all = shown_kernels(run);
  if (!run.explained) more.emplace_back("--explain names the lines that cost the time");
  if (!all.empty() && !more.empty()) text.paragraph("next: ", 6, join(more, "; "));
}

void notes(const ProgramRun& run, Text& text) {
  for (const auto& note : program_notes(run)) text.paragraph("note: ", 6, visible(note));
}

}  // namespace

std::string end_text(const ProgramRun& run) {
  if (run.interrupted) return "interrupted";
  if (run.signal != 0) return fmt::format("ended by signal {} ({})", run.signal, strsignal(run.signal));
  return fmt::format("exit code {}", run.exit_code);
}

std::string launch_text(const cuda_api::FaultRecord& fault) {
  if (fault.launch == 0) return fmt::format("{}, called by {}", fault.kernel, fault.caller);  // no launch's
  return fmt::format("launch {} of the program, {} with grid {} and block {}, called by {}", fault.launch, fault.kernel,
                     dim_text(fault.grid), dim_text(fault.block), fault.caller);
}

std::string told_text(const cuda_api::FaultRecord& fault) {
  if (fault.seen) return fmt::format("{}, which the program was told", fault.error);
  return fault.error + (fault.failure == cuda_api::kRefused
                            ? "; the program did not look: cudaGetLastError was not called behind it"
                            : "; the program did not look: no call that waits came after it, or none was checked");
}

std::vector<Finding> shown_findings(const ProgramRun& run) {
  std::vector<Finding> all = run.record.findings;
  for (const auto* kernel : shown_kernels(run))
    for (const auto& one : kernel->findings)
      if (!is_told(run.record, *kernel, one)) all.push_back(one);
  return all;
}

std::string never_freed(const ProgramRun& run) {
  const auto& record = run.record;
  // Behind a fault cudaFree fails, as on a GPU: what it did not free is no leak of the program's.
  const bool lost = std::ranges::any_of(record.faults, [](const auto& f) { return f.failure != cuda_api::kRefused; });
  const bool found = std::ranges::any_of(record.findings, [](const auto& one) { return one.tool == "leakcheck"; });
  if (record.leaked_bytes == 0 || !record.complete || lost || found) return {};
  std::vector<std::string> names;
  for (const auto& leak : record.leaks) names.push_back(fmt::format("{} ({} bytes)", leak.name, leak.bytes));
  if (record.leaks_cut > 0) names.push_back(fmt::format("{} more", record.leaks_cut));
  return "never freed: " + join(names);
}

std::vector<std::string> program_notes(const ProgramRun& run) {
  std::vector<std::string> reasons, notes;
  for (const auto* kernel : shown_kernels(run))
    if (!kernel->modelled && !kernel->model_unavailable.empty() &&
        std::ranges::find(reasons, kernel->model_unavailable) == reasons.end())
      reasons.push_back(kernel->model_unavailable);
  if (!reasons.empty()) notes.push_back("times behind > are lower bounds: " + join(reasons, "; "));
  std::uint64_t launches = 0, repeats = 0, uncounted = 0;
  for (const auto* kernel : shown_kernels(run))
    launches += kernel->launches, repeats += kernel->repeats, uncounted += kernel->uncounted;
  if (repeats > 0)
    notes.push_back(
        fmt::format("{} of {} launches would have done again what an earlier one had done, in the same memory: "
                    "they were not run, and count as that one did (--every-launch runs them)",
                    grouped(repeats), grouped(launches)));
  if (uncounted > 0)
    notes.push_back(
        fmt::format("{} of {} launches ran uncounted: earlier ones differ in data alone, on which no branch and no "
                    "address of the kernel depends, and they count as those did (--every-launch counts each)",
                    grouped(uncounted), grouped(launches)));
  notes.insert(notes.end(), run.record.notes.begin(), run.record.notes.end());
  return notes;
}

Result result_of(const cuda_api::KernelRecord& kernel) {
  Result result;
  result.variant = kernel.cpp_name;
  result.kernel = kernel.name;
  result.launch.emplace();
  result.launch->grid = kernel.grid;
  result.launch->block = kernel.block;
  result.launch->registers_per_thread = kernel.registers;
  result.launch->launches = static_cast<int>(std::min<std::uint64_t>(kernel.launches, 0x7fffffff));
  if (kernel.counted) result.counters = kernel.counters;
  result.model = kernel.model;
  result.model_unavailable = kernel.model_unavailable;
  result.findings = kernel.findings;
  return result;
}

std::string program_table(const ProgramRun& run, const Style& style) {
  Text text(style);
  text.line(fmt::format("gpulab: {} on a simulated {}: {}", visible(run.program), run.profile, end_text(run)));
  wrongs(run, text);
  if (run.summary || run.trace || !run.metrics.empty()) {
    std::string all;
    if (run.summary) all += nvprof_summary(run);
    if (run.trace) all += nvprof_trace(run);
    if (!run.metrics.empty()) all += nvprof_metrics(run);
    return text.take() + all;
  }
  kernels(run, text);
  libraries(run, text);
  explained(run, text);
  notes(run, text);
  further(run, text);
  return text.take();
}

}  // namespace gpulab
