// gpulab.explain.v1 (configs/schema/explain.json). Additive changes only.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "common/embedded.h"
#include "runner/report/explain/explain_report.h"
#include "runner/report/explain/time_text.h"
#include "runner/report/json_text.h"
#include "runner/version.h"

namespace gpulab {
namespace {

using Json = nlohmann::ordered_json;

Json dim(const Dim3& d) { return {d.x, d.y, d.z}; }

/// Counts that are not zero and ratios that have a denominator; footprints have no line.
Json counters(const Counters& c) {
  Json json = Json::object();
  for (const auto& info : counter_table()) {
    if (const auto count = info.count(c)) {
      if (*count) json[std::string(info.name)] = *count;
    } else if (const auto ratio = info.value(c)) {
      json[std::string(info.name)] = json_real(*ratio);
    }
  }
  return json;
}

Json line_json(const ExplainedLine& line, bool phases) {
  Json json{{"line", line.line ? Json(line.line) : Json()},
            {"text", line.text},
            {"executions", line.executions},
            {"counters", counters(line.counters)}};
  if (!phases) return json;
  json["phases"] = Json::array();
  for (const auto& phase : line.phases) {
    if (phase.executions == 0 && phase.counters == Counters{}) continue;
    json["phases"].push_back(
        {{"phase", phase.phase}, {"executions", phase.executions}, {"counters", counters(phase.counters)}});
  }
  return json;
}

Json banks_json(const LineAccess& access) {
  Json lanes = Json::array();
  for (int lane = 0; lane < 32; ++lane) {
    if (!(access.mask >> lane & 1)) continue;
    const auto offset = access.addresses[static_cast<std::size_t>(lane)];
    lanes.push_back({{"lane", lane}, {"offset", offset}, {"bank", offset / 4 % 32}});
  }
  return {{"line", access.line},
          {"instruction", access.instruction},
          {"ptx_line", access.ptx_line},
          {"bytes_per_lane", access.width},
          {"wavefronts", access.wavefronts},
          {"ideal_wavefronts", access.ideal_wavefronts},
          {"lanes", std::move(lanes)}};
}

Json time_json(const LaunchTime& time) {
  Json lines = Json::array(), what_ifs = Json::array();
  for (const auto& line : time.lines)
    lines.push_back({{"line", line.line ? Json(line.line) : Json()},
                     {"time_ms", json_real(line.total())},
                     {"issue_ms", json_real(line.issue)},
                     {"memory_ms", json_real(line.memory)},
                     {"shared_ms", json_real(line.shared)},
                     {"barrier_ms", json_real(line.barrier)},
                     {"result_ms", json_real(line.result)}});
  for (const auto& what : time.what_ifs)
    what_ifs.push_back(
        {{"line", what.line ? Json(what.line) : Json()}, {"without", what.kind}, {"time_ms", json_real(what.ms)}});
  return {{"time_ms", json_real(time.ms)},
          {"kernel_ms", json_real(time.kernel_ms)},
          {"lines", std::move(lines)},
          {"what_if", std::move(what_ifs)}};
}

Json launch_json(const LaunchLines& launch, const ExplainView& view) {
  const auto explanation = explanation_of(launch, view.device.sm_count);
  Json lines = Json::array(), marks = Json::array();
  for (const auto& line : explanation.lines) lines.push_back(line_json(line, view.phases));
  for (const auto& mark : explanation.marks) {
    Json json{{"line", mark.line ? Json(mark.line) : Json()},
              {"kind", mark.kind},
              {"share", json_real(mark.share)},
              {"message", mark.text}};
    if (!mark.victims.empty()) json["victims"] = mark.victims;
    marks.push_back(std::move(json));
  }
  Json json{{"kernel", launch.kernel},
            {"file", launch.file},
            {"lines_of", launch.ptx ? "ptx" : "source"},
            {"grid", dim(launch.grid)},
            {"block", dim(launch.block)},
            {"phase_count", launch.phases},
            {"counters", counters(launch.counters)},
            {"marks", std::move(marks)},
            {"lines", std::move(lines)}};
  if (const auto darkest = darkest_line_text(explanation); !darkest.empty()) json["darkest_line"] = darkest;
  if (launch.time) json["model"] = time_json(*launch.time);
  return json;
}

}  // namespace

std::string explain_json(const ExplainView& view, const Style&) {
  const auto& result = *view.result;
  Json params = Json::object();
  for (const auto& [name, value] : result.params)
    params[name] = std::visit([](const auto& v) { return Json(v); }, value);
  Json launches = Json::array();
  for (const auto& launch : result.lines) launches.push_back(launch_json(launch, view));
  Json document{{"schema", "gpulab.explain.v1"},
                {"gpulab", {{"version", version()}}},
                {"profile", view.device.profile},
                {"lab", view.lab.empty() ? Json() : Json(view.lab)},
                {"file", view.file.empty() ? Json() : Json(view.file)},
                {"variant", result.variant},
                {"params", std::move(params)},
                {"status", to_text(result.status)},
                {"message", result.message},
                {"launches", std::move(launches)}};
  if (result.model) {
    document["model"] = {{"gpu", result.model->gpu},
                         {"time_ms", json_real(result.model->ms)},
                         {"low_ms", json_real(result.model->low_ms)},
                         {"high_ms", json_real(result.model->high_ms)},
                         {"bound", result.model->bound},
                         {"validated", result.model->validated}};
  } else if (!result.model_unavailable.empty()) {
    document["model"] = nullptr;
    document["model_unavailable"] = result.model_unavailable;
  }
  if (view.banks) {
    document["banks"] = Json::array();
    for (const auto& access : shared_accesses(result.lines[view.launch], *view.banks))
      document["banks"].push_back(banks_json(access));
  }
  return json_text(document);
}

}  // namespace gpulab
