// The comparison for people: a row for each pair, then what changed, the worst pairs first.

#include <fmt/format.h>

#include <algorithm>

#include "common/text.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/compare/compare_words.h"

namespace gpulab {
namespace {

constexpr std::size_t shown_pairs = 12, shown_counters = 5, shown_lines = 6, shown_apart = 10;
constexpr std::size_t least_source = 12;  ///< columns of a line's source, however narrow the page

class Text {
 public:
  explicit Text(const Style& style) : width_(style.width) {}
  void line(const std::string& text = {}) { text_ += text + '\n'; }
  void paragraph(const std::string& label, const std::string& text) {
    std::string lead = label;
    for (const auto& part : wrapped(text, width_ > label.size() + 20 ? width_ - label.size() : 20)) {
      line(lead + part);
      lead = std::string(label.size(), ' ');
    }
  }
  [[nodiscard]] std::size_t width() const { return width_; }
  std::string take() { return std::move(text_); }

 private:
  std::size_t width_;
  std::string text_;
};

std::string counters_text(const ComparedPair& pair) {
  std::vector<std::string> texts;
  for (const auto& one : pair.counters)
    if (texts.size() < shown_counters) texts.push_back(difference_text(one));
  if (pair.counters.size() > texts.size())
    texts.push_back(fmt::format("{} more (--format json has all)", pair.counters.size() - texts.size()));
  return visible(join(texts, "; "));
}

/// The beginning of a text, of whole characters.
std::string beginning(const std::string& text, std::size_t room) {
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size() && count + 1 < room; ++count) do
      ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  return text.substr(0, end) + "…";
}

/// "  48  55%     12 M", or a dash for a line that the side does not have.
std::string side_text(const std::optional<std::uint32_t>& line, double share, std::uint64_t instructions) {
  if (!line) return fmt::format("{:>4}{:>14}", "-", "");
  return fmt::format("{:>4} {:>4.0f}% {:>7}", *line, 100 * share, short_count(double(instructions)));
}

void line_rows(const ComparedPair& pair, Text& text) {
  if (pair.lines.empty()) return;
  text.paragraph(
      "  ", "lines that changed, dearest first: number, share of the time (modelled, of all warps), warp instructions");
  text.line(fmt::format("  {:<18}     B", "  A"));
  for (std::size_t i = 0; i < std::min(shown_lines, pair.lines.size()); ++i) {
    const auto& one = pair.lines[i];
    const auto because = one.because.empty() ? std::string() : fmt::format("   <- {}", one.because);
    const auto row = fmt::format("  {}   {}  ", side_text(one.a, one.a_share, one.a_instructions),
                                 side_text(one.b, one.b_share, one.b_instructions));
    const auto taken = columns(row) + columns(because);
    const auto room = text.width() > taken + least_source ? text.width() - taken : least_source;
    const auto source = visible(one.text);
    text.line(row + (columns(source) > room ? beginning(source, room) : source) + because);
  }
}

/// What is worth a paragraph: what is worse first, then what is not the same.
std::vector<const ComparedPair*> telling(const Comparison& comparison) {
  std::vector<const ComparedPair*> pairs;
  for (const auto& pair : comparison.pairs) {
    const bool quiet = pair.verdict == CompareVerdict::same && pair.counters.empty() && pair.warnings.empty();
    if (!quiet) pairs.push_back(&pair);
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const auto* one, const auto* other) {
    if (one->regression != other->regression) return one->regression;
    return one->ratio.value_or(1) > other->ratio.value_or(1);
  });
  return pairs;
}

void apart(const char* label, const SharedParts& shared, const std::vector<ComparedResult>& results, Text& text) {
  if (results.empty()) return;
  std::vector<std::string> names;
  for (const auto& one : results)
    if (names.size() < shown_apart) names.push_back(visible(case_text(shared, one)));
  if (results.size() > names.size()) names.push_back(fmt::format("{} more", results.size() - names.size()));
  text.paragraph(label, join(names, "; "));
}

void details(const Comparison& comparison, const SharedParts& shared, Text& text) {
  const auto pairs = telling(comparison);
  for (std::size_t i = 0; i < std::min(shown_pairs, pairs.size()); ++i) {
    const auto& pair = *pairs[i];
    text.line();
    text.paragraph("", fmt::format("{}: {}", visible(case_text(shared, pair.b)), verdict_text(pair)));
    if (!pair.why.empty()) text.paragraph("  why       ", visible(pair.why));
    for (const auto& warning : pair.warnings) text.paragraph("  note      ", visible(warning));
    if (!pair.counters.empty()) text.paragraph("  counters  ", counters_text(pair));
    if (pair.floor && pair.basis != CompareBasis::none) text.paragraph("  floor     ", beside_floor(pair));
    line_rows(pair, text);
  }
  if (pairs.size() > shown_pairs) {
    text.line();
    text.line(fmt::format("{} more pairs differ (--format json has all)", pairs.size() - shown_pairs));
  }
}

}  // namespace

std::string compare_table(const Comparison& comparison, const Style& style) {
  Text text(style);
  const auto shared = shared_parts(comparison);
  text.paragraph("A  ", visible(comparison.a));
  text.paragraph("B  ", visible(comparison.b));
  if (const auto all = shared_text(shared); !all.empty()) text.paragraph("   ", visible(all));
  text.line();
  std::vector<std::string> left_out;
  auto table = text.take() + aligned(comparison_columns(comparison), style.width, left_out);
  details(comparison, shared, text);
  if (!comparison.gone.empty() || !comparison.added.empty()) text.line();
  apart("gone: ", shared, comparison.gone, text);
  apart("new:  ", shared, comparison.added, text);
  text.line();
  text.paragraph("", summary_text(comparison));
  if (const auto about = about_times(comparison); !about.empty()) text.paragraph("", about);
  for (const auto& note : comparison.notes) text.paragraph("", visible(note));
  if (!left_out.empty()) text.paragraph("", fmt::format("Not shown for want of width: {}", join(left_out)));
  return table + text.take();
}

}  // namespace gpulab
