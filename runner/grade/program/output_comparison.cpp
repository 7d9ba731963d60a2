#include "runner/grade/program/output_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "common/text.h"

namespace gpulab {
namespace {

constexpr std::size_t most_shown = 80;

std::string in_quotes(std::string_view text) {
  auto shown = visible(std::string(text.substr(0, most_shown)));
  for (char& c : shown)
    if (c == '\n' || c == '\t') c = ' ';
  return fmt::format("'{}{}'", shown, text.size() > most_shown ? "…" : "");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::vector<std::string_view> lines_of(std::string_view text, bool space_counts) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    while (!space_counts && !line.empty() && is_space(line.back())) line.remove_suffix(1);
    lines.push_back(line);
    if (space_counts && end + 1 == text.size()) lines.emplace_back();  // "a" is not "a\n"
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  while (!space_counts && !lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string exact_difference(const std::string& expected, const std::string& got, bool space_counts) {
  const auto wanted = lines_of(expected, space_counts), had = lines_of(got, space_counts);
  if (had.empty() && !wanted.empty())
    return fmt::format("there is no output; line 1 should be {}", in_quotes(wanted[0]));
  for (std::size_t i = 0; i < std::max(wanted.size(), had.size()); ++i) {
    if (i >= had.size()) return fmt::format("the output ends before line {}: {}", i + 1, in_quotes(wanted[i]));
    if (i >= wanted.size()) return fmt::format("line {} is too much: {}", i + 1, in_quotes(had[i]));
    if (wanted[i] == had[i]) continue;
    std::string_view ending = wanted[i].size() < had[i].size() ? had[i].substr(wanted[i].size()) : "";
    if (had[i].size() < wanted[i].size()) ending = wanted[i].substr(had[i].size());
    const bool only_space = !ending.empty() && std::ranges::all_of(ending, is_space) &&
                            (wanted[i].starts_with(had[i]) || had[i].starts_with(wanted[i]));
    return fmt::format("line {} is {}, not {}{}", i + 1, in_quotes(had[i]), in_quotes(wanted[i]),
                       only_space ? ": white space at its end counts here" : "");
  }
  return {};
}

struct Word {
  std::string text;
  std::size_t line = 1;
};

/// Parted by white space; a mark such as a comma is a word by itself, so that "x=3.5," holds a number.
std::vector<Word> words_of(const std::string& text) {
  constexpr std::string_view marks = ",;:=()[]{}";
  std::vector<Word> words;
  std::size_t line = 1;
  bool open = false;
  for (const char c : text) {
    if (is_space(c)) {
      line += c == '\n' ? 1 : 0;
      open = false;
    } else if (marks.find(c) != std::string_view::npos) {
      words.push_back({std::string(1, c), line});
      open = false;
    } else {
      if (!open) words.push_back({"", line});
      words.back().text += c;
      open = true;
    }
  }
  return words;
}

std::optional<double> number_in(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return end == word.c_str() || *end != '\0' ? std::nullopt : std::optional(value);
}

bool is_near(double expected, double got, const OutputRule& rule) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  if (std::isinf(expected) || std::isinf(got)) return false;
  return std::abs(got - expected) <= std::max(rule.absolute, rule.relative * std::abs(expected));
}

std::string tolerance_text(const OutputRule& rule) {
  if (rule.absolute == 0 && rule.relative == 0) return "";
  if (rule.absolute == 0) return fmt::format(" within {:g} of it", rule.relative);
  if (rule.relative == 0) return fmt::format(" within {:g}", rule.absolute);
  return fmt::format(" within {:g}, or {:g} of it", rule.absolute, rule.relative);
}

std::string number_difference(const std::string& expected, const std::string& got, const OutputRule& rule) {
  const auto wanted = words_of(expected), had = words_of(got);
  if (had.empty() && !wanted.empty())
    return fmt::format("there is no output; it should begin with {}", in_quotes(wanted[0].text));
  for (std::size_t i = 0; i < std::max(wanted.size(), had.size()); ++i) {
    if (i >= had.size())
      return fmt::format("the output ends behind {}, where {} should follow", plural(i, "word"),
                         in_quotes(wanted[i].text));
    if (i >= wanted.size()) return fmt::format("line {}: {} is too much", had[i].line, in_quotes(had[i].text));
    if (wanted[i].text == had[i].text) continue;
    const auto right = number_in(wanted[i].text), value = number_in(had[i].text);
    if (right && value && is_near(*right, *value, rule)) continue;
    return fmt::format("line {}: {} is not {}{}", had[i].line, in_quotes(had[i].text), in_quotes(wanted[i].text),
                       right ? tolerance_text(rule) : "");
  }
  return {};
}

}  // namespace

std::string difference(const std::string& expected, const std::string& got, const OutputRule& rule) {
  return rule.by == OutputRule::By::numbers ? number_difference(expected, got, rule)
                                            : exact_difference(expected, got, rule.space_counts);
}

}  // namespace gpulab
