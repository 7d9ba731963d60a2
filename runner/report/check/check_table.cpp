// The tutor: what was judged, what is wrong first, where, why, what to try; then the counters beside the ladder's.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/counters.h"
#include "common/text.h"
#include "runner/report/check/check_report.h"
#include "runner/report/grid_text.h"

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
  text.line(fmt::format("{} · {}{}  {}", visible(judgement.file), judgement.lab, contract,
                        text.judged(good ? "PASSED" : "FAILED", good)));
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
    text.line(fmt::format("           {}[{}]  got {}  expected {}{}", shape.buffer, mismatch.index,
                          value_text(mismatch.got), value_text(mismatch.expected), whose));
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
      text.line(
          visible(fmt::format("           {}:{} {} by block {}, thread {}{}{}", site.file, site.line, site.access,
                              place(site.block), place(site.thread), site.address.empty() ? "" : ", ", site.address)));
  }
}

void requirements(const Judgement& judgement, Text& text) {
  if (!judgement.requirements.empty()) text.line();
  for (const auto& one : judgement.requirements)
    text.paragraph(
        "require", 11,
        fmt::format("{}: {}: {}", one.text,
                    text.judged(std::string(to_text(one.verdict)), one.verdict != Verdict::failed), one.message));
}

std::string counter_cell(const Result& result, std::string_view name) {
  const auto* row = find_counter(name);
  const auto value = row != nullptr && result.counters ? row->value(*result.counters) : std::nullopt;
  if (!value) return "-";
  return row->count(*result.counters) ? grouped(static_cast<std::uint64_t>(*value)) : fmt::format("{:.3g}", *value);
}

/// The kernel and rungs of the lab, at one size.
void beside(const Judgement& judgement, Text& text) {
  if (judgement.beside.empty()) return;
  struct Shown {
    const char* counter;
    std::vector<std::string> heading;
  };
  const std::vector<Shown> shown{{"warp_instructions", {"warp", "instructions"}},
                                 {"global_load_sectors", {"sectors", "loaded"}},
                                 {"global_store_sectors", {"sectors", "stored"}},
                                 {"shared_load_bank_conflicts", {"conflicts", "loading"}},
                                 {"shared_store_bank_conflicts", {"conflicts", "storing"}},
                                 {"barriers", {"", "barriers"}}};
  std::vector<TextColumn> table(1);
  table[0] = {{"", "kernel"}, {}, false};
  for (const auto& one : shown) table.push_back({one.heading, {}});
  table.push_back({{"SMs", "used"}, {}, true, 1});
  const bool modelled = judgement.beside.front().model.has_value();
  if (modelled) table.push_back({{"modelled", "µs"}, {}});
  for (const auto& result : judgement.beside) {
    table[0].cells.push_back(visible(result.variant));
    for (std::size_t i = 0; i < shown.size(); ++i) table[i + 1].cells.push_back(counter_cell(result, shown[i].counter));
    table[shown.size() + 1].cells.push_back(result.spread ? std::to_string(result.spread->sms_used) : "-");
    if (modelled) table.back().cells.push_back(result.model ? fmt::format("{:.3g}", 1000 * result.model->ms) : "-");
  }
  JudgedShape size;
  size.params = judgement.beside.front().params;
  if (!size.params.empty()) size.params.pop_back();  // the seed
  text.line();
  text.line(fmt::format("Counted at {}, beside rungs of '{}':", size_text(size), judgement.lab));
  std::vector<std::string> left_out;
  text.line(aligned(std::move(table), text.width(), left_out));
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
