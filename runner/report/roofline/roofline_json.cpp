// gpulab.roofline.v1 (configs/schema/roofline.json). Additive changes only.

#include <nlohmann/json.hpp>

#include "common/text.h"
#include "runner/report/json_text.h"
#include "runner/report/roofline/roofline.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json row_json(const Roofline& roofline, const RooflineRow& row) {
  Json json{{"name", visible(row.name)}};
  if (!row.missing.empty()) {
    json["missing"] = visible(row.missing);
    return json;
  }
  json["time_ms"] = json_real(row.ms);
  json["operations"] = json_real(row.operations);
  json["bytes"] = json_real(row.bytes);
  json["intensity"] = json_real(row.intensity());
  json["per_second"] = json_real(row.per_second());
  json["roof"] = row.roof;
  json["roof_per_second"] = json_real(roofline.roof_over(row));
  json["shares"] = Json::array();
  for (const auto& share : row.shares) {
    json["shares"].push_back({{"ceiling", share.ceiling}, {"share", json_real(share.share)}});
    if (!share.why.empty()) json["shares"].back()["why_above"] = share.why;
  }
  for (const auto& one : row.not_bound_by) json["not_bound_by"].push_back({{"ceiling", one.ceiling}, {"why", one.why}});
  return json;
}

}  // namespace

std::string roofline_json(const Roofline& roofline) {
  Json json{{"schema", "gpulab.roofline.v1"},
            {"gpulab", {{"version", version()}}},
            {"of", visible(roofline.of)},
            {"gpu", visible(roofline.gpu)},
            {"source", roofline.measured ? "measured" : "modelled"},
            {"validated", roofline.measured || roofline.validated},
            {"operation", roofline.of_instructions ? "warp_instruction" : "declared_operation"},
            {"ceilings", Json::array()},
            {"rows", Json::array()}};
  for (const auto& one : roofline.ceilings)
    json["ceilings"].push_back(
        {{"name", one.name}, {"value", json_real(one.value)}, {"unit", one.unit}, {"from", one.from}});
  for (const auto& row : roofline.rows) json["rows"].push_back(row_json(roofline, row));
  if (!roofline.notes.empty()) {
    json["notes"] = Json::array();
    for (const auto& note : roofline.notes) json["notes"].push_back(visible(note));
  }
  return json_text(json);
}

}  // namespace gpulab
