#include "runner/report/compare/compare_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "common/counters.h"
#include "common/text.h"

namespace gpulab {
namespace {

/// What may be the same for all. The name never is left out.
SharedParts parts_of(const ComparedResult& result) {
  SharedParts parts{{"lab", result.lab}};
  for (const auto& [name, value] : result.params) parts.emplace_back(name, fmt::format("{} {}", name, value));
  parts.emplace_back("launch", result.launch);
  return parts;
}

/// duration_text with all three digits, for times that stand above one another: "6.30 µs".
std::string in_column(double milliseconds) {
  auto text = duration_text(milliseconds);
  const auto unit = text.find(' ');
  auto number = text.substr(0, unit);
  if (number.find('.') == std::string::npos && number.size() < 3) number += '.';
  if (number.find('.') != std::string::npos) number.resize(std::max<std::size_t>(number.size(), 4), '0');
  return number + text.substr(unit);
}

std::string time_text(const ComparedPair& pair, const ComparedResult& result) {
  if (pair.basis == CompareBasis::measured) return in_column(result.measured->median_ms);
  const bool shown = pair.basis == CompareBasis::modelled && result.modelled;
  return shown ? in_column(result.modelled->ms) : "";
}

std::string value_text(const CounterDifference& difference, double value) {
  const auto* info = find_counter(difference.name);
  if (info != nullptr && info->unit == CounterUnit::ratio) return fmt::format("{:.3g}%", 100 * value);
  if (value < 9e15 && value == double(std::uint64_t(value))) return grouped(std::uint64_t(value));
  return fmt::format("{:.4g}", value);
}

TextColumn column(std::vector<std::string> heading, bool right, int priority) {
  return {.heading = std::move(heading), .cells = {}, .right = right, .priority = priority};
}

}  // namespace

SharedParts shared_parts(const Comparison& comparison) {
  std::vector<const ComparedResult*> all;
  for (const auto& pair : comparison.pairs) all.push_back(&pair.b);
  for (const auto* apart : {&comparison.gone, &comparison.added})
    for (const auto& one : *apart) all.push_back(&one);
  if (all.empty()) return {};
  auto shared = parts_of(*all.front());
  for (const auto* one : all) {
    const auto parts = parts_of(*one);
    std::erase_if(shared, [&](const auto& part) { return std::ranges::count(parts, part) == 0; });
  }
  return shared;
}

std::string shared_text(const SharedParts& shared) {
  std::vector<std::string> texts;
  for (const auto& [name, text] : shared)
    if (!text.empty()) texts.push_back(text);
  return join(texts);
}

std::string case_text(const SharedParts& shared, const ComparedResult& result) {
  std::vector<std::string> texts;
  if (!result.name.empty()) texts.push_back(result.name);
  for (const auto& part : parts_of(result))
    if (!part.second.empty() && std::ranges::count(shared, part) == 0) texts.push_back(part.second);
  return texts.empty() ? "this case" : join(texts);
}

std::string verdict_text(const ComparedPair& pair) {
  const std::string word(to_text(pair.verdict));
  if (pair.answers_differ) return "answers differ";
  if (pair.impossible) return "impossible";
  if (pair.basis == CompareBasis::none && pair.regression) return "wrong";
  if (!pair.probability) return word;
  const auto percent = fmt::format("{:.0f}%", 100 * std::min(*pair.probability, 0.99));
  if (pair.verdict != CompareVerdict::undecided) return fmt::format("{} ({} sure)", word, percent);
  return fmt::format("{} ({} {})", word, percent, pair.ratio.value_or(1) > 1 ? "slower" : "faster");
}

std::string difference_text(const CounterDifference& difference) {
  return fmt::format("{} {} -> {}", difference.name, value_text(difference, difference.a),
                     value_text(difference, difference.b));
}

std::vector<TextColumn> comparison_columns(const Comparison& comparison) {
  std::vector<TextColumn> table{column({"case"}, false, 0),      column({"A"}, true, 3),
                                column({"B"}, true, 3),          column({"B / A"}, true, 1),
                                column({"from", "to"}, true, 4), column({"verdict"}, false, 0),
                                column({"as"}, false, 2)};
  const auto shared = shared_parts(comparison);
  for (const auto& pair : comparison.pairs) {
    const bool has_interval = pair.low && pair.high;
    const std::vector<std::string> cells{visible(case_text(shared, pair.b)),
                                         time_text(pair, pair.a),
                                         time_text(pair, pair.b),
                                         pair.ratio ? fmt::format("{:.3g}", *pair.ratio) : "",
                                         has_interval ? fmt::format("{:.3g}..{:.3g}", *pair.low, *pair.high) : "",
                                         verdict_text(pair),
                                         pair.basis == CompareBasis::none ? "" : std::string(to_text(pair.basis))};
    for (std::size_t i = 0; i < table.size(); ++i) table[i].cells.push_back(cells[i]);
  }
  return table;
}

std::string summary_text(const Comparison& comparison) {
  std::vector<std::string> parts;
  const auto count = [&](const std::function<bool(const ComparedPair&)>& is, const char* what) {
    const auto number = std::ranges::count_if(comparison.pairs, is);
    if (number > 0) parts.push_back(fmt::format("{} {}", number, what));
  };
  const auto broken = [](const ComparedPair& pair) { return pair.basis == CompareBasis::none && pair.regression; };
  count([&](const ComparedPair& pair) { return broken(pair) && !pair.answers_differ && !pair.impossible; },
        comparison.documents ? "wrong now and not before" : "wrong");
  count([](const ComparedPair& pair) { return pair.impossible; }, "impossible");
  count([](const ComparedPair& pair) { return pair.answers_differ; }, "with answers that differ");
  using enum CompareVerdict;
  for (const auto verdict : {slower, faster, same, undecided}) {
    const std::string word(verdict == same ? "the same" : to_text(verdict));
    count([&](const ComparedPair& pair) { return pair.verdict == verdict && !broken(pair) && !pair.impossible; },
          word.c_str());
  }
  if (!comparison.gone.empty()) parts.push_back(fmt::format("{} gone", comparison.gone.size()));
  if (!comparison.added.empty()) parts.push_back(fmt::format("{} new", comparison.added.size()));
  const auto regressions = comparison.regressions();
  return join(parts) + (regressions == 0
                            ? fmt::format(": nothing is worse by more than {:.3g}%", 100 * comparison.threshold)
                            : fmt::format(": {} worse (by more than {:.3g}%, wrong, or gone)", regressions,
                                          100 * comparison.threshold));
}

std::string about_times(const Comparison& comparison) {
  const auto has = [&](CompareBasis basis) {
    return std::ranges::any_of(comparison.pairs, [&](const ComparedPair& pair) { return pair.basis == basis; });
  };
  std::vector<std::string> parts;
  if (has(CompareBasis::measured))
    parts.emplace_back(
        "measured: medians of a GPU's times; from..to holds the true ratio nineteen times of twenty, all pairs "
        "together, with 1% for clocks that drift between runs, 0.5% where they were taken in turn");
  if (has(CompareBasis::modelled))
    parts.push_back(fmt::format(
        "modelled, not measured: nine of ten such pairs had measured ratios within from..to; that, and how sure "
        "a verdict is, follows from {} (configs/odds.json)",
        comparison.odds));
  if (has(CompareBasis::counters))
    parts.emplace_back("counters: no time that both have; more of what costs is slower, however little it costs");
  return join(parts, ". ");
}

std::string floor_text(const TimeFloor& floor) {
  const bool memory = floor.by == "memory";
  const double work = memory ? floor.bytes : floor.flops;
  return fmt::format("{} {} at 1.05 x {:.6g} {}, what {} reaches, take {} at least",
                     memory ? fmt::format("{:.4g} MB", work / 1e6) : fmt::format("{:.4g} million", work / 1e6),
                     memory ? "read and written" : "operations", floor.rate, memory ? "GB/s" : "GFLOP/s", floor.gpu,
                     duration_text(floor.ms));
}

std::string beside_floor(const ComparedPair& pair) {
  auto text = floor_text(*pair.floor);
  if (pair.basis != CompareBasis::measured && pair.basis != CompareBasis::modelled) return text;
  const auto factor = [&](const ComparedResult& one) {
    return (pair.basis == CompareBasis::measured ? one.measured->median_ms : one.modelled->ms) / pair.floor->ms;
  };
  return text + fmt::format(": A takes {:.4g} x that, B {:.4g} x", factor(pair.a), factor(pair.b));
}

}  // namespace gpulab
