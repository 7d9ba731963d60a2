// gpulab.check.v1 (configs/schema/check.json). Additive changes only.

#include <nlohmann/json.hpp>

#include "runner/report/check/check_report.h"
#include "runner/report/documents/result_json.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json dim(const Dim3& d) { return {d.x, d.y, d.z}; }

Json mismatch_json(const JudgedMismatch& one) {
  Json json{{"index", one.mismatch.index},
            {"got", value_json(one.mismatch.got)},
            {"expected", value_json(one.mismatch.expected)}};
  if (one.owner) {
    json["block"] = dim(one.owner->first);
    json["thread"] = dim(one.owner->second);
  }
  return json;
}

Json shape_json(const JudgedShape& shape) {
  Json json{{"class", shape.name},
            {"type", shape.type.empty() ? Json() : Json(shape.type)},
            {"params", params_json(shape.params)},
            {"grid", dim(shape.grid)},
            {"block", dim(shape.block)},
            {"status", to_text(shape.status)},
            {"message", shape.message}};
  if (shape.status != CaseStatus::ok && shape.status != CaseStatus::skipped) json["hint"] = shape.hint;
  json["buffer"] = shape.buffer.empty() ? Json() : Json(shape.buffer);
  json["mismatches"] = Json::array();
  for (const auto& one : shape.mismatches) json["mismatches"].push_back(mismatch_json(one));
  return json;
}

Json launch_json(const JudgedLaunch& one) {
  const auto& launch = one.launch;
  return {{"kernel", one.kernel},
          {"block", dim(launch.block)},
          {"covers", dim(launch.covers.x == 0 ? launch.block : launch.covers)},
          {"every_class", one.every_class},
          {"because", one.because.empty() ? Json() : Json(one.because)}};
}

}  // namespace

std::string check_json(const Judgement& judgement, const Style&) {
  Json json{{"schema", "gpulab.check.v1"},
            {"gpulab", {{"version", version()}}},
            {"lab", judgement.lab},
            {"contract", judgement.contract},
            {"signature", judgement.signature},
            {"file", judgement.file},
            {"kernels", judgement.kernels},
            {"profile", judgement.device.profile},
            {"seed", judgement.seed},
            {"status", judgement.passed() ? "passed" : "failed"},
            {"items", Json::array()},
            {"launches", Json::array()},
            {"shapes", Json::array()},
            {"findings", Json::array()},
            {"requirements", Json::array()},
            {"results", Json::array()},
            {"output", judgement.output},
            {"output_cut", judgement.output_cut}};
  for (const auto& item : judgement.items)
    json["items"].push_back({{"name", item.name}, {"status", to_text(item.verdict)}, {"message", item.message}});
  for (const auto& launch : judgement.launches) json["launches"].push_back(launch_json(launch));
  for (const auto& shape : judgement.shapes) json["shapes"].push_back(shape_json(shape));
  for (const auto& finding : judgement.findings) json["findings"].push_back(finding_json(finding));
  for (const auto& one : judgement.requirements) {
    json["requirements"].push_back(
        {{"requirement", one.text}, {"status", to_text(one.verdict)}, {"message", one.message}});
    if (const auto lines = explain_command(judgement, one); !lines.empty())
      json["requirements"].back()["explain"] = lines;
  }
  for (auto result : judgement.beside) {
    result.timing.reset();  // of a simulation: nobody is to be graded by it, and two runs give the same bytes
    result.simulation_ms.reset();
    result.output.clear();
    json["results"].push_back(result_json(result));
  }
  return json_text(json);
}

}  // namespace gpulab
