// What all of ncu's pages share: which metrics, in which units; and their provenance.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/json_text.h"
#include "runner/report/ncu/ncu_report.h"

namespace gpulab::ncu {

std::vector<std::string> metrics_of(const View& view) {
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  };
  for (const auto& id : view.sections)
    for (const auto& section : sections())
      if (section.id == id)
        for (const auto name : section.metrics) add(std::string(name));
  for (const auto& name : view.metrics) add(name);
  return names;
}

MetricRow row_named(const std::string& name) {
  if (const auto* known = find_metric(name)) return *known;
  return {.name = name, .label = {}, .unit = {}, .why = "nothing is known of it here"};
}

std::string value_text(const View& view, const MetricRow& row, const LaunchView& launch) {
  const auto value = value_of(row, launch);
  if (!value.number) return "n/a";
  return number_text(view.base_units ? *value.number * row.base : *value.number);
}

std::string_view unit_of(const View& view, const MetricRow& row) {
  return view.base_units && !row.base_unit.empty() ? row.base_unit : row.unit;
}

std::span<const std::string_view> source_columns() {
  static constexpr std::array<std::string_view, 6> counters{
      "warp_instructions",      "global_load_sectors",        "global_store_sectors",
      "shared_load_wavefronts", "shared_load_bank_conflicts", "shared_store_bank_conflicts"};
  return counters;
}

std::string provenance_json(const View& view) {
  using Json = nlohmann::ordered_json;
  Json json{{"schema", "gpulab.ncu_provenance.v1"},
            {"program", visible(view.run->program)},
            {"profile", view.run->profile},
            {"measured", false},
            {"metrics", Json::array()},
            {"launches", Json::array()}};
  const auto names = metrics_of(view);
  for (const auto& name : names) {
    const auto row = row_named(name);
    Json one{{"metric", visible(name)}, {"source", word_of(row.source)}};
    if (!row.label.empty()) one["label"] = row.label;
    if (!row.why.empty()) one["why"] = row.why;
    if (!row.ours.empty()) one["ours"] = row.ours;
    json["metrics"].push_back(std::move(one));
  }
  for (const auto& launch : view.launches) {
    Json one{{"id", launch.number}, {"kernel", visible(launch.kernel->name)}, {"missing", Json::object()}};
    if (launch.model != nullptr)
      one["model"] = {{"gpu", launch.model->gpu},
                      {"validated", launch.model->validated},
                      {"low_ms", json_real(launch.model->low_ms)},
                      {"high_ms", json_real(launch.model->high_ms)},
                      {"bound", launch.model->bound}};
    for (const auto& name : names) {
      const auto row = row_named(name);
      if (row.source == Source::none) {
        if (const auto ours = ours_text(row, launch); !ours.empty()) one["ours"][std::string(row.name)] = ours;
      } else if (const auto value = value_of(row, launch); !value.number) {
        one["missing"][std::string(row.name)] = value.why;
      }
    }
    json["launches"].push_back(std::move(one));
  }
  return json_text(json);
}

}  // namespace gpulab::ncu
