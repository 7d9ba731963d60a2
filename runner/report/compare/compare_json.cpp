// gpulab.compare.v1 (configs/schema/compare.json). Additive changes only.

#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? json_real(*value) : Json(); }
Json or_null(const std::string& text) { return text.empty() ? Json() : Json(visible(text)); }

/// Counts as whole numbers.
Json value_json(double value) {
  const bool is_whole = value < 9e15 && value == double(std::uint64_t(value));
  return is_whole ? Json(std::uint64_t(value)) : json_real(value);
}

Json params_json(const ComparedResult& result) {
  Json json = Json::object();
  for (const auto& [name, value] : result.params) json[visible(name)] = visible(value);
  return json;
}

Json side_json(const ComparedResult& result) {
  Json json{{"status", visible(result.status)}, {"message", visible(result.message)}, {"right", nullptr}};
  if (result.answer != Answer::unknown) json["right"] = result.answer == Answer::right;
  json["measured"] = nullptr;
  if (result.measured)
    json["measured"] = {{"gpu", visible(result.measured->gpu)},
                        {"mode", or_null(result.measured->mode)},
                        {"median_ms", json_real(result.measured->median_ms)},
                        {"samples", result.measured->samples}};
  if (result.measured && !result.measured->raw_ms.empty()) {
    json["measured"]["samples_ms"] = result.measured->raw_ms;
    if (result.measured->in_turn) json["measured"]["in_turn"] = true;
  }
  json["modelled"] = nullptr;
  if (result.modelled)
    json["modelled"] = {
        {"gpu", visible(result.modelled->gpu)},         {"time_ms", json_real(result.modelled->ms)},
        {"low_ms", json_real(result.modelled->low_ms)}, {"high_ms", json_real(result.modelled->high_ms)},
        {"bound", visible(result.modelled->bound)},     {"validated", result.modelled->validated}};
  return json;
}

Json case_json(const ComparedResult& result) {
  return {{"lab", or_null(result.lab)},
          {"name", visible(result.name)},
          {"params", params_json(result)},
          {"launch", or_null(result.launch)}};
}

Json counters_json(const ComparedPair& pair) {
  using enum CounterDifference::Effect;
  Json json = Json::array();
  for (const auto& one : pair.counters) {
    json.push_back({{"counter", visible(one.name)}, {"a", value_json(one.a)}, {"b", value_json(one.b)}});
    if (one.effect != neither) json.back()["effect"] = one.effect == gain ? "gain" : "loss";
  }
  return json;
}

Json lines_json(const ComparedPair& pair) {
  const auto side = [](const std::optional<std::uint32_t>& line, double share, std::uint64_t instructions) -> Json {
    if (!line) return nullptr;
    return {{"line", *line}, {"time_share", json_real(share)}, {"warp_instructions", instructions}};
  };
  Json json = Json::array();
  for (const auto& one : pair.lines)
    json.push_back({{"text", visible(one.text)},
                    {"a", side(one.a, one.a_share, one.a_instructions)},
                    {"b", side(one.b, one.b_share, one.b_instructions)},
                    {"because", or_null(one.because)}});
  return json;
}

Json floor_json(const TimeFloor& floor) {
  return {{"bytes", json_real(floor.bytes)},   {"operations", json_real(floor.flops)},
          {"time_ms", json_real(floor.ms)},    {"by", floor.by},
          {"rate", json_real(floor.rate)},     {"gpu", floor.gpu},
          {"beyond_cache", floor.beyond_cache}};
}

Json pair_json(const ComparedPair& pair) {
  auto json = case_json(pair.b);
  json["verdict"] = to_text(pair.verdict);
  json["basis"] = to_text(pair.basis);
  json["why"] = visible(pair.why);
  json["regression"] = pair.regression;
  if (pair.impossible) json["impossible"] = true;
  if (pair.answers_differ) json["answers_differ"] = true;
  json["ratio"] = or_null(pair.ratio);
  json["low"] = or_null(pair.low);
  json["high"] = or_null(pair.high);
  json["probability"] = or_null(pair.probability);
  json["a"] = side_json(pair.a);
  json["b"] = side_json(pair.b);
  json["counters"] = counters_json(pair);
  if (!pair.lines.empty()) json["lines"] = lines_json(pair);
  if (pair.floor) json["floor"] = floor_json(*pair.floor);
  if (!pair.warnings.empty()) {
    json["warnings"] = Json::array();
    for (const auto& one : pair.warnings) json["warnings"].push_back(visible(one));
  }
  return json;
}

}  // namespace

std::string compare_json(const Comparison& comparison, const Style&) {
  Json json{{"schema", "gpulab.compare.v1"},
            {"gpulab", {{"version", version()}}},
            {"of", comparison.documents ? "documents" : "kernels"},
            {"a", visible(comparison.a)},
            {"b", visible(comparison.b)},
            {"threshold", json_real(comparison.threshold)},
            {"regressions", comparison.regressions()},
            {"pairs", Json::array()},
            {"gone", Json::array()},
            {"new", Json::array()}};
  for (const auto& pair : comparison.pairs) json["pairs"].push_back(pair_json(pair));
  for (const auto& [name, results] : {std::pair{"gone", &comparison.gone}, {"new", &comparison.added}}) {
    for (const auto& one : *results) {
      json[name].push_back(case_json(one));
      json[name].back()["status"] = visible(one.status);
    }
  }
  if (!comparison.odds.empty()) json["odds_of"] = comparison.odds;
  if (!comparison.notes.empty()) {
    json["notes"] = Json::array();
    for (const auto& one : comparison.notes) json["notes"].push_back(visible(one));
  }
  return json_text(json);
}

}  // namespace gpulab
