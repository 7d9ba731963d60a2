#include "runner/listing/glossary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "common/error.h"
#include "common/text.h"
#include "runner/listing/metric_table.h"

namespace gpulab {
namespace {

/// Letters and digits alone, small, without the s of a plural.
std::string plain(std::string_view word) {
  std::string text;
  for (const unsigned char c : word)
    if (std::isalnum(c) != 0) text += static_cast<char>(std::tolower(c));
  if (text.size() > 3 && text.ends_with('s') && !text.ends_with("ss")) text.pop_back();
  return text;
}

std::vector<std::string> words_in(std::string_view list) {
  std::vector<std::string> words;
  if (list.empty()) return words;
  for (auto& word : split(list, ',')) {
    const auto first = word.find_first_not_of(' ');
    if (first != std::string::npos) words.push_back(word.substr(first));
  }
  return words;
}

bool names(const Term& term, const std::string& wanted) {
  if (plain(term.name) == wanted) return true;
  return std::ranges::any_of(words_in(term.also), [&](const auto& other) { return plain(other) == wanted; });
}

TermMeaning meaning_of(const ListedMetric& metric) {
  TermMeaning meaning{.name = metric.name,
                      .kind = metric.kind == MetricKind::counter ? "counter" : "metric",
                      .meaning = metric.definition,
                      .see = {}};
  if (!metric.unit.empty()) meaning.meaning += fmt::format(" (unit: {})", metric.unit);
  if (!metric.ncu.empty()) meaning.meaning += fmt::format("; Nsight Compute: {}", metric.ncu);
  if (!metric.nvprof.empty()) meaning.meaning += fmt::format("; nvprof: {}", metric.nvprof);
  meaning.see = {"gpulab list --metrics"};
  return meaning;
}

std::optional<TermMeaning> find_meaning(std::string_view word, std::span<const Lab> labs) {
  const auto wanted = plain(word);
  if (wanted.empty()) return std::nullopt;
  for (const auto& term : glossary())
    if (names(term, wanted))
      return TermMeaning{std::string(term.name), "term", std::string(term.meaning), words_in(term.see)};
  for (const auto& metric : listed_metrics(labs))
    if (plain(metric.name) == wanted || metric.ncu == word || metric.nvprof == word) return meaning_of(metric);
  for (const auto& lab : labs)
    if (lab.name == word)
      return TermMeaning{lab.name, "lab", fmt::format("{}: {}", lab.topic, lab.question), {"gpulab list " + lab.name}};
  return std::nullopt;
}

}  // namespace

bool has_meaning(std::string_view word, std::span<const Lab> labs) { return find_meaning(word, labs).has_value(); }

TermMeaning meaning_of_term(std::string_view word, std::span<const Lab> labs) {
  if (auto found = find_meaning(word, labs)) return std::move(*found);
  std::vector<std::string> known;
  for (const auto& term : glossary()) known.emplace_back(term.name);
  for (const auto& metric : listed_metrics(labs)) known.push_back(metric.name);
  throw usage_error(fmt::format("no term, metric or lab is called '{}'", visible(word.substr(0, 80))),
                    did_you_mean(word.substr(0, 80), known, "'gpulab help --glossary' has all terms"));
}

std::string glossary_page() {
  constexpr std::size_t width = 100;  // as terminals and other pages have it
  std::string page =
      "# Glossary\n\n"
      "Words of CUDA and of performance as they are used here; `gpulab help TERM` shows one, `gpulab\n"
      "list --metrics` all counters. Written by `gpulab help --glossary`.\n";
  for (const auto& term : glossary()) {
    auto entry =
        fmt::format("**{}**{}: {}", term.name, term.also.empty() ? "" : fmt::format(" ({})", term.also), term.meaning);
    if (!term.see.empty()) {
      std::vector<std::string> shown;
      for (const auto& one : words_in(term.see)) shown.push_back("`" + one + "`");
      entry += fmt::format(" See {}.", join(shown));
    }
    page += '\n' + join(wrapped(entry, width), "\n") + '\n';
  }
  return page;
}

}  // namespace gpulab
