// gpulab.run.v1: the document that scripts and graders read (configs/schema/run.json). Additive changes only.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/embedded.h"
#include "runner/report/check/check_report.h"
#include "runner/report/compare/compare_report.h"
#include "runner/report/documents/result_json.h"
#include "runner/report/error_report.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/json_text.h"
#include "runner/report/program/program_report.h"
#include "runner/report/report.h"
#include "runner/version.h"

namespace gpulab::report {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json device(const DeviceInfo& info) {
  return {{"kind", info.kind},
          {"name", info.name},
          {"profile", or_null(info.profile)},
          {"compute_capability", fmt::format("{}.{}", info.compute_major, info.compute_minor)},
          {"sm_count", info.sm_count}};
}

/// Null at the end that the sweep does not reach.
Json break_evens(const std::vector<BreakEven>& all) {
  Json json = Json::array();
  for (const auto& found : all) {
    using enum BreakEven::Where;
    json.push_back({{"variant", found.variant},
                    {"param", found.param},
                    {"at", found.at ? json_real(*found.at) : Json()},
                    {"above", found.where == below ? Json() : Json(found.below)},
                    {"below", found.where == above ? Json() : Json(found.above)}});
  }
  return json;
}

std::string write(const Run& run, const Style&) {
  Json json{{"schema", "gpulab.run.v1"},
            {"gpulab", {{"version", version()}}},
            {"toolkit", run.toolkit.empty() ? std::string(toolkit_version()) : run.toolkit},
            {"device", device(run.device)},
            {"lab", run.lab}};
  if (!run.file.empty()) json["file"] = run.file;
  if (!run.break_evens.empty()) json["break_even"] = break_evens(run.break_evens);
  json["results"] = Json::array();
  for (const auto& r : run.results) json["results"].push_back(result_json(r, run.metrics));
  return json_text(json);
}

}  // namespace

extern const Format json{
    .name = "json",
    .summary = "for scripts and graders: gpulab.run.v1 and others (gpulab schema)",
    .run = write,
    .explanation = explain_json,
    .check = check_json,
    .program = program_json,
    .comparison = compare_json,
    .error = error_json,
};

}  // namespace gpulab::report
