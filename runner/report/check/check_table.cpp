// The tutor: what was judged, what is wrong first, where, why, what to try; then the counters beside the ladder's.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/counters.h"
#include "common/text.h"
#include "runner/report/check/check_report.h"
#include "runner/report/grid_text.h"
#include "runner/report/ladder/ladder.h"
#include "runner/report/ladder/model_text.h"

namespace gpulab {
namespace {

constexpr std::size_t shown_mismatches = 4, shown_failures = 4, shown_output = 10;

class Text {
 public:
  explicit Text(const Style& style) : style_(style) {}
  void line(const std::string& text = {}) { text_ += text + '\n'; }
  /// Wrapped, all lines but the first further in.
  void paragraph(const std::string& label, std::size_t indent, const std::string& text) {
    if (text.empty()) return line(label.substr(0, label.find_last_not_of(' ') + 1));
    std::string lead = padded(label, indent, false);
    for (const auto& part : wrapped(text, style_.width > indent + 20 ? style_.width - indent : 20)) {
      line(lead + part);
      lead = std::string(indent, ' ');
    }
  }
  [[nodiscard]] std::string judged(const std::string& word, bool good) const {
    return style_.color ? fmt::format("\x1b[{}m{}\x1b[0m", good ? 32 : 31, word) : word;
  }
  [[nodiscard]] std::size_t width() const { return style_.width; }
  std::string take() { return std::move(text_); }

 private:
  Style style_;
  std::string text_;
};

std::string value_text(const decltype(Mismatch::got)& value) {
  return std::visit([](auto v) { return fmt::format("{}", v); }, value);
}

std::string size_text(const JudgedShape& shape) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : shape.params)
    parts.push_back(
        fmt::format("{} = {}", name, std::visit([](const auto& v) { return fmt::format("{}", v); }, value)));
  if (!shape.type.empty()) parts.push_back("T = " + shape.type);
  return join(parts);
}

std::string place(const Dim3& d) { return fmt::format("({},{},{})", d.x, d.y, d.z); }

void heading(const Judgement& judgement, Text& text) {
  const bool good = judgement.passed();
  const auto contract = judgement.contract.empty() ? "" : " · " + judgement.contract + judgement.signature;
  text.line(within(fmt::format("{} · {}{}  {}", visible(judgement.file), judgement.lab, contract,
                               text.judged(good ? "PASSED" : "FAILED", good)),
                   text.width()));
  if (!judgement.kernels.empty()) text.paragraph("kernel", 11, visible(join(judgement.kernels)));
  for (const auto& item : judgement.items) {
    const auto word = item.verdict == Verdict::not_run ? std::string("not run") : std::string(to_text(item.verdict));
    text.paragraph(padded(item.name, 11, false) + text.judged(padded(word, 8, false), item.verdict != Verdict::failed),
                   20, visible(item.message));
  }
}

void failure(const JudgedShape& shape, Text& text) {
  text.line();
  text.paragraph(shape.name, 11,
                 fmt::format("{}: {}; grid {}, block {}", shape.about, size_text(shape), dim_text(shape.grid),
                             dim_text(shape.block)));
  // A tool's words stand below, with its places.
  const auto message = shape.status == CaseStatus::finding
                           ? shape.message.substr(0, shape.message.find(':')) + ": the error that is told below"
                           : shape.message;
  text.paragraph("  " + std::string(to_text(shape.status)), 11, visible(message));
  for (std::size_t i = 0; i < std::min(shown_mismatches, shape.mismatches.size()); ++i) {
    const auto& [mismatch, owner] = shape.mismatches[i];
    const auto whose =
        owner ? fmt::format("   block {}, thread {}", place(owner->first), place(owner->second)) : std::string();
    const auto what = fmt::format("{}[{}]  got {}  expected {}", shape.buffer, mismatch.index, value_text(mismatch.got),
                                  value_text(mismatch.expected));
    text.paragraph("", 11, what + whose);
  }
  if (!shape.hint.empty()) text.paragraph("  hint", 11, shape.hint);
}

/// Of each class its first failure, the first few classes; then the names of the rest.
void failures(const Judgement& judgement, Text& text) {
  std::vector<std::string> seen, more;
  for (const auto& shape : judgement.shapes) {
    if (shape.status == CaseStatus::ok || std::ranges::count(seen, shape.name) > 0) continue;
    seen.push_back(shape.name);
    if (seen.size() <= shown_failures) {
      failure(shape, text);
    } else {
      more.push_back(shape.name);
    }
  }
  if (!more.empty()) {
    text.line();
    text.paragraph("also", 11, join(more) + " (--format json has all)");
  }
}

void findings(const Judgement& judgement, Text& text) {
  for (const auto& finding : judgement.findings) {
    text.line();
    text.paragraph(std::string(to_text(finding.severity)), 11,
                   visible(fmt::format("{}: {}", finding.tool, finding.message)));
    for (const auto& site : finding.at)
      text.paragraph(
          "", 11,
          visible(fmt::format("{}:{} {} by block {}, thread {}{}{}", site.file, site.line, site.access,
                              place(site.block), place(site.thread), site.address.empty() ? "" : ", ", site.address)));
  }
}

void requirements(const Judgement& judgement, Text& text) {
  if (!judgement.requirements.empty()) text.line();
  for (const auto& one : judgement.requirements) {
    text.paragraph(
        "require", 11,
        fmt::format("{}: {}: {}", one.text,
                    text.judged(std::string(to_text(one.verdict)), one.verdict != Verdict::failed), one.message));
    if (const auto lines = explain_command(judgement, one); !lines.empty()) {
      text.line("           its lines:");
      text.line("             " + visible(lines));  // in one piece, to be copied
    }
  }
}

std::string counter_cell(const Result& result, const CounterInfo& counter) {
  const auto value = result.counters ? counter.value(*result.counters) : std::nullopt;
  if (!value) return "-";
  if (counter.unit == CounterUnit::ratio) return percent_text(*value);
  return counter.unit == CounterUnit::mean ? fmt::format("{:.3g}", *value)
                                           : grouped(static_cast<std::uint64_t>(*value));
}

/// What a table shows of counters: what the lab is about and what was asked for first, and these never leave it.
class BesideColumns {
 public:
  explicit BesideColumns(const Judgement& judgement) : judgement_(judgement) {
    for (const auto& name : judgement.subject) add(name, {}, stays);
    for (const auto& one : judgement.requirements) add(one.counter, {}, stays);
    add("warp_instructions", {"warp", "instructions"}, leaves);
    add("global_load_sectors", {"sectors", "loaded"}, leaves);
    add("global_store_sectors", {"sectors", "stored"}, leaves);
    add("shared_load_bank_conflicts", {"conflicts", "loading"}, leaves);
    add("shared_store_bank_conflicts", {"conflicts", "storing"}, leaves);
    add("atomic_requests", {}, leaves);
    add("barriers", {}, leaves);
  }
  [[nodiscard]] std::vector<TextColumn> take() { return std::move(columns_); }

 private:
  static constexpr int stays = 0, leaves = 1;

  void add(const std::string& name, std::vector<std::string> heading, int priority) {
    const auto all = counters_and_columns();
    const auto counter = std::ranges::find(all, name, &CounterInfo::name);
    if (counter == all.end() || std::ranges::count(names_, name) > 0) return;  // or it is no counter: sms_used
    TextColumn column{std::move(heading), {}, true, priority};
    for (const auto& result : judgement_.beside) column.cells.push_back(counter_cell(result, *counter));
    const auto says_nothing = [](const std::string& cell) { return cell == "-"; };
    if (priority == leaves && std::ranges::all_of(column.cells, says_nothing)) return;
    const auto& ladder = counter->ladder;
    if (column.heading.empty() && !ladder.heading.empty()) column.heading = {std::string(ladder.heading)};
    if (!ladder.second.empty() && column.heading.size() == 1) column.heading.emplace_back(ladder.second);
    if (column.heading.empty()) column.heading = heading_in_two_lines(name);
    names_.push_back(name);
    columns_.push_back(std::move(column));
  }

  const Judgement& judgement_;
  std::vector<std::string> names_;
  std::vector<TextColumn> columns_;
};

/// The kernel and rungs of the lab, at one size.
void beside(const Judgement& judgement, Text& text) {
  if (judgement.beside.empty()) return;
  std::vector<TextColumn> table{{{"", "kernel"}, {}, false}};
  const bool modelled = std::ranges::any_of(judgement.beside, [](const Result& r) { return r.model.has_value(); });
  if (modelled) table.push_back({{"modelled", "time"}, {}});
  for (auto& column : BesideColumns(judgement).take()) table.push_back(std::move(column));
  table.push_back({{"SMs", "used"}, {}, true, 2});
  for (const auto& result : judgement.beside) {
    table[0].cells.push_back(visible(result.variant));
    if (modelled) table[1].cells.push_back(result.model ? duration_text(result.model->ms) : "-");
    table.back().cells.push_back(result.spread ? std::to_string(result.spread->sms_used) : "-");
  }
  JudgedShape size;
  size.params = judgement.beside.front().params;
  if (!size.params.empty()) size.params.pop_back();  // the seed
  text.line();
  text.line(fmt::format("Counted at {}, beside rungs of '{}':", size_text(size), judgement.lab));
  std::vector<std::string> left_out;
  text.line(aligned(std::move(table), text.width(), left_out));
  if (!left_out.empty()) text.paragraph("", 0, "Not shown for want of width: " + join(left_out));
  const Run run{judgement.device, judgement.lab, judgement.beside};
  if (modelled) text.paragraph("", 0, about_modelled(run));
  if (const auto why = why_unmodelled(run); !why.empty()) text.paragraph("", 0, why);
  if (!judgement.explain_command.empty()) {
    text.line("Line by line:");
    text.line("  " + visible(judgement.explain_command));
  }
}

void output(const Judgement& judgement, Text& text) {
  if (judgement.output.empty()) return;
  text.line();
  text.line("What the kernel printed, first:");
  auto lines = split(judgement.output, '\n');
  if (lines.back().empty()) lines.pop_back();
  for (std::size_t i = 0; i < std::min(shown_output, lines.size()); ++i) text.line("  | " + visible(lines[i]));
  if (lines.size() > shown_output) text.line(fmt::format("  … {} more", plural(lines.size() - shown_output, "line")));
}

}  // namespace

std::string check_table(const Judgement& judgement, const Style& style) {
  Text text(style);
  heading(judgement, text);
  failures(judgement, text);
  findings(judgement, text);
  requirements(judgement, text);
  beside(judgement, text);
  output(judgement, text);
  return text.take();
}

}  // namespace gpulab
