#include "runner/compare/kernels/ran_pairs.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/compare/document.h"
#include "runner/compare/kernels/line_differences.h"
#include "runner/compare/verdict.h"
#include "runner/execution/open_device.h"
#include "runner/report/documents/result_json.h"

namespace gpulab {
namespace {

/// As the document of the same run would have it: there is one way from a result to what is compared.
ComparedResult compared(const Result& result, const RanPairs& ran) {
  const auto json = nlohmann::json::parse(result_json(result).dump());
  return compared_result(json, ran.of, ran.device.kind == "gpu" ? ran.device.name : "");
}

/// The launch as far as people ask for it: its block.
std::string block_text(const RanPair& pair) {
  const auto block = [](const Result& one) { return one.launch ? dim_text(one.launch->block) : std::string(); };
  const auto a = block(pair.a), b = block(pair.b);
  if (a.empty() || b.empty()) return {};
  return a == b ? "block " + a : fmt::format("blocks {} and {}", a, b);
}

/// Nobody knows which of the two answers is right, so no time is said of either.
void say_apart(const std::string& apart, ComparedPair& pair) {
  pair.verdict = CompareVerdict::undecided;
  pair.basis = CompareBasis::none;
  pair.answers_differ = true;
  pair.ratio = pair.low = pair.high = pair.probability = std::nullopt;
  pair.regression = true;
  pair.why = apart;
}

}  // namespace

void RanPairs::add(std::vector<RanPair> more, std::vector<std::shared_ptr<const void>> more_owners) {
  for (auto& pair : pairs)
    for (auto* result : {&pair.a, &pair.b}) result->lines.clear();
  for (auto& pair : more) pairs.push_back(std::move(pair));
  owners = std::move(more_owners);
}

Comparison comparison_of(RanPairs ran, double threshold) {
  Comparison comparison{.a = ran.a, .b = ran.b, .threshold = threshold};
  for (const auto& pair : ran.pairs) {
    comparison.pairs.push_back({compared(pair.a, ran), compared(pair.b, ran)});
    auto& made = comparison.pairs.back();
    made.a.name = made.b.name = "";  // A and B say it
    made.a.launch = made.b.launch = block_text(pair);
  }
  judge_pairs(comparison, ran.kind);
  for (std::size_t i = 0; i < ran.pairs.size(); ++i) {
    if (!ran.pairs[i].apart.empty()) say_apart(ran.pairs[i].apart, comparison.pairs[i]);
    if (!ran.pairs[i].notes.empty()) comparison.pairs[i].warnings.push_back(ran.pairs[i].notes);
  }
  for (std::size_t i = ran.pairs.size(); i-- > 0;) {
    auto& pair = comparison.pairs[i];
    if (pair.a.answer != Answer::right || pair.b.answer != Answer::right) continue;
    pair.lines = line_differences(ran.pairs[i].a.lines, ran.pairs[i].b.lines, ran.device.sm_count);
    break;
  }
  return comparison;
}

MachineOptions comparing(MachineOptions machine) {
  machine.model_where_known = true;
  machine.counters = machine.counters.value_or(!measures(machine));
  return machine;
}

bool measures(const MachineOptions& machine) { return open_device(machine)->capabilities().measures_time; }

}  // namespace gpulab
