// The comparison as Markdown and as CSV: a row for each pair.

#include <fmt/format.h>

#include "common/text.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/compare/compare_words.h"
#include "runner/report/words/cells.h"

namespace gpulab {
namespace {

std::string row(const std::vector<std::string>& cells) { return "| " + join(cells, " | ") + " |\n"; }

std::string real(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

std::string differences(const ComparedPair& pair) {
  std::vector<std::string> texts;
  for (const auto& one : pair.counters) texts.push_back(difference_text(one));
  return join(texts, "; ");
}

}  // namespace

std::string compare_markdown(const Comparison& comparison, const Style&) {
  const auto shared = shared_parts(comparison);
  auto text = fmt::format("### {} -> {}\n\n{}\n\n", markdown_cell(visible(comparison.a)),
                          markdown_cell(visible(comparison.b)), markdown_cell(visible(shared_text(shared))));
  const auto table = comparison_columns(comparison);
  std::vector<std::string> headings, rules;
  for (const auto& column : table) {
    headings.push_back(markdown_cell(heading_text(column)));
    rules.emplace_back(column.right ? "---:" : ":---");
  }
  text += row(headings) + row(rules);
  for (std::size_t i = 0; i < comparison.pairs.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto& column : table) cells.push_back(markdown_cell(column.cells[i]));
    text += row(cells);
  }
  text += '\n';
  for (const auto& pair : comparison.pairs) {
    if (!pair.regression && pair.verdict == CompareVerdict::same) continue;
    text +=
        fmt::format("- {}: {}\n", markdown_cell(visible(case_text(shared, pair.b))), markdown_cell(visible(pair.why)));
    if (!pair.counters.empty()) text += fmt::format("  - {}\n", markdown_cell(visible(differences(pair))));
  }
  for (const auto& one : comparison.gone)
    text += fmt::format("- gone: {}\n", markdown_cell(visible(case_text(shared, one))));
  for (const auto& one : comparison.added)
    text += fmt::format("- new: {}\n", markdown_cell(visible(case_text(shared, one))));
  text += fmt::format("- {}\n", markdown_cell(summary_text(comparison)));
  if (const auto about = about_times(comparison); !about.empty()) text += fmt::format("- {}\n", markdown_cell(about));
  return text;
}

std::string compare_csv(const Comparison& comparison, const Style&) {
  std::string text =
      "lab,name,params,launch,verdict,basis,ratio,low,high,probability,regression,a_status,b_status,"
      "a_measured_ms,b_measured_ms,a_modelled_ms,b_modelled_ms,why,counters\n";
  const auto add = [&](const std::vector<std::string>& cells) {
    std::vector<std::string> quoted;
    for (const auto& cell : cells) quoted.push_back(csv_cell(visible(cell)));
    text += join(quoted, ",") + '\n';
  };
  const auto params = [](const ComparedResult& result) {
    std::vector<std::string> words;
    for (const auto& [name, value] : result.params) words.push_back(fmt::format("{}={}", name, value));
    return join(words, " ");
  };
  const auto measured = [](const ComparedResult& one) {
    return one.measured ? fmt::format("{}", one.measured->median_ms) : "";
  };
  const auto modelled = [](const ComparedResult& one) {
    return one.modelled ? fmt::format("{}", one.modelled->ms) : "";
  };
  for (const auto& pair : comparison.pairs)
    add({pair.b.lab, pair.b.name, params(pair.b), pair.b.launch, std::string(to_text(pair.verdict)),
         std::string(to_text(pair.basis)), real(pair.ratio), real(pair.low), real(pair.high), real(pair.probability),
         pair.regression ? "true" : "false", pair.a.status, pair.b.status, measured(pair.a), measured(pair.b),
         modelled(pair.a), modelled(pair.b), pair.why, differences(pair)});
  const auto alone = [&](const ComparedResult& one, const char* what, bool regression, bool is_a) {
    add({one.lab, one.name, params(one), one.launch, what, "none", "", "", "", "", regression ? "true" : "false",
         is_a ? one.status : "", is_a ? "" : one.status, "", "", "", "", "", ""});
  };
  for (const auto& one : comparison.gone) alone(one, "gone", one.answer == Answer::right, true);
  for (const auto& one : comparison.added) alone(one, "new", false, false);
  return text;
}

}  // namespace gpulab
